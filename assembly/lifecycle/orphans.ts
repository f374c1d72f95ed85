/**
 * Pods that no Job counts: they have no controller, their Job has ended or is gone, or its selector does not match
 * them. A Job may adopt such a pod, or the pod loses its finalizer. queue/orphan-queue.ts and sync/claiming.ts choose
 * when, and steps/ sends the requests. Source: docs/spec/controller.md 2.4, 2.6 and 2.7.
 */
import { blobsEqual, copyOf } from "../memory/blob";
import { detachPod, Job } from "../model/job";
import {
  has,
  holdsFinalizer,
  POD_ABANDONED,
  POD_DELETING,
  POD_ORPHAN,
  POD_OTHER_GROUP,
  POD_UNSELECTED,
} from "../model/pod-state";
import { Pod } from "../model/pod";
import { nextSelecting, removeSelecting } from "../model/selecting-jobs";
import { addWaiting, forEachCandidate, forEachWaitingFor } from "./waiting-pods";
import { enqueueBatched } from "../queue/job-queue";
import { enqueueOrphan } from "../queue/orphan-queue";
import { dropPod, forgetPod } from "./forget-pod";
import { allSynced, findSource } from "../model/sources";

/**
 * Syncs every Job whose selector matches this orphan (controller.md 2.4). `not` is skipped, because that Job has its
 * own retry time.
 */
export function wakeAdopters(pod: Pod, not: Job | null = null): void {
  for (let job = nextSelecting(pod, null); job !== null; job = nextSelecting(pod, job)) {
    if (job !== not) requestClaims(job);
  }
}

/** Makes the Job look for pods to adopt and to release. */
export function requestClaims(job: Job): void {
  job.expectClaims();
  enqueueBatched(job);
}

/**
 * Removes the finalizer of a pod that no Job counts, if it is time for that (controller.md 2.6). A pod whose Job is
 * missing keeps its finalizer until the garbage collector deletes the pod or removes the owner reference, or until this
 * engine has seen the Job end or go. A pod without a reference keeps it as long as some Job may adopt it.
 */
export function considerOrphan(pod: Pod): void {
  if (!holdsFinalizer(pod) || has(pod, POD_UNSELECTED)) return;
  if (has(pod, POD_DELETING) || has(pod, POD_ABANDONED) || (has(pod, POD_ORPHAN) && nextSelecting(pod, null) === null))
    enqueueOrphan(pod);
}

/** The Job adopts no more pods. Orphans that kept their finalizer only for this Job may now lose it. */
export function giveUpOrphans(job: Job): void {
  if (!job.isSelecting) return;
  removeSelecting(job);
  if (!allSynced()) return;
  forEachCandidate(job, (_: Job, pod: Pod) => {
    if (has(pod, POD_ORPHAN)) considerOrphan(pod);
  });
}

/**
 * Pods that name the Job, but that its selector does not match, lose their finalizer uncounted. Upstream ignores such
 * pods when their Job is being deleted, and they then block a foreground deletion for ever.
 */
export function abandonUnselected(job: Job): void {
  forEachWaitingFor(job, (job: Job, pod: Pod) => {
    if (!has(pod, POD_UNSELECTED) || !blobsEqual(pod.ownerUid, job.uid)) return;
    pod.abandon();
    if (!holdsFinalizer(pod) && isShown(pod)) forgetPod(pod, false);
    else if (allSynced()) considerOrphan(pod);
  });
}

// Whether the source has reached the known version of the pod. Then no older event can make the pod look new.
function isShown(pod: Pod): bool {
  const source = findSource(pod.source);
  return source === null || pod.resourceVersion <= source.version;
}

/** The Job is over or gone, so its pods lose their finalizer uncounted. */
export function releasePods(job: Job): void {
  abandonUnselected(job);
  let pod = job.pods;
  while (pod !== null) {
    const next = pod.next;
    detachPod(job, pod);
    pod.abandon();
    pod.ownerUid = copyOf(job.uid);
    // A pod without the finalizer needs nothing more.
    if ((!holdsFinalizer(pod) && isShown(pod)) || has(pod, POD_OTHER_GROUP) || !addWaiting(pod)) dropPod(pod);
    else if (allSynced()) considerOrphan(pod);
    pod = next;
  }
}
