/**
 * What a sync notes about itself for the metrics: when it began, what it did about pods, and how many failures were
 * decided by a rule.
 */

// ── the action label, in the order of its values: see families.ts
export const DID_RECONCILE: u8 = 0;
export const DID_TRACK: u8 = 1;
export const CREATED_PODS: u8 = 2;
export const DELETED_PODS: u8 = 3;

/** The notes of one sync. */
@unmanaged
export class SyncMetrics {
  startedMs: f64;
  /** How many failed pods were decided by a rule, for each action from ACTION_IGNORE to ACTION_FAIL_JOB. */
  judgedIgnore: i32;
  judgedCount: i32;
  judgedFailIndex: i32;
  judgedFailJob: i32;
  didAction: u8;
  /** Why the sync creates pods: the place of the reason label's value. */
  creationReason: u8;
}
