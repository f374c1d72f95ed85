/**
 * Counts what the rules need: succeeded and failed pods that no stored counter includes yet, the totals with them, the
 * backoff record, and the sets of indexes. It visits only finished pods that hold their finalizer; all else is kept as
 * counters, so a sync costs O(uncounted pods). Source: docs/spec/controller.md 3.1, 3.2 and 3.4.
 */
import { BackoffUpdate } from "../model/backoff";
import { IntervalSet } from "../intervals/intervals";
import { blobAt, blobSize } from "../memory/blob";
import { delayedPod, delayPod, endDelay, endDelayOf, Job } from "../model/job";
import { ABSENT } from "../model/absent";
import { ACTION_FAIL_INDEX, ACTION_IGNORE } from "../model/pod-failure-policy";
import { doubtFailed, refreshCompleted, refreshFailed } from "../model/stored-indexes";
import { noteCompletedRead, noteFailedRead } from "../metrics/observe";
import { zeroed } from "../memory/records";
import { has, isUncounted, PHASE_SUCCEEDED, POD_NOT_DELAYED, POD_NOT_NEEDED } from "../model/pod-state";
import { Pod } from "../model/pod";
import { Sync } from "../model/sync";

const finished = zeroed<BackoffUpdate>();
const storedFailed = zeroed<IntervalSet>();

/** Sets the totals of the sync, and updates the backoff record and the index sets of the Job. */
export function takeStock(job: Job, sync: Sync): void {
  refreshIndexes(job);
  while (!countFinished(job, sync)) {
    doubtFailed(job);
    refreshIndexes(job);
  }
}

// Counts the finished pods. False when an index that was considered failed, but is not stored as failed, has succeeded.
// The caller then recomputes the failed indexes and counts again.
function countFinished(job: Job, sync: Sync): bool {
  let isRevoked = false;
  let newSucceeded = 0;
  let newFailed = 0;
  finished.begin();
  // A pod that starts to wait for its successor leaves this list. A pod that stops waiting is appended, so the loop
  // follows the links as they are now.
  let last: Pod | null = null;
  for (;;) {
    const before = last;
    const pod: Pod | null = before === null ? job.firstFinished : before.nextFinished;
    if (pod === null) break;
    last = pod;
    if (job.spec.indexed && !isInRange(job, pod)) continue;
    const succeeded = pod.phase == PHASE_SUCCEEDED;
    // This holds also for a pod that was recorded as failed while it was being deleted: the pod stays failed, but its
    // index is done.
    if (succeeded && job.spec.indexed && !addCompleted(job, sync, pod.completionIndex)) isRevoked = true;
    if (!succeeded && has(pod, POD_NOT_NEEDED)) continue;
    if (!isUncounted(pod)) {
      if (succeeded) ++newSucceeded;
      else if (pod.policyAction != ACTION_IGNORE) ++newFailed;
    }
    if (job.spec.backoffLimitPerIndex != ABSENT) {
      // The failed indexes are those at the moment of the verdict. A pod that was deleted because of the verdict fails
      // no index.
      if (!succeeded && sync.verdict == 0 && !classifyFailure(job, pod)) {
        last = before;
        if (!isUncounted(pod) && pod.policyAction != ACTION_IGNORE) --newFailed;
      }
      continue;
    }
    // A pod enters the backoff record even if a status from before a restart of this engine already counts it.
    if (!pod.enterBackoff()) continue;
    if (succeeded) finished.succeeded(pod.finishMs);
    else finished.failed(pod.finishMs);
  }
  if (isRevoked) return false;
  finished.applyTo(job.backoff);
  sync.totalFailed = sync.failed + newFailed + job.delayedCounted + sync.uncountedFailed.length;
  sync.totalSucceeded = job.spec.indexed
    ? job.completed.count
    : sync.succeeded + newSucceeded + sync.uncountedSucceeded.length;
  return true;
}

/** Whether the pod's completion index is one of the Job's. */
export function isInRange(job: Job, pod: Pod): bool {
  return pod.completionIndex >= 0 && pod.completionIndex < job.spec.completions;
}

// Adds a succeeded index. False when the index was considered failed, but need not be. An index stays failed if it is
// stored as failed, or was failed when the verdict came: the API server refuses a status that has an index in both
// texts (api.md V101), and the Job would make no progress any more.
function addCompleted(job: Job, sync: Sync, index: i32): bool {
  const wasFailed = job.failed.contains(index);
  if (wasFailed && (sync.verdict != 0 || isStoredAsFailed(job, index))) return true;
  if (job.completed.add(index)) endDelayOf(job, index);
  return !wasFailed;
}

function isStoredAsFailed(job: Job, index: i32): bool {
  storedFailed.parse(blobAt(job.failedText), blobSize(job.failedText), job.spec.completions);
  return storedFailed.contains(index);
}

// Decides about a failed pod of a Job with backoffLimitPerIndex: its index fails for good, or the pod waits for its
// successor (step S19). False when the pod waits: it is then counted with the delayed ones.
function classifyFailure(job: Job, pod: Pod): bool {
  const index = pod.completionIndex;
  if (job.completed.contains(index) || job.failed.contains(index)) return true;
  const counts = pod.policyAction != ACTION_IGNORE;
  if (pod.policyAction == ACTION_FAIL_INDEX || (counts && pod.indexFailures >= job.spec.backoffLimitPerIndex)) {
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

// Of two failed pods with the same index: whether `pod` has the later history.
function succeeds(pod: Pod, other: Pod): bool {
  return absoluteFailures(pod) >= absoluteFailures(other) && !(pod.finishMs < other.finishMs);
}

/** How many failures its index had before this pod, counted and ignored ones. */
export function absoluteFailures(pod: Pod): i32 {
  return pod.indexFailures + pod.indexIgnoredFailures;
}

// Reads the stored texts again, if they are stale.
function refreshIndexes(job: Job): void {
  if (!job.spec.indexed) return;
  if (refreshCompleted(job)) noteCompletedRead(job);
  if (refreshFailed(job)) noteFailedRead(job);
}
