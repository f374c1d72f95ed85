/**
 * Which status, written by another client, says more about pods than the pod source has shown. The Job keeps the
 * version of that status until the source has reached it. sync/stale-pods.ts says why, and how long a Job waits.
 */
import { Job } from "./job";

/**
 * Call when the version of the Job that is being read counts further pods. `isFirst`: the Job is new to the engine,
 * which therefore knows of its pods only what their source shows.
 */
export function noteForeignStatus(job: Job, isFirst: bool): void {
  if (job.foreignVersion == 0) job.awaitsForeignVersion = false;
  job.foreignVersion = job.resourceVersion;
  job.foreignIsFirst = job.foreignIsFirst || isFirst;
}

/**
 * Call when the server has answered the engine's own write with `version`. A newer version of the Job is kept. A
 * foreign version from before the write still counts: `versionBefore`, or 0 for none.
 */
export function forgetForeignStatus(job: Job, version: u64, versionBefore: u64): void {
  if (version < job.resourceVersion) return;
  clearForeignStatus(job);
  job.foreignVersion = versionBefore;
}

/** The Job begins to wait for its pods. `listsTaken` is how many lists their source has taken so far. */
export function beginForeignWait(job: Job, listsTaken: u32): void {
  job.awaitsForeignVersion = true;
  job.foreignListsTaken = listsTaken;
}

/** The version that the pod source has to reach before the next sync; 0: the sync need not wait. */
export function awaitedVersion(job: Job): u64 {
  return job.foreignVersion != 0 && job.awaitsForeignVersion ? job.foreignVersion : 0;
}

/** The pods are clear: no foreign status has to be waited for. */
export function clearForeignStatus(job: Job): void {
  job.foreignVersion = 0;
  job.foreignIsFirst = false;
}
