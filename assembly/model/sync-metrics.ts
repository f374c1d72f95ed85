/**
 * What a sync notes of itself until it is counted: when it began, what it did about pods, and on how many failures a
 * rule decided.
 */

// ── the action label, in the order of its values: see families.ts
export const DID_RECONCILE: u8 = 0;
export const DID_TRACK: u8 = 1;
export const CREATED_PODS: u8 = 2;
export const DELETED_PODS: u8 = 3;

@unmanaged
export class SyncMetrics {
  startedMs: f64;
  /** Failed pods by the action of the rule that decided; in the order of ACTION_IGNORE to ACTION_FAIL_JOB. */
  judgedIgnore: i32;
  judgedCount: i32;
  judgedFailIndex: i32;
  judgedFailJob: i32;
  didAction: u8;
  /** Why its pods are created: the place of the reason label's value. */
  creationReason: u8;
}
