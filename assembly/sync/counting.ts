/**
 * What the rules count: succeeded and failed pods that no stored counter has yet, the totals with them, and the
 * back-off record. Only pods that are over and hold their finalizer are looked at; everything else is kept as counters.
 * Source: docs/spec/controller.md 3.1, 3.2 and 3.4.
 */
import { BackoffUpdate } from "../backoff";
import { blobAt, blobSize } from "../model/blob";
import { Job, NOT_COMPARED } from "../model/job";
import { zeroed } from "../model/memory";
import { has, PHASE_SUCCEEDED, Pod, POD_IN_BACKOFF, POD_UNCOUNTED_FAILED, POD_UNCOUNTED_SUCCEEDED } from "../model/pod";
import { Sync } from "./sync";

const finished = zeroed<BackoffUpdate>();

/** Sets the totals of the sync, and brings the back-off record and the completed indexes of the Job up to date. */
export function takeStock(job: Job, sync: Sync): void {
  refreshCompleted(job);
  let newSucceeded = 0;
  let newFailed = 0;
  finished.begin();
  let next = job.firstFinished;
  while (next !== null) {
    const pod = next;
    next = pod.nextFinished;
    if (job.indexed && !isInRange(job, pod)) continue;
    const succeeded = pod.phase == PHASE_SUCCEEDED;
    // Even that of a pod that was recorded as failed while it was being deleted: the pod stays failed, the index is done.
    if (succeeded && job.indexed) job.completed!.add(pod.completionIndex);
    if (has(pod, POD_UNCOUNTED_SUCCEEDED) || has(pod, POD_UNCOUNTED_FAILED)) continue;
    if (succeeded) ++newSucceeded;
    else ++newFailed;
    if (has(pod, POD_IN_BACKOFF)) continue;
    pod.flags |= POD_IN_BACKOFF;
    if (succeeded) finished.succeeded(pod.finishMs);
    else finished.failed(pod.finishMs);
  }
  finished.applyTo(job.backoff!);
  sync.totalFailed = sync.failed + newFailed + sync.uncountedFailed.length;
  sync.totalSucceeded = job.indexed ? job.completed!.count : sync.succeeded + newSucceeded + sync.uncountedSucceeded.length;
}

/** The pod's completion index is one of the Job's. */
export function isInRange(job: Job, pod: Pod): bool {
  return pod.completionIndex >= 0 && pod.completionIndex < job.completions;
}

// The stored text, read with the completions of now: indexes that a smaller Job dropped come back as pending.
function refreshCompleted(job: Job): void {
  if (!job.indexed || !job.completedIsStale) return;
  job.completedIsStale = false;
  const completed = job.completed!;
  completed.clear();
  completed.parse(blobAt(job.completedText), blobSize(job.completedText), job.completions);
  job.comparedCount = NOT_COMPARED;
  job.indexes!.restart();
}
