/**
 * The state of a pod: its phase, its deletion, its finalizer, its owner, and how far it is counted. Most of it is one
 * bit each. Invariant: only the operations of this record write `flags`. Each says what happened to the pod. An
 * operation that changes what the Job's counters say is called between `beforeChange` and `afterChange` (job.ts).
 */
import { PodRank } from "./pod-ranking";

/**
 * Phases, as far as the rules distinguish them. Any other text, also an empty one, is PHASE_OTHER. Such a pod counts as
 * active.
 */
export const PHASE_OTHER: u8 = 0;
export const PHASE_PENDING: u8 = 1;
export const PHASE_RUNNING: u8 = 2;
export const PHASE_SUCCEEDED: u8 = 3;
export const PHASE_FAILED: u8 = 4;

/** metadata.finalizers holds the tracking finalizer, according to the watch. */
export const POD_FINALIZER: u32 = 1 << 0;
/** metadata.deletionTimestamp is set. */
export const POD_DELETING: u32 = 1 << 1;
/** The removal of the finalizer is requested or done, and the watch has not shown that another client undid it. */
export const POD_FINALIZER_REMOVED: u32 = 1 << 2;
/** A finalizer patch is in flight. */
export const POD_REMOVAL_REQUESTED: u32 = 1 << 3;
/** The UID is in status.uncountedTerminatedPods.succeeded / .failed (of the sync under way). */
export const POD_UNCOUNTED_SUCCEEDED: u32 = 1 << 4;
export const POD_UNCOUNTED_FAILED: u32 = 1 << 5;
/** The pod is counted in the backoff record. */
export const POD_IN_BACKOFF: u32 = 1 << 6;
/** The pod is gone from the API. A request in flight still holds the record. */
export const POD_GONE: u32 = 1 << 7;
/** Its Job has ended, or was deleted while this engine watched. The finalizer is removed without counting the pod. */
export const POD_ABANDONED: u32 = 1 << 8;
/** The pod is in the queue of finalizers to remove outside a sync. */
export const POD_IN_ORPHAN_QUEUE: u32 = 1 << 9;
/** The pod was deleted because its Job had met the success criterion. Its end is no failure. */
export const POD_NOT_NEEDED: u32 = 1 << 10;
/**
 * The pod has failed. It keeps its finalizer until a pod for its index has started and taken over its failure counts.
 */
export const POD_DELAYED: u32 = 1 << 11;
/** The pod was delayed once, and is not any more. */
export const POD_NOT_DELAYED: u32 = 1 << 12;
/** The pod's successor was started in the sync under way. The next sync takes its finalizer off. */
export const POD_DELAY_ENDED_NOW: u32 = 1 << 13;

/**
 * The pod names its Job as controller, but the Job's selector does not match its labels: the Job should release it. The
 * pod waits, and is not counted.
 */
export const POD_UNSELECTED: u32 = 1 << 14;
/** The pod has no controller. A Job whose selector matches its labels may adopt it. */
export const POD_ORPHAN: u32 = 1 << 15;
/** The pod's owner is called a Job, but of another API group. The finalizer is only removed for that Job. */
export const POD_OTHER_GROUP: u32 = 1 << 16;
/** A patch is in flight that adopts or releases the pod. */
export const POD_CLAIM_REQUESTED: u32 = 1 << 17;
/** The pod is in a work list of some sync, so its `nextWork` is in use. */
export const POD_IN_WORK: u32 = 1 << 19;
/** The metrics have counted the pod as one that is over and holds the finalizer. */
export const POD_COUNTED_AS_TERMINATED: u32 = 1 << 18;

/** The part of the record of a pod that its state is in. */
@unmanaged
export class PodState extends PodRank {
  // Small fields come first: they fill the padding at the end of the rank.
  phase: u8;
  /** For a pod that is being deleted: how many seconds it may take to end, at most 65535. */
  graceSeconds: u16;
  /** Why it does not run: see wait-reasons.ts. */
  waitCode: u8;
  /** What the podFailurePolicy of its Job says about it: ACTION_*. */
  policyAction: u8;
  /** POD_*. */
  flags: u32;
  /** resourceVersion of the answer that removed the finalizer. Older events do not bring the finalizer back. */
  removedAtVersion: u64;

  // ── deletion

  /**
   * When the deletion was requested, wall clock. It is kept in `readySinceMs`: a pod that is being deleted is no longer
   * ranked.
   */
  get deletionAskedMs(): f64 {
    return this.readySinceMs;
  }

  set deletionAskedMs(timeMs: f64) {
    this.readySinceMs = timeMs;
  }

  /** The deletion was requested at `askedMs` (wall clock). A grace period beyond 65535 s counts as that. */
  markDeleting(askedMs: f64, graceMs: f64): void {
    this.flags |= POD_DELETING;
    this.deletionAskedMs = askedMs;
    this.graceSeconds = u16(min(max(graceMs / 1000, 0), f64(u16.MAX_VALUE)));
  }

  markGone(): void {
    this.flags |= POD_GONE;
  }

  // ── finalizer

  /** The source shows this version of the pod with the finalizer, or without it. */
  showFinalizer(isThere: bool, version: u64): void {
    if (!isThere) {
      this.flags &= ~POD_FINALIZER;
      return;
    }
    this.flags |= POD_FINALIZER;
    // Another client put the finalizer back after its removal.
    if (version > this.removedAtVersion) this.flags &= ~POD_FINALIZER_REMOVED;
  }

  /** The finalizer is off. What the source shows up to this version is older than that. */
  markFinalizerRemoved(version: u64): void {
    this.flags |= POD_FINALIZER_REMOVED;
    this.removedAtVersion = version;
  }

  requestFinalizerRemoval(): void {
    this.flags |= POD_REMOVAL_REQUESTED;
  }

