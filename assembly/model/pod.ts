/**
 * One pod as the engine keeps it: a fixed record of facts in unmanaged memory, reduced to what the rules of Jobs look
 * at. A pod is known by its UID. Its record lives from the first sight of the pod until the pod is deleted, or until it
 * is over, counted and without finalizer, and the watch has shown that. Which Job a pod is counted for is left to
 * job.ts.
 */
import { NO_INDEX } from "./absent";
import { hashBytes } from "../memory/hash";
import { PodRank } from "./pod-ranking";
import { blobIs, freeBlob, hashBlob } from "../memory/blob";
import { Job } from "./job";
import { releaseName } from "../memory/names";

/**
 * Phases, as far as the rules tell them apart. Any other text, also an empty one, is PHASE_OTHER. Such a pod counts as
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
/** The removal of the finalizer is requested or done, and the watch has not shown that somebody undid it. */
export const POD_FINALIZER_REMOVED: u32 = 1 << 2;
/** A finalizer patch is under way. */
export const POD_REMOVAL_REQUESTED: u32 = 1 << 3;
/** The UID is in status.uncountedTerminatedPods.succeeded / .failed (of the sync under way). */
export const POD_UNCOUNTED_SUCCEEDED: u32 = 1 << 4;
export const POD_UNCOUNTED_FAILED: u32 = 1 << 5;
/** The pod is counted in the back-off record. */
export const POD_IN_BACKOFF: u32 = 1 << 6;
/** The pod is gone from the API. The record lives on for a request under way. */
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
 * The pod names its Job as controller, but the Job's selector does not match its labels: the Job is to release it. The
 * pod waits, and is not counted.
 */
export const POD_UNSELECTED: u32 = 1 << 14;
/** Nobody controls the pod. A Job whose selector matches its labels may adopt it. */
export const POD_ORPHAN: u32 = 1 << 15;
/** The pod's owner is called a Job, but of another API group. The finalizer is only removed for that Job. */
export const POD_OTHER_GROUP: u32 = 1 << 16;
/** A patch is under way that gives the pod to a Job, or to nobody. */
export const POD_CLAIM_REQUESTED: u32 = 1 << 17;
/** The pod is in a work list of some sync, so its `nextWork` is in use. */
export const POD_IN_WORK: u32 = 1 << 19;
/** The metrics have counted the pod as one that is over and holds the finalizer. */
export const POD_COUNTED_AS_TERMINATED: u32 = 1 << 18;

/** The record of one pod. */
@unmanaged
export class Pod extends PodRank {
  // Small fields come first: they fill the end of the rank. So the record has 140 bytes, and takes one block of 144.
  /** The id of the source that shows it. */
  source: u8;
  phase: u8;
  /** How many requests under way and work lists hold the record. */
  pins: u16;
  uidHash: u32;
  resourceVersion: u64;
  /** resourceVersion of the answer that removed the finalizer. Older events do not bring the finalizer back. */
  removedAtVersion: u64;
  /** When the pod ended, by controller.md 3.2; wall clock. */
  finishMs: f64;
  /** Its Job; null: none is known yet. */
  job: Job | null;
  namespace: usize;
  name: usize;
  uid: usize;
  /**
   * For a pod that waits: the UID of its controlling Job. For an orphan: the UID in its label controller-uid. 0: none.
   */
  ownerUid: usize;
  /** The next pod in its chain of the table by UID. */
  nextByUid: Pod | null;
  /** Neighbours in the list that the pod is in: its Job's pods, or the pods that wait. */
  next: Pod | null;
  previous: Pod | null;
  /** Neighbours among the finished pods of its Job that are not counted yet. */
  nextFinished: Pod | null;
  previousFinished: Pod | null;
  /** The next pod in the work list of the sync under way. */
  nextWork: Pod | null;
  /** The next active pod with this completion index. */
  nextSameIndex: Pod | null;
  /** How many failures its completion index had before this pod, counted and ignored ones; from its annotations. */
  indexFailures: i32;
  indexIgnoredFailures: i32;
  /** For a pod that waits: its labels, and what a podFailurePolicy judges it by (evidence.ts). 0: nothing. */
  evidence: usize;
  /** The sum of the restart counts of all containers and init containers. */
  restarts: i32;
  flags: u32;
  /** The list in which the source showed the pod last. */
  listEpoch: u32;
  /** What the podFailurePolicy of its Job says about the pod: ACTION_*. */
  policyAction: u8;
  /** Why the pod does not run: see wait-reasons.ts. */
  waitCode: u8;
  /** For a pod that is being deleted: how many seconds it may take to end, at most 65535. */
  graceSeconds: u16;

