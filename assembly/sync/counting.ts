/**
 * What the rules count: succeeded and failed pods that no stored counter has yet, the totals with them, and the
 * back-off record and the sets of indexes. Only pods that are over and hold their finalizer are looked at; everything
 * else is kept as counters. Source: docs/spec/controller.md 3.1, 3.2 and 3.4.
 */
import { BackoffUpdate } from "../model/backoff";
import { IntervalSet } from "../intervals/intervals";
import { blobAt, blobSize } from "../memory/blob";
import { delayedPod, delayPod, endDelay, endDelayOf, Job, NOT_COMPARED } from "../model/job";
import { ABSENT } from "../model/absent";
import { ACTION_FAIL_INDEX, ACTION_IGNORE } from "../model/pod-failure-policy";
import { noteIndexesRead } from "../metrics/observe";
import { zeroed } from "../memory/records";
import { has, isUncounted, PHASE_SUCCEEDED, Pod, POD_IN_BACKOFF, POD_NOT_DELAYED, POD_NOT_NEEDED } from "../model/pod";
import { Sync } from "../model/sync";

const finished = zeroed<BackoffUpdate>();
const storedFailed = zeroed<IntervalSet>();

/** Sets the totals of the sync, and brings the back-off record and the index sets of the Job up to date. */
export function takeStock(job: Job, sync: Sync): void {
  refreshIndexes(job);
  while (!countFinished(job, sync)) {
    job.failedIsStale = true;
    refreshIndexes(job);
  }
}

// False when an index that was taken for failed, and not yet stored as such, has succeeded: then the failed ones have
// to be told anew, and all is counted again.
function countFinished(job: Job, sync: Sync): bool {
  let isRevoked = false;
  let newSucceeded = 0;
  let newFailed = 0;
  finished.begin();
  // A pod that begins to wait for its successor leaves the list, and one that waits no longer comes back at its end.
  let last: Pod | null = null;
  for (;;) {
    const before = last;
    const pod: Pod | null = before === null ? job.firstFinished : before.nextFinished;
    if (pod === null) break;
    last = pod;
    if (job.indexed && !isInRange(job, pod)) continue;
    const succeeded = pod.phase == PHASE_SUCCEEDED;
    // Even that of a pod that was recorded as failed while it was being deleted: the pod stays failed, the index is
    // done.
    if (succeeded && job.indexed && !addCompleted(job, sync, pod.completionIndex)) isRevoked = true;
    if (!succeeded && has(pod, POD_NOT_NEEDED)) continue;
    if (!isUncounted(pod)) {
      if (succeeded) ++newSucceeded;
      else if (pod.policyAction != ACTION_IGNORE) ++newFailed;
    }
    if (job.backoffLimitPerIndex != ABSENT) {
      // The failed indexes are those of the moment of the verdict: what was deleted for it fails no index.
      if (!succeeded && sync.verdict == 0 && !classifyFailure(job, pod)) {
        last = before;
        if (!isUncounted(pod) && pod.policyAction != ACTION_IGNORE) --newFailed;
      }
      continue;
    }
    // Also one that was written down before a restart of this engine.
    if (has(pod, POD_IN_BACKOFF)) continue;
    pod.flags |= POD_IN_BACKOFF;
    if (succeeded) finished.succeeded(pod.finishMs);
    else finished.failed(pod.finishMs);
  }
  if (isRevoked) return false;
  finished.applyTo(job.backoff);
  sync.totalFailed = sync.failed + newFailed + job.delayedCounted + sync.uncountedFailed.length;
  sync.totalSucceeded = job.indexed
    ? job.completed.count
    : sync.succeeded + newSucceeded + sync.uncountedSucceeded.length;
  return true;
}

/** The pod's completion index is one of the Job's. */
export function isInRange(job: Job, pod: Pod): bool {
  return pod.completionIndex >= 0 && pod.completionIndex < job.completions;
}

// An index that is stored as failed stays so, or was failed when the verdict came: the API server refuses one that is
// in both texts (api.md V101), and would hang the Job. False when it was taken for failed, and is not.
function addCompleted(job: Job, sync: Sync, index: i32): bool {
  const wasFailed = job.failed.contains(index);
  if (wasFailed && (sync.verdict != 0 || isStoredAsFailed(job, index))) return true;
  if (job.completed.add(index)) endDelayOf(job, index);
  return !wasFailed;
}

function isStoredAsFailed(job: Job, index: i32): bool {
  storedFailed.parse(blobAt(job.failedText), blobSize(job.failedText), job.completions);
  return storedFailed.contains(index);
}

// For a failed pod of a Job with backoffLimitPerIndex: its index fails for good, or the pod waits for its successor
// (step S19). False when it waits, and counts among the delayed ones.
function classifyFailure(job: Job, pod: Pod): bool {
  const index = pod.completionIndex;
  if (job.completed.contains(index) || job.failed.contains(index)) return true;
  const counts = pod.policyAction != ACTION_IGNORE;
  if (pod.policyAction == ACTION_FAIL_INDEX || (counts && pod.indexFailures >= job.backoffLimitPerIndex)) {
    job.failed.add(index);
    endDelayOf(job, index);
    return true;
  }
  if (has(pod, POD_NOT_DELAYED) || job.indexes!.isHeld(index)) return true;
  const other = delayedPod(job, index);
  if (other !== null) {
    if (!succeeds(pod, other)) return true;
    endDelay(job, other);
  }
  delayPod(job, pod);
  return false;
}

// Of two failed pods of one index the one that carries the later history.
function succeeds(pod: Pod, other: Pod): bool {
  return absoluteFailures(pod) >= absoluteFailures(other) && !(pod.finishMs < other.finishMs);
}

/** Failures of its index before this pod, counted and ignored ones. */
export function absoluteFailures(pod: Pod): i32 {
  return pod.indexFailures + pod.indexIgnoredFailures;
}

// The stored texts, read with the completions of now: indexes that a smaller Job dropped come back as pending.
function refreshIndexes(job: Job): void {
  if (!job.indexed) return;
  if (job.completedIsStale) {
    job.completed.parse(blobAt(job.completedText), blobSize(job.completedText), job.completions);
    job.comparedCount = NOT_COMPARED;
    job.indexes!.restart();
  }
  if (job.failedIsStale) {
    job.failed.parse(blobAt(job.failedText), blobSize(job.failedText), job.completions);
    job.indexes!.restart();
  }
  noteIndexesRead(job);
  job.completedIsStale = false;
  job.failedIsStale = false;
}
