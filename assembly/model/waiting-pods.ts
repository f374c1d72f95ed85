/**
 * Pods that no Job counts: their Job is not seen yet, deleted, or does not select them; or nobody controls them. They wait in lists
 * by the UID of their owner or, of an orphan, that in its label controller-uid, so that a Job finds its pods at once when it
 * appears. The pool is bounded; what does not fit is forgotten, and the pods are listed again when a Job appears that might miss some.
 */
import { blobsEqual, freeBlob, hashBlob } from "./blob";
import { keptEvidence } from "../pod-failure-policy";
import { attachPod, Job, SELECTS_BY_LABELS } from "./job";
import { dropEvidence, has, linkPod, Pod, POD_ORPHAN, POD_UNSELECTED, unlinkPod } from "./pod";
import { selectsKept } from "./selecting-jobs";
import { judgePod } from "../sync/judgement";

/** Pods in the pool at most. */
export const MAX_WAITING_PODS: i32 = 500000;

const BUCKETS: u32 = 4096;
const buckets = memory.data(sizeof<usize>() * 4096, 8);
let waiting: i32 = 0;
let forgotten = false;

export function waitingCount(): i32 {
  return waiting;
}

/** False: the pool is full, and the caller drops the pod. */
export function addWaiting(pod: Pod): bool {
  if (waiting >= MAX_WAITING_PODS) {
    forgotten = true;
    return false;
  }
  linkPod(bucketOf(pod.ownerUid), pod);
  ++waiting;
  return true;
}

export function removeWaiting(pod: Pod): void {
  unlinkPod(bucketOf(pod.ownerUid), pod);
  --waiting;
}

/** Gives the Job the pods that waited for it. True when some may have been forgotten: list the pods again. */
export function adoptWaiting(job: Job): bool {
  let pod = load<Pod | null>(bucketOf(job.uid));
  while (pod !== null) {
    const next = pod.next;
    if (blobsEqual(pod.ownerUid, job.uid) && !has(pod, POD_ORPHAN)) {
      if (selectsKept(job, pod)) {
        removeWaiting(pod);
        freeBlob(pod.ownerUid);
        pod.ownerUid = 0;
        judgePod(job, pod, keptEvidence(pod.evidence));
        dropEvidence(pod);
        attachPod(job, pod);
      } else {
        pod.flags |= POD_UNSELECTED;
      }
    }
    pod = next;
  }
  job.mayClaim = true;
  const incomplete = forgotten;
  forgotten = false;
  return incomplete;
}

/** Calls for the pods that wait for this Job, and for others; `visit` may take the pod out that it is given. */
export function forEachWaitingFor(job: Job, visit: (job: Job, pod: Pod) => void): void {
  visitAll(bucketOf(job.uid), job, visit);
}

/** The same with the orphans that its selector may match. */
export function forEachCandidate(job: Job, visit: (job: Job, pod: Pod) => void): void {
  if (job.selects != SELECTS_BY_LABELS) {
    forEachWaitingFor(job, visit);
    return;
  }
  for (let i: u32 = 0; i < BUCKETS; ++i) visitAll(buckets + (usize(i) << alignof<usize>()), job, visit);
}

function visitAll(bucket: usize, job: Job, visit: (job: Job, pod: Pod) => void): void {
  let pod = load<Pod | null>(bucket);
  while (pod !== null) {
    const next = pod.next;
    visit(job, pod);
    pod = next;
  }
}

function bucketOf(ownerUid: usize): usize {
  return buckets + (usize(hashBlob(ownerUid) & (BUCKETS - 1)) << alignof<usize>());
}