  // Two names for one field: a pod in this state does not use the field's other meaning.

  /**
   * When the deletion was asked for, wall clock. It is kept in `readySinceMs`: a pod that is being deleted is no longer
   * ranked.
   */
  get deletionAskedMs(): f64 {
    return this.readySinceMs;
  }

  set deletionAskedMs(timeMs: f64) {
    this.readySinceMs = timeMs;
  }

  /**
   * Neighbours among the orphans of the namespace: see waiting-pods.ts. They share their place with the finished pods
   * of a Job, because an orphan belongs to no Job.
   */
  get nextOrphan(): Pod | null {
    return this.nextFinished;
  }

  set nextOrphan(pod: Pod | null) {
    this.nextFinished = pod;
  }

  get previousOrphan(): Pod | null {
    return this.previousFinished;
  }

  set previousOrphan(pod: Pod | null) {
    this.previousFinished = pod;
  }
}

/** The deletion of the pod was asked for at `askedMs` (wall clock). A grace period beyond 65535 s counts as that. */
export function setDeleting(pod: Pod, askedMs: f64, graceMs: f64): void {
  pod.flags |= POD_DELETING;
  pod.deletionAskedMs = askedMs;
  pod.graceSeconds = u16(min(max(graceMs / 1000, 0), f64(u16.MAX_VALUE)));
}

/** Whether the pod has this POD_* flag, or one of several. */
export function has(pod: Pod, flag: u32): bool {
  return (pod.flags & flag) != 0;
}

/** The finalizer is there and, as far as this engine knows, nobody has taken it off. */
export function holdsFinalizer(pod: Pod): bool {
  return (pod.flags & (POD_FINALIZER | POD_FINALIZER_REMOVED)) == POD_FINALIZER;
}

/** The pod's UID is in a list of uncounted UIDs of the sync under way. It is counted with that list. */
export function isUncounted(pod: Pod): bool {
  return has(pod, POD_UNCOUNTED_SUCCEEDED | POD_UNCOUNTED_FAILED);
}

/** The phase is Succeeded or Failed. */
export function isTerminal(pod: Pod): bool {
  return pod.phase >= PHASE_SUCCEEDED;
}

/** The pod counts in status.active. */
export function isActive(pod: Pod): bool {
  return pod.phase < PHASE_SUCCEEDED && !has(pod, POD_DELETING);
}

/** The pod counts in status.terminating. */
export function isTerminating(pod: Pod): bool {
  return pod.phase < PHASE_SUCCEEDED && has(pod, POD_DELETING);
}

/**
 * The pod counts as failed. With `onlyReplaceFailed` its phase must be Failed. Without it, a pod that is being deleted
 * before it succeeded has failed, too. Source: job_controller.go isPodFailed.
 */
export function isFailed(pod: Pod, onlyReplaceFailed: bool): bool {
  return pod.phase == PHASE_FAILED || (!onlyReplaceFailed && pod.phase != PHASE_SUCCEEDED && has(pod, POD_DELETING));
}

export function dropEvidence(pod: Pod): void {
  if (pod.evidence != 0) heap.free(pod.evidence);
  pod.evidence = 0;
}

/**
 * Puts the pod at the head of a list. The pod must be in no list. `list` is the address of the pointer to the first
 * pod.
 */
export function linkPod(list: usize, pod: Pod): void {
  const after = load<Pod | null>(list);
  pod.previous = null;
  pod.next = after;
  if (after !== null) after.previous = pod;
  store<usize>(list, changetype<usize>(pod));
}

