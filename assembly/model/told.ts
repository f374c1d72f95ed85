/**
 * What a status that somebody else has written tells of pods, noted with its Job until the pod source has shown as
 * much. Why, and how long a Job waits for it: sync/stale-pods.ts.
 */
import { Job } from "./job";

/**
 * The version of the Job that is being taken in tells of pods. `isAll`: nothing is known of them but what their source
 * shows.
 */
export function noteTold(job: Job, isAll: bool): void {
  if (job.toldVersion == 0) job.toldWaits = false;
  job.toldVersion = job.resourceVersion;
  job.toldAll = job.toldAll || isAll;
}

/** An own write was answered, and is what the Job is now. What others had told before it (0: nothing) still counts. */
export function forgetTold(job: Job, version: u64, toldBefore: u64): void {
  if (version < job.resourceVersion) return;
  clearTold(job);
  job.toldVersion = toldBefore;
}

/** The version that the pod source has to reach before the next sync; 0: it need not. */
export function awaitedVersion(job: Job): u64 {
  return job.toldVersion != 0 && job.toldWaits ? job.toldVersion : 0;
}

/** The pods are clear. */
export function clearTold(job: Job): void {
  job.toldVersion = 0;
  job.toldAll = false;
}
