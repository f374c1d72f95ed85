/**
 * Whether the status that a sync has computed differs from the stored one, as a whole and field by field. Only fields
 * that differ are written.
 */
import { ABSENT } from "../model/absent";
import { Job } from "../model/job";
import { isCompletedStored, isFailedStored } from "../model/stored-indexes";
import { Sync } from "../model/sync";

/** Whether the status that the sync wants differs from the stored one. */
export function isStatusChanged(job: Job, sync: Sync): bool {
  if (sync.interim != 0 || sync.terminal != 0) return true;
  if (job.active != job.storedActive || job.ready != job.storedReady || job.terminating != job.storedTerminating)
    return true;
  if (sync.succeeded != job.storedSucceeded || sync.failed != job.storedFailed) return true;
  if (!job.hasUncounted || isUncountedChanged(job, sync)) return true;
  return isCompletedTextChanged(job) || isFailedTextChanged(job);
}

export function isUncountedChanged(job: Job, sync: Sync): bool {
  return !sync.uncountedSucceeded.equals(job.uncountedSucceeded) || !sync.uncountedFailed.equals(job.uncountedFailed);
}

export function isCompletedTextChanged(job: Job): bool {
  return job.spec.indexed && !isCompletedStored(job);
}

/**
 * Whether the text has to be written. The field failedIndexes is there, though it may be empty, exactly for a Job with
 * backoffLimitPerIndex.
 */
export function isFailedTextChanged(job: Job): bool {
  if (job.spec.backoffLimitPerIndex == ABSENT) return job.failedText != 0;
  return job.failedText == 0 || !isFailedStored(job);
}