/** Takes the pod out of the list that it is in. `list` is the address of the pointer to the first pod. */
export function unlinkPod(list: usize, pod: Pod): void {
  const before = pod.previous;
  const after = pod.next;
  if (before !== null) before.next = after;
  else store<usize>(list, changetype<usize>(after));
  if (after !== null) after.previous = before;
  pod.next = null;
  pod.previous = null;
}

let buckets: usize = 0;
let bucketCount: u32 = 0;
let pods: i32 = 0;
/** Freed records for the next pods, linked through nextByUid. */
let freeRecords: Pod | null = null;

/** How many pods are in the table. */
export function podCount(): i32 {
  return pods;
}

/** The pod with this UID, or null. */
export function findPod(uid: usize, uidLength: u32): Pod | null {
  if (bucketCount == 0) return null;
  const hash = hashBytes(uid, uidLength);
  let pod = load<Pod | null>(bucket(hash));
  while (pod !== null && !(pod.uidHash == hash && blobIs(pod.uid, uid, uidLength))) pod = pod.nextByUid;
  return pod;
}

/** A new record with this UID, in the table. It takes over the blobs. */
export function addPod(uid: usize, name: usize, namespace: usize): Pod {
  if (u32(pods) >= bucketCount) growTable();
  let pod: Pod;
  if (freeRecords === null) {
    pod = changetype<Pod>(heap.alloc(offsetof<Pod>()));
  } else {
    pod = changetype<Pod>(freeRecords);
    freeRecords = pod.nextByUid;
  }
  memory.fill(changetype<usize>(pod), 0, offsetof<Pod>());
  pod.uid = uid;
  pod.uidHash = hashBlob(uid);
  pod.name = name;
  pod.namespace = namespace;
  pod.completionIndex = NO_INDEX;
  link(pod);
  ++pods;
  return pod;
}

/** Takes the pod out of the table. The record is freed now or, while requests hold it, with the last of them. */
export function removePod(pod: Pod): void {
  let at = bucket(pod.uidHash);
  while (load<Pod | null>(at) !== pod) at = changetype<usize>(load<Pod>(at)) + offsetof<Pod>("nextByUid");
  store<usize>(at, changetype<usize>(pod.nextByUid));
  --pods;
  pod.flags |= POD_GONE;
  if (pod.pins == 0) freeRecord(pod);
}

/** A request or a work list holds the record: it stays until `unpin`, even if the pod goes. */
export function pin(pod: Pod): void {
  ++pod.pins;
}

/** A holder lets the record go. The last one frees it, if the pod is gone. */
export function unpin(pod: Pod): void {
  if (--pod.pins == 0 && has(pod, POD_GONE)) freeRecord(pod);
}

/** Calls `visit` for every pod in the table. `visit` may remove the pod that it is given. */
export function forEachPod(visit: (pod: Pod, argument: u64) => void, argument: u64): void {
  for (let i: u32 = 0; i < bucketCount; ++i) {
    let pod = load<Pod | null>(buckets + (usize(i) << alignof<usize>()));
    while (pod !== null) {
      const next = pod.nextByUid;
      visit(pod, argument);
      pod = next;
    }
  }
}

function freeRecord(pod: Pod): void {
  freeBlob(pod.uid);
  freeBlob(pod.name);
  freeBlob(pod.ownerUid);
  dropEvidence(pod);
  releaseName(pod.namespace);
  pod.nextByUid = freeRecords;
  freeRecords = pod;
}

function bucket(hash: u32): usize {
  return buckets + (usize(hash & (bucketCount - 1)) << alignof<usize>());
}

function link(pod: Pod): void {
  const at = bucket(pod.uidHash);
  pod.nextByUid = load<Pod | null>(at);
  store<usize>(at, changetype<usize>(pod));
}

function growTable(): void {
  const old = buckets;
  const oldCount = bucketCount;
  bucketCount = max(1024, bucketCount * 2);
  const bytes = usize(bucketCount) << alignof<usize>();
  buckets = heap.alloc(bytes);
  memory.fill(buckets, 0, bytes);
  for (let i: u32 = 0; i < oldCount; ++i) {
    let pod = load<Pod | null>(old + (usize(i) << alignof<usize>()));
    while (pod !== null) {
      const next = pod.nextByUid;
      link(pod);
      pod = next;
    }
  }
  if (old != 0) heap.free(old);
}
