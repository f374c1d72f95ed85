/**
 * What a status that somebody else has written says about pods. It is noted with the Job until the pod source has shown
 * the same. sync/stale-pods.ts says why, and how long a Job waits for it.
 */
import { Job } from "./job";

/**
 * The version of the Job that is being taken in says something about its pods. `isAll`: nothing is known of them but
 * what their source shows, because the Job is new here.
 */
export function noteTold(job: Job, isAll: bool): void {
  if (job.toldVersion == 0) job.toldWaits = false;
  job.toldVersion = job.resourceVersion;
  job.toldAll = job.toldAll || isAll;
}

/**
 * An own write was answered, and the Job has no newer version. What others had told before the write still counts:
 * `toldBefore` is that version, or 0 for nothing.
 */
export function forgetTold(job: Job, version: u64, toldBefore: u64): void {
  if (version < job.resourceVersion) return;
  clearTold(job);
  job.toldVersion = toldBefore;
}

/** The Job begins to wait for the pods. Their source has taken this many lists until now. */
export function beginToldWait(job: Job, listsTaken: u32): void {
  job.toldWaits = true;
  job.toldAfterLists = listsTaken;
}

/** The version that the pod source has to reach before the next sync; 0: it need not wait. */
export function awaitedVersion(job: Job): u64 {
  return job.toldVersion != 0 && job.toldWaits ? job.toldVersion : 0;
}

/** The pods are clear: nothing that others have told has to be waited for. */
export function clearTold(job: Job): void {
  job.toldVersion = 0;
  job.toldAll = false;
}