  /** The patch is answered. */
  endFinalizerRemoval(): void {
    this.flags &= ~POD_REMOVAL_REQUESTED;
  }

  enterOrphanQueue(): void {
    this.flags |= POD_IN_ORPHAN_QUEUE;
  }

  leaveOrphanQueue(): void {
    this.flags &= ~POD_IN_ORPHAN_QUEUE;
  }

  // ── whose it is

  /** Whether its owner is called a Job, but of another API group. */
  showOwnerGroup(isOther: bool): void {
    if (isOther) this.flags |= POD_OTHER_GROUP;
    else this.flags &= ~POD_OTHER_GROUP;
  }

  /** It has no Job for now, and waits for one. `isOrphan`: it has no controller. */
  awaitJob(isOrphan: bool): void {
    this.flags &= ~(POD_UNSELECTED | POD_ABANDONED | POD_ORPHAN);
    if (isOrphan) this.flags |= POD_ORPHAN;
  }

  /** It waits, and the selector of the Job that it names does not match it. */
  markUnselected(): void {
    this.flags |= POD_UNSELECTED;
  }

  /** It waits, and its Job has ended, or is being deleted and does not select it. No Job counts it. */
  abandon(): void {
    this.flags = (this.flags & ~POD_UNSELECTED) | POD_ABANDONED;
  }

  requestClaim(): void {
    this.flags |= POD_CLAIM_REQUESTED;
  }

  /** The patch is answered. */
  endClaim(): void {
    this.flags &= ~POD_CLAIM_REQUESTED;
  }

  /** No Job needs to adopt or release it any more: it does not exist. */
  needNoClaim(): void {
    this.flags &= ~(POD_ORPHAN | POD_UNSELECTED);
  }

  // ── how far its Job has counted it

  /** Another Job owns it from now on: resets what was recorded for the previous one. */
  changeJob(): void {
    this.flags &= ~(
      POD_UNCOUNTED_SUCCEEDED |
      POD_UNCOUNTED_FAILED |
      POD_IN_BACKOFF |
      POD_ABANDONED |
      POD_NOT_NEEDED |
      POD_NOT_DELAYED |
      POD_DELAY_ENDED_NOW |
      POD_UNSELECTED |
      POD_ORPHAN
    );
  }

  /** Its UID is in the list of uncounted UIDs of `flag`: POD_UNCOUNTED_*. */
  enterUncounted(flag: u32): void {
    this.flags |= flag;
  }

  /** Its UID has left this list, or both. */
  leaveUncounted(flag: u32): void {
    this.flags &= ~flag;
  }

  /** It is counted in the backoff record from now on. False: it was before. */
  enterBackoff(): bool {
    if (has(this, POD_IN_BACKOFF)) return false;
    this.flags |= POD_IN_BACKOFF;
    return true;
  }

  markNotNeeded(): void {
    this.flags |= POD_NOT_NEEDED;
  }

  markDelayed(): void {
    this.flags |= POD_DELAYED;
  }

  /** It waits for no successor, and will not wait again. */
  endDelay(): void {
    this.flags = (this.flags & ~POD_DELAYED) | POD_NOT_DELAYED;
  }

  /** The sync under way has started its successor. */
  markReplacedNow(): void {
    this.flags |= POD_DELAY_ENDED_NOW;
  }

  /** Whether the sync under way has started its successor. It says so once. */
  takeReplacedNow(): bool {
    if (!has(this, POD_DELAY_ENDED_NOW)) return false;
    this.flags &= ~POD_DELAY_ENDED_NOW;
    return true;
  }

  /** Whether it is over and holds the finalizer, as the metrics count it. False: they have counted it so before. */
  countAsTerminated(isTerminated: bool): bool {
    if (has(this, POD_COUNTED_AS_TERMINATED) == isTerminated) return false;
    this.flags ^= POD_COUNTED_AS_TERMINATED;
    return true;
  }

  // ── work lists

  enterWork(): void {
    this.flags |= POD_IN_WORK;
  }

  leaveWork(): void {
    this.flags &= ~POD_IN_WORK;
  }
}

/** Whether the pod has this POD_* flag, or one of several. */
export function has(pod: PodState, flag: u32): bool {
  return (pod.flags & flag) != 0;
}

/** The finalizer is there and, as far as this engine knows, was not removed since. */
export function holdsFinalizer(pod: PodState): bool {
  return (pod.flags & (POD_FINALIZER | POD_FINALIZER_REMOVED)) == POD_FINALIZER;
}

/** The pod's UID is in a list of uncounted UIDs of the sync under way. It is counted with that list. */
export function isUncounted(pod: PodState): bool {
  return has(pod, POD_UNCOUNTED_SUCCEEDED | POD_UNCOUNTED_FAILED);
}

/** The phase is Succeeded or Failed. */
export function isTerminal(pod: PodState): bool {
  return pod.phase >= PHASE_SUCCEEDED;
}

/** The pod counts in status.active. */
export function isActive(pod: PodState): bool {
  return pod.phase < PHASE_SUCCEEDED && !has(pod, POD_DELETING);
}

/** The pod counts in status.terminating. */
export function isTerminating(pod: PodState): bool {
  return pod.phase < PHASE_SUCCEEDED && has(pod, POD_DELETING);
}

/**
 * The pod counts as failed. With `onlyReplaceFailed` its phase must be Failed. Without it, a pod that is being deleted
 * before it succeeded has failed, too. Source: job_controller.go isPodFailed.
 */
export function isFailed(pod: PodState, onlyReplaceFailed: bool): bool {
  return pod.phase == PHASE_FAILED || (!onlyReplaceFailed && pod.phase != PHASE_SUCCEEDED && has(pod, POD_DELETING));
}
