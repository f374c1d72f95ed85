/**
 * One pod as the engine keeps it: a fixed record of facts in unmanaged memory, reduced to what the rules of Jobs
 * look at. A pod is known by its UID; its record lives from the first sight of the pod until its deletion, or until it
 * is over, counted and stripped and the watch has shown so. Leaves out which Job it is counted for: see job.ts.
 */
import { NO_INDEX } from "./absent";
import { hashBytes } from "../memory/hash";
import { PodRank } from "./pod-ranking";
import { blobIs, freeBlob, hashBlob } from "../memory/blob";
import { Job } from "./job";
import { releaseName } from "../memory/names";

/**
 * Phases, as far as the rules tell them apart. Any other spelling, the empty one too, is PHASE_OTHER: it counts as
 * active.
 */
export const PHASE_OTHER: u8 = 0;
export const PHASE_PENDING: u8 = 1;
export const PHASE_RUNNING: u8 = 2;
export const PHASE_SUCCEEDED: u8 = 3;
export const PHASE_FAILED: u8 = 4;

/** metadata.finalizers holds the tracking finalizer, as far as the watch has shown. */
export const POD_FINALIZER: u32 = 1 << 0;
/** metadata.deletionTimestamp is set. */
export const POD_DELETING: u32 = 1 << 1;
/** The removal of the finalizer is requested or done, and not yet seen undone by the watch. */
export const POD_FINALIZER_REMOVED: u32 = 1 << 2;
/** A finalizer patch is under way. */
export const POD_REMOVAL_REQUESTED: u32 = 1 << 3;
/** The UID stands in status.uncountedTerminatedPods.succeeded / .failed (of the sync under way). */
export const POD_UNCOUNTED_SUCCEEDED: u32 = 1 << 4;
export const POD_UNCOUNTED_FAILED: u32 = 1 << 5;
/** The back-off record has this pod in it. */
export const POD_IN_BACKOFF: u32 = 1 << 6;
/** Gone from the API; the record lives on for a request under way. */
export const POD_GONE: u32 = 1 << 7;
/** Its Job has ended, or was deleted while this engine watched: the finalizer goes without counting. */
export const POD_ABANDONED: u32 = 1 << 8;
/** Held by the queue of finalizers to remove outside a sync. */
export const POD_IN_ORPHAN_QUEUE: u32 = 1 << 9;
/** Deleted because its Job had met the success criterion: its end is no failure. */
export const POD_NOT_NEEDED: u32 = 1 << 10;
/** Failed, and kept with its finalizer until a pod for its index has started, which takes its failure counts over. */
export const POD_DELAYED: u32 = 1 << 11;
/** It was kept so once, and is not any more. */
export const POD_NOT_DELAYED: u32 = 1 << 12;
/** Its successor was started in the sync under way: the next one takes its finalizer off. */
export const POD_DELAY_ENDED_NOW: u32 = 1 << 13;

/**
 * Names its Job as controller, and the selector of that does not match its labels: it is to be released. It waits, and
 * is not counted.
 */
export const POD_UNSELECTED: u32 = 1 << 14;
/** Nobody controls it: a Job whose selector matches its labels may adopt it. */
export const POD_ORPHAN: u32 = 1 << 15;
/** Its owner is called a Job of another API group: its finalizer is only removed on behalf of that Job. */
export const POD_OTHER_GROUP: u32 = 1 << 16;
/** A patch is under way that makes it a Job's, or nobody's. */
export const POD_CLAIM_REQUESTED: u32 = 1 << 17;
/** In a work list of some sync: its `nextWork` is taken. */
export const POD_IN_WORK: u32 = 1 << 19;
/** Counted by the metrics as over and holding the finalizer. */
export const POD_COUNTED_AS_TERMINATED: u32 = 1 << 18;

@unmanaged
export class Pod extends PodRank {
  // Small fields first: they fill the end of the rank, and keep the record at 140 bytes, which is one block of 144.
  /** The source that shows it. */
  source: u8;
  phase: u8;
  /** Requests under way and work lists that hold the record. */
  pins: u16;
  uidHash: u32;
  resourceVersion: u64;
  /** resourceVersion of the answer that removed the finalizer: older events do not bring it back. */
  removedAtVersion: u64;
  /** When it ended, by controller.md 3.2; wall clock. */
  finishMs: f64;
  /** Its Job, as soon as that is known. */
  job: Job | null;
  namespace: usize;
  name: usize;
  uid: usize;
  /**
   * Of a pod that waits: the UID of its controlling Job or, of an orphan, that in its label controller-uid; 0: none.
   */
  ownerUid: usize;
  /** Chain of the table by UID. */
  nextByUid: Pod | null;
  /** Neighbours in the list that it is in: its Job's pods, or the pods that wait. */
  next: Pod | null;
  previous: Pod | null;
  /** Neighbours among the finished pods of its Job that are not accounted for yet. */
  nextFinished: Pod | null;
  previousFinished: Pod | null;
  /** Next of the work list of the sync under way. */
  nextWork: Pod | null;
  /** Next active pod with this completion index. */
  nextSameIndex: Pod | null;
  /** Failures of its completion index before it, and those that a rule ignored; from its annotations. */
  indexFailures: i32;
  indexIgnoredFailures: i32;
  /** Of a pod that waits: its labels, and what a podFailurePolicy judges it by; see evidence.ts. 0: nothing. */
  evidence: usize;
  /** Sum of the restart counts of all containers and init containers. */
  restarts: i32;
  flags: u32;
  /** The list during which the source showed it last. */
  listEpoch: u32;
  /** What the podFailurePolicy of its Job says of it: ACTION_*. */
  policyAction: u8;
  /** Why it does not run: wait-reasons.ts. */
  waitCode: u8;
  /** Of one that is being deleted: how long it may take to end; longer than 18 hours counts as that. */
  graceSeconds: u16;

