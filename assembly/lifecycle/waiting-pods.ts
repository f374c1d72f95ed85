/**
 * Pods that no Job counts: their Job is not seen yet, is deleted, or does not select them; or they have no controller.
 *
 * They wait in lists by the UID of their owner. For an orphan that is the UID in its label controller-uid. So a Job
 * finds its pods at once when it appears. Orphans are also in lists by their namespace, for Jobs with a custom
 * selector. The pool holds at most MAX_WAITING_PODS. Further pods are dropped, and pods are listed again when a Job
 * appears that may miss some.
 */
import { blobsEqual, dropBlob, hashBlob } from "../memory/blob";
import { keptEvidence } from "../model/evidence";
import { attachPod, Job, SELECTS_BY_LABELS } from "../model/job";
import { dropEvidence, linkPod, Pod, unlinkPod } from "../model/pod";
import { has, POD_ORPHAN } from "../model/pod-state";
import { selectsKept } from "../model/selecting-jobs";
import { judgePod } from "./judgement";

/** How many pods the pool holds at most. */
export const MAX_WAITING_PODS: i32 = 500000;

const BUCKETS: u32 = 4096;
const buckets = memory.data(sizeof<usize>() * 4096, 8);
const NAMESPACE_BUCKETS: u32 = 1024;
/** The orphans by namespace, linked through nextOrphan and previousOrphan. */
const orphans = memory.data(sizeof<usize>() * 1024, 8);
let waiting: i32 = 0;
let forgotten = false;

/** How many pods wait. */
export function waitingCount(): i32 {
  return waiting;
}

/** Puts the pod into the pool. False when the pool is full: the caller must drop the pod. */
export function addWaiting(pod: Pod): bool {
  if (waiting >= MAX_WAITING_PODS) {
    forgotten = true;
    return false;
  }
  linkPod(bucketOf(pod.ownerUid), pod);
  if (has(pod, POD_ORPHAN)) linkOrphan(pod);
  ++waiting;
  return true;
}

export function removeWaiting(pod: Pod): void {
  unlinkPod(bucketOf(pod.ownerUid), pod);
  unlinkOrphan(pod);
  --waiting;
}

/**
 * Gives the Job the pods that waited for it. True when some may have been forgotten: then the pods must be listed
 * again.
 */
export function adoptWaiting(job: Job): bool {
  let pod = load<Pod | null>(bucketOf(job.uid));
  while (pod !== null) {
    const next = pod.next;
    if (blobsEqual(pod.ownerUid, job.uid) && !has(pod, POD_ORPHAN)) {
      if (selectsKept(job, pod)) {
        removeWaiting(pod);
        pod.ownerUid = dropBlob(pod.ownerUid);
        judgePod(job, pod, keptEvidence(pod.evidence));
        dropEvidence(pod);
        attachPod(job, pod);
      } else {
        pod.markUnselected();
      }
    }
    pod = next;
  }
  job.expectClaims();
  const incomplete = forgotten;
  forgotten = false;
  return incomplete;
}

/**
 * Calls `visit` for the pods that wait for this Job. Pods of other owners may be among them. `visit` may take its pod
 * out of the pool.
 */
export function forEachWaitingFor(job: Job, visit: (job: Job, pod: Pod) => void): void {
  visitAll(job, visit, 0);
}

/** Calls `visit` for the same pods, and for each orphan that the Job's selector may match. Each pod is visited once. */
export function forEachCandidate(job: Job, visit: (job: Job, pod: Pod) => void): void {
  if (job.selects != SELECTS_BY_LABELS) {
    visitAll(job, visit, 0);
    return;
  }
  visitAll(job, visit, POD_ORPHAN);
  let pod = load<Pod | null>(orphansOf(job.namespace));
  while (pod !== null) {
    const next = pod.nextOrphan;
    if (pod.namespace == job.namespace) visit(job, pod);
    pod = next;
  }
}

// Calls `visit` for the pods in the Job's list that do not have the flag `not`.
function visitAll(job: Job, visit: (job: Job, pod: Pod) => void, not: u32): void {
  let pod = load<Pod | null>(bucketOf(job.uid));
  while (pod !== null) {
    const next = pod.next;
    if (!has(pod, not)) visit(job, pod);
    pod = next;
  }
}

function linkOrphan(pod: Pod): void {
  const list = orphansOf(pod.namespace);
  const after = load<Pod | null>(list);
  pod.nextOrphan = after;
  if (after !== null) after.previousOrphan = pod;
  store<usize>(list, changetype<usize>(pod));
}

// Takes the pod out of its list of orphans. It may no longer be flagged as an orphan; its links say whether it is in
// such a list.
function unlinkOrphan(pod: Pod): void {
  const before = pod.previousOrphan;
  const after = pod.nextOrphan;
  if (before !== null) before.nextOrphan = after;
  else if (load<Pod | null>(orphansOf(pod.namespace)) === pod)
    store<usize>(orphansOf(pod.namespace), changetype<usize>(after));
  if (after !== null) after.previousOrphan = before;
  pod.nextOrphan = null;
  pod.previousOrphan = null;
}

function bucketOf(ownerUid: usize): usize {
  return buckets + (usize(hashBlob(ownerUid) & (BUCKETS - 1)) << alignof<usize>());
}

function orphansOf(namespace: usize): usize {
  return orphans + (usize(hashBlob(namespace) & (NAMESPACE_BUCKETS - 1)) << alignof<usize>());
}
