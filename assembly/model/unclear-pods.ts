/**
 * Pods of a Job that may exist although no source has shown them, because the answer to their creation was lost. The
 * Job creates no others until it is known which pods it has. steps/list-pods.ts lists them.
 */
import { Job } from "./job";

/** The answer to a creation was lost. The pods have to be listed. */
export function markPodsUnclear(job: Job): void {
  job.podsUnclear = true;
}

/**
 * The pods are listed. The list may not have all of them: then they are clear when the pod source has reached
 * `untilVersion`. 0: it has all.
 */
export function markPodsListed(job: Job, untilVersion: u64): void {
  job.podsUnclear = false;
  job.podsUnclearUntilVersion = untilVersion;
}

/** The pod source has reached this version. */
export function notePodsShown(job: Job, version: u64): void {
  if (version >= job.podsUnclearUntilVersion) job.podsUnclearUntilVersion = 0;
}

/** Whether there may be a pod that no source has shown. */
export function arePodsUnclear(job: Job): bool {
  return job.podsUnclear || job.podsUnclearUntilVersion != 0;
}