  // Names of their own for what shares its place with a field that a pod in that state does not use.

  /** When its deletion was asked for, wall clock. A pod that is being deleted is ranked no more: see readySinceMs. */
  get deletionAskedMs(): f64 {
    return this.readySinceMs;
  }

  set deletionAskedMs(timeMs: f64) {
    this.readySinceMs = timeMs;
  }

  /** Neighbours among the orphans of its namespace: see waiting-pods.ts. An orphan is no Job's, finished or not. */
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

/** Its deletion was asked for. */
export function setDeleting(pod: Pod, askedMs: f64, graceMs: f64): void {
  pod.flags |= POD_DELETING;
  pod.deletionAskedMs = askedMs;
  pod.graceSeconds = u16(min(max(graceMs / 1000, 0), f64(u16.MAX_VALUE)));
}

export function has(pod: Pod, flag: u32): bool {
  return (pod.flags & flag) != 0;
}

/** The finalizer is there and nobody has taken it off, as far as this engine knows. */
export function holdsFinalizer(pod: Pod): bool {
  return (pod.flags & (POD_FINALIZER | POD_FINALIZER_REMOVED)) == POD_FINALIZER;
}

/** Its UID stands in a list of uncounted UIDs of the sync under way: it is counted with that list. */
export function isUncounted(pod: Pod): bool {
  return has(pod, POD_UNCOUNTED_SUCCEEDED | POD_UNCOUNTED_FAILED);
}

export function isTerminal(pod: Pod): bool {
  return pod.phase >= PHASE_SUCCEEDED;
}

/** Counts in status.active. */
export function isActive(pod: Pod): bool {
  return pod.phase < PHASE_SUCCEEDED && !has(pod, POD_DELETING);
}

/** Counts in status.terminating. */
export function isTerminating(pod: Pod): bool {
  return pod.phase < PHASE_SUCCEEDED && has(pod, POD_DELETING);
}

/**
 * Counts as failed. Unless only pods whose phase is Failed are replaced, a pod that is deleted before it succeeded
 * has failed at once. Source: job_controller.go isPodFailed.
 */
export function isFailed(pod: Pod, onlyReplaceFailed: bool): bool {
  return pod.phase == PHASE_FAILED || (!onlyReplaceFailed && pod.phase != PHASE_SUCCEEDED && has(pod, POD_DELETING));
}

export function dropEvidence(pod: Pod): void {
  if (pod.evidence != 0) heap.free(pod.evidence);
  pod.evidence = 0;
}

/** Puts the pod, which is in no list, at the head of one. `list`: the address of the pointer to its first pod. */
export function linkPod(list: usize, pod: Pod): void {
  const after = load<Pod | null>(list);
  pod.previous = null;
  pod.next = after;
  if (after !== null) after.previous = pod;
  store<usize>(list, changetype<usize>(pod));
}

/** Takes it out of the list that it is in. */
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
/** Freed records, linked through nextByUid, for the next pods. */
let freeRecords: Pod | null = null;

/** Pod records in use. */
export function podCount(): i32 {
  return pods;
}

export function findPod(uid: usize, uidLength: u32): Pod | null {
  if (bucketCount == 0) return null;
  const hash = hashBytes(uid, uidLength);
  let pod = load<Pod | null>(bucket(hash));
  while (pod !== null && !(pod.uidHash == hash && blobIs(pod.uid, uid, uidLength))) pod = pod.nextByUid;
  return pod;
}

/** A new record with this UID, in the table; takes over the blobs. */
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

/** Takes the pod out of the table; the record is freed now or, while requests hold it, with the last of them. */
export function removePod(pod: Pod): void {
  let at = bucket(pod.uidHash);
  while (load<Pod | null>(at) !== pod) at = changetype<usize>(load<Pod>(at)) + offsetof<Pod>("nextByUid");
  store<usize>(at, changetype<usize>(pod.nextByUid));
  --pods;
  pod.flags |= POD_GONE;
  if (pod.pins == 0) freeRecord(pod);
}

export function pin(pod: Pod): void {
  ++pod.pins;
}

export function unpin(pod: Pod): void {
  if (--pod.pins == 0 && has(pod, POD_GONE)) freeRecord(pod);
}

/** Calls for every pod in the table; `visit` may remove the pod it is given. */
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
