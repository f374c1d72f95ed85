/** A Job stops when an object of it cannot be read. Here it goes on. */
import { freeBlob } from "../memory/blob";
import { Job } from "../model/job";
import { enqueueNow } from "../queue/job-queue";

/** The object can be read now, or is gone. The Job goes on. */
export function resumeJob(job: Job): void {
  freeBlob(job.unreadable);
  freeBlob(job.unreadableUid);
  job.unreadable = 0;
  job.unreadableUid = 0;
  enqueueNow(job);
}
