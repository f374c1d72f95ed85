/** A Job stops when an object of it cannot be read, and goes on when that can be read again, or is gone. */
import { freeBlob } from "../memory/blob";
import { Job } from "../model/job";
import { enqueueNow } from "../queue/job-queue";

/** The object that could not be read can be read now, or is gone. */
export function resumeJob(job: Job): void {
  freeBlob(job.unreadable);
  freeBlob(job.unreadableUid);
  job.unreadable = 0;
  job.unreadableUid = 0;
  enqueueNow(job);
}
