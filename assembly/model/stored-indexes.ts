/**
 * The texts of status.completedIndexes and status.failedIndexes as stored, and whether a Job's sets of indexes agree
 * with them. A text is stale when another client may have written it, or when the range of indexes has changed: the set
 * then has to be parsed from it again. That is expensive for large Jobs, so only a sync does it, lazily.
 */
import { blobAt, blobsEqual, blobSize, freeBlob } from "../memory/blob";
import { Job, NOT_COMPARED } from "./job";

/** Takes ownership of the texts of a newer status, as blobs. `rangeChanged`: spec.completions has changed. */
export function takeIndexTexts(job: Job, completed: usize, failed: usize, rangeChanged: bool): void {
  if (blobsEqual(job.completedText, completed)) {
    freeBlob(completed);
  } else {
    freeBlob(job.completedText);
    job.completedText = completed;
    job.comparedCount = NOT_COMPARED;
  }
  // If this engine has written the text itself, it knows these indexes already.
  if (rangeChanged || !isCompletedStored(job)) job.completedIsStale = true;
  freeBlob(job.failedText);
  job.failedText = failed;
  if (rangeChanged || !isFailedStored(job)) job.failedIsStale = true;
}

/**
 * Whether the stored status has all completed indexes that are known: its text must be that of the set, byte for byte.
 */
export function isCompletedStored(job: Job): bool {
  const completed = job.completed;
  // The comparison reads the whole text, which may have a hundred kilobytes, so its result is cached for each state of
  // the set.
  if (job.comparedCount != completed.count) {
    job.comparedEqual = completed.equalsText(blobAt(job.completedText), blobSize(job.completedText));
    job.comparedCount = completed.count;
  }
  return job.comparedEqual;
}

/** Whether the stored text is that of the failed indexes that are known. An absent text is like an empty one. */
export function isFailedStored(job: Job): bool {
  return job.failed.equalsText(blobAt(job.failedText), blobSize(job.failedText));
}

/** The failed indexes that are known are wrong. They have to be read again. */
export function doubtFailed(job: Job): void {
  job.failedIsStale = true;
}

/**
 * Reads the completed indexes again, if their text is stale. Indexes that a smaller Job had dropped become pending
 * again. True when they were read.
 */
export function refreshCompleted(job: Job): bool {
  if (!job.completedIsStale) return false;
  job.completedIsStale = false;
  job.completed.parse(blobAt(job.completedText), blobSize(job.completedText), job.spec.completions);
  job.comparedCount = NOT_COMPARED;
  job.indexes!.restart();
  return true;
}

/** Reads the failed indexes again, if their text is stale. True when they were read. */
export function refreshFailed(job: Job): bool {
  if (!job.failedIsStale) return false;
  job.failedIsStale = false;
  job.failed.parse(blobAt(job.failedText), blobSize(job.failedText), job.spec.completions);
  job.indexes!.restart();
  return true;
}
