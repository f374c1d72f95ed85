/**
 * What the answers to the engine's own requests say about a pod before the watch shows it: its finalizer is off, it is
 * being deleted, or it does not exist.
 */
import { afterChange, beforeChange } from "../model/job";
import { has, holdsFinalizer, isTerminal, PHASE_FAILED, POD_DELETING } from "../model/pod-state";
import { Pod } from "../model/pod";
import { wallNow } from "../time/now";

/** The finalizer counts as removed from now on, because the answer to the patch said so. */
export function noteFinalizerRemoved(pod: Pod): void {
  if (!holdsFinalizer(pod)) return;
  const job = pod.job;
  if (job !== null) beforeChange(job, pod);
  pod.markFinalizerRemoved(pod.resourceVersion);
  if (job !== null) afterChange(job, pod);
}

/**
 * The pod counts as being deleted, because the answer to a DELETE said so. No further event of the pod may come. A
 * deletion cannot be undone, so ingest/apply-pod.ts leaves the flag set.
 */
export function noteDeleting(pod: Pod): void {
  const job = pod.job;
  if (job !== null) beforeChange(job, pod);
  if (!has(pod, POD_DELETING)) pod.markDeleting(wallNow(), 0);
  if (job !== null) afterChange(job, pod);
}

/**
 * The server says that there is no such pod. The record stays until the watch says so too: an older event may still
 * come, and would make the pod look new. Until then the pod counts as ended and without its finalizer. A newer event
 * that is already on its way may show that the pod runs. Then it counts as active again, until the watch or the next
 * 404 says that it is gone.
 */
export function noteVanished(pod: Pod): void {
  const job = pod.job;
  if (job !== null) beforeChange(job, pod);
  pod.markFinalizerRemoved(u64.MAX_VALUE);
  if (!isTerminal(pod)) pod.phase = PHASE_FAILED;
  if (job !== null) afterChange(job, pod);
}
