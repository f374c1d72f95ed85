/**
 * Pods that no Job counts: nobody controls them, their Job is over or gone, or its selector does not match them. A Job
 * may adopt them, or they lose their finalizer. Leaves out the requests for that: queue/orphan-queue.ts and
 * sync/claiming.ts. Source: docs/spec/controller.md 2.4, 2.6 and 2.7.
 */
import { blobsEqual, copyOf } from "../memory/blob";
import { detachPod, Job } from "../model/job";
import {
  has,
  holdsFinalizer,
  Pod,
  POD_ABANDONED,
  POD_DELETING,
  POD_ORPHAN,
  POD_OTHER_GROUP,
  POD_UNSELECTED,
} from "../model/pod";
import { nextSelecting, removeSelecting } from "../model/selecting-jobs";
import { addWaiting, forEachCandidate, forEachWaitingFor } from "./waiting-pods";
import { enqueueBatched } from "../queue/job-queue";
import { enqueueOrphan } from "../queue/orphan-queue";
import { dropPod, forgetPod } from "./forget-pod";
import { allSynced, findSource } from "../model/sources";

/**
 * controller.md 2.4: every Job whose selector matches an orphan is synced, but for `not`, which has its own time for
 * that.
 */
export function wakeAdopters(pod: Pod, not: Job | null = null): void {
  for (let job = nextSelecting(pod, null); job !== null; job = nextSelecting(pod, job)) {
    if (job !== not) requestClaims(job);
  }
}

/** The Job looks for pods to adopt and to release. */
export function requestClaims(job: Job): void {
  job.mayClaim = true;
  enqueueBatched(job);
}

/**
 * controller.md 2.6. A pod whose Job is missing keeps its finalizer until the garbage collector deletes the pod or
 * takes the reference off, or until this engine has seen the Job end or go. Without a reference it keeps it while a Job
 * is about to adopt it.
 */
export function considerOrphan(pod: Pod): void {
  if (!holdsFinalizer(pod) || has(pod, POD_UNSELECTED)) return;
  if (has(pod, POD_DELETING) || has(pod, POD_ABANDONED) || (has(pod, POD_ORPHAN) && nextSelecting(pod, null) === null))
    enqueueOrphan(pod);
}

/** The Job adopts no pod any more: those that had their finalizer left for it are nobody's now. */
export function giveUpOrphans(job: Job): void {
  if (!job.isSelecting) return;
  removeSelecting(job);
  if (!allSynced()) return;
  forEachCandidate(job, (_: Job, pod: Pod) => {
    if (has(pod, POD_ORPHAN)) considerOrphan(pod);
  });
}

/**
 * Pods that name the Job, whose selector does not match them, lose their finalizer uncounted. Upstream ignores those of
 * a Job that is being deleted, and they hold a foreground deletion for good.
 */
export function abandonUnselected(job: Job): void {
  forEachWaitingFor(job, (job: Job, pod: Pod) => {
    if (!has(pod, POD_UNSELECTED) || !blobsEqual(pod.ownerUid, job.uid)) return;
    pod.flags = (pod.flags & ~POD_UNSELECTED) | POD_ABANDONED;
    if (!holdsFinalizer(pod) && isShown(pod)) forgetPod(pod, false);
    else if (allSynced()) considerOrphan(pod);
  });
}

// The source has come as far as what is known of the pod: no older event of it will bring it back as new.
function isShown(pod: Pod): bool {
  const source = findSource(pod.source);
  return source === null || pod.resourceVersion <= source.version;
}

/** The Job is over or gone: its pods lose their finalizer uncounted. */
export function releasePods(job: Job): void {
  abandonUnselected(job);
  let pod = job.pods;
  while (pod !== null) {
    const next = pod.next;
    detachPod(job, pod);
    pod.flags |= POD_ABANDONED;
    pod.ownerUid = copyOf(job.uid);
    // Without the finalizer there is nothing left to do for it.
    if ((!holdsFinalizer(pod) && isShown(pod)) || has(pod, POD_OTHER_GROUP) || !addWaiting(pod)) dropPod(pod);
    else if (allSynced()) considerOrphan(pod);
    pod = next;
  }
}
