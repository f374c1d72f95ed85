/**
 * Jobs whose sync has requests to hand out, first come first served, one request a turn: a Job with a thousand pods to
 * create does not keep the others waiting.
 */
import { Job } from "../model/job";

let first: Job | null = null;
let last: Job | null = null;

export function makeJobReady(job: Job): void {
  if (job.inReadyQueue) return;
  job.inReadyQueue = true;
  job.nextReady = null;
  // The queue holds the record: a Job may be deleted while it stands here.
  ++job.pins;
  const before = last;
  if (before === null) first = job;
  else before.nextReady = job;
  last = job;
}

/** The next Job, taken out of the queue; the caller unpins it. */
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
