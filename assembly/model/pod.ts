/**
 * One pod as the engine keeps it: a fixed record of facts in unmanaged memory, reduced to what the rules of Jobs need.
 * A pod is known by its UID. Its record lives from the first sight of the pod until the pod is deleted, or until it is
 * over, counted and without finalizer, and the watch has shown that. pod-state.ts has its state, and job.ts how its Job
 * counts it.
 */
import { NO_INDEX } from "./absent";
import { hashBytes } from "../memory/hash";
import { has, POD_GONE, PodState } from "./pod-state";
import { blobIs, freeBlob, hashBlob } from "../memory/blob";
import { Job } from "./job";
import { releaseName } from "../memory/names";

/** The record of one pod. */
@unmanaged
export class Pod extends PodState {
  // It has 140 bytes, and takes one block of 144.
  /** The id of the source that shows it. */
  source: u8;
  /** How many requests in flight and work lists hold the record. */
  pins: u16;
  uidHash: u32;
  resourceVersion: u64;
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
  /** The next pod in the work list of the current sync. */
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
  /** The list in which the source showed the pod last. */
  listEpoch: u32;

  /**
   * Neighbours among the orphans of the namespace: see waiting-pods.ts. The fields are shared with the list of finished
   * pods, because an orphan belongs to no Job.
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

/** A new record with this UID, in the table. It takes ownership of the blobs. */
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
  pod.markGone();
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
