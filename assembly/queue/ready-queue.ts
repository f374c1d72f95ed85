/**
 * Jobs whose sync has requests to hand out, in round-robin order: a Job hands out one request per turn. So a Job with a
 * thousand pods to create does not starve the others.
 */
import { Job, pinJob } from "../model/job";

let first: Job | null = null;
let last: Job | null = null;

/** Puts the Job at the end of the queue, unless it is in it. */
export function makeJobReady(job: Job): void {
  if (job.inReadyQueue) return;
  job.inReadyQueue = true;
  job.nextReady = null;
  // The queue holds the record: a Job may be deleted while it is in the queue.
  pinJob(job);
  const before = last;
  if (before === null) first = job;
  else before.nextReady = job;
  last = job;
}

/** Takes the next Job out of the queue; null: there is none. The caller must unpin the Job. */
export function takeReadyJob(): Job | null {
  const job = first;
  if (job === null) return null;
  first = job.nextReady;
  if (first === null) last = null;
  job.inReadyQueue = false;
  return job;
}

export function hasReadyJobs(): bool {
  return first !== null;
}
