/**
 * Pods whose Job this engine does not know: not seen yet, deleted, or never there. They wait in lists by the UID of
 * their owner, so that a Job finds its pods at once when it appears. The pool is bounded; what does not fit is
 * forgotten, and the pods are listed again when a Job appears that might miss some.
 */
import { hashBytes } from "../hash";
import { blobAt, blobIs, blobSize, freeBlob } from "./blob";
import { attachPod, Job } from "./job";
import { dropEvidence, Pod } from "./pod";
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
  const bucket = bucketOf(pod.ownerUid);
  pod.previous = null;
  pod.next = load<Pod | null>(bucket);
  if (pod.next !== null) pod.next!.previous = pod;
  store<usize>(bucket, changetype<usize>(pod));
  ++waiting;
  return true;
}

export function removeWaiting(pod: Pod): void {
  if (pod.previous !== null) pod.previous!.next = pod.next;
  else store<usize>(bucketOf(pod.ownerUid), changetype<usize>(pod.next));
  if (pod.next !== null) pod.next!.previous = pod.previous;
  pod.next = null;
  pod.previous = null;
  --waiting;
}

/** Gives the Job the pods that waited for it. True when some may have been forgotten: list the pods again. */
export function adoptWaiting(job: Job): bool {
  let pod = load<Pod | null>(bucketOf(job.uid));
  while (pod !== null) {
    const next = pod.next;
    if (blobIs(pod.ownerUid, blobAt(job.uid), blobSize(job.uid))) {
      removeWaiting(pod);
      freeBlob(pod.ownerUid);
      pod.ownerUid = 0;
      judgePod(job, pod, pod.evidence);
      dropEvidence(pod);
      attachPod(job, pod);
    }
    pod = next;
  }
  const incomplete = forgotten;
  forgotten = false;
  return incomplete;
}

function bucketOf(ownerUid: usize): usize {
  const hash = ownerUid == 0 ? 0 : hashBytes(blobAt(ownerUid), blobSize(ownerUid));
  return buckets + (usize(hash & (BUCKETS - 1)) << alignof<usize>());
}
