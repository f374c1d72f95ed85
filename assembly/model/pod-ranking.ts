/**
 * Which of two active pods is deleted first (docs/spec/controller.md 3.6, step M3, rules 1 to 6).
 *
 * If the six rules do not decide, the pod with the lower completion index goes first: upstream sorts the pods of an
 * Indexed Job by index before it ranks them. Pods that are equal in that too are equal here; the caller breaks the tie.
 * Leaves out the mandatory victims of Indexed Jobs, and the pod-deletion-cost annotation, which the Job controller does
 * not use.
 */

/** Rank of the phase `Pending`, and of any phase that is not listed here. */
export const PHASE_RANK_PENDING: u8 = 0;
/** Rank of the phase `Unknown`. */
export const PHASE_RANK_UNKNOWN: u8 = 1;
/** Rank of the phase `Running`. */
export const PHASE_RANK_RUNNING: u8 = 2;

/** The facts about a pod that decide when it is deleted: 31 bytes that can be embedded in another record. */
@unmanaged
export class PodRank {
  /** lastTransitionTime of the condition `Ready`. It counts only if `ready`. NaN, 0 or less: zero time. */
  readySinceMs: f64;
  /** creationTimestamp. NaN, 0 or less: zero time. */
  creationMs: f64;
  /** Largest restartCount among the regular containers; 0 if there is none. */
  maxRestarts: i32;
  /** Largest restartCount among the restartable init containers; 0 if there is none. */
  maxSidecarRestarts: i32;
  /** NO_INDEX (-1): the pod has none. */
  completionIndex: i32;
  /** One of PHASE_RANK_*. */
  phaseRank: u8;
  /** Whether spec.nodeName is set. */
  hasNode: bool;
  /** Whether the first condition of type `Ready` has status `True`. */
  ready: bool;
}

/**
 * -1 if `a` is deleted before `b`, 1 if after it, 0 if the rules do not decide. Source: controller_utils.go
 * ActivePods.Less, after indexed_job_utils.go byCompletionIndex.
 */
export function comparePodRanks(a: PodRank, b: PodRank): i32 {
  if (a.hasNode != b.hasNode) return first(!a.hasNode);
  if (a.phaseRank != b.phaseRank) return first(a.phaseRank < b.phaseRank);
  if (a.ready != b.ready) return first(!a.ready);
  if (a.ready) {
    const order = compareLaterFirst(a.readySinceMs, b.readySinceMs);
    if (order != 0) return order;
  }
  if (a.maxRestarts != b.maxRestarts) return first(a.maxRestarts > b.maxRestarts);
  if (a.maxSidecarRestarts != b.maxSidecarRestarts) return first(a.maxSidecarRestarts > b.maxSidecarRestarts);
  const order = compareLaterFirst(a.creationMs, b.creationMs);
  return order != 0 ? order : i32(a.completionIndex > b.completionIndex) - i32(a.completionIndex < b.completionIndex);
}

function first(aIsFirst: bool): i32 {
  return aIsFirst ? -1 : 1;
}

/** The later time first; zero time counts as the latest of all. */
function compareLaterFirst(aMs: f64, bMs: f64): i32 {
  const a = aMs > 0 ? aMs : f64.POSITIVE_INFINITY;
  const b = bMs > 0 ? bMs : f64.POSITIVE_INFINITY;
  return i32(a < b) - i32(a > b);
}
