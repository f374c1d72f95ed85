/** The end of a Job's record: a finished Job keeps only its result, and a deleted one is removed. */
import { endAllDelays, freeLiveState, Job, keepOnlyResult, removeJob } from "../model/job";
import { enqueueRemoval } from "../queue/job-queue";
import { neverDue } from "../queue/due-heap";
import { abandonSync } from "../model/sync";
import { giveUpOrphans, releasePods } from "./orphans";

/** The Job is gone. Nothing more is done for it, and its pods lose their finalizer without being counted. */
export function forgetJob(job: Job): void {
  abandonSync(job);
  giveUpOrphans(job);
  releasePods(job);
  neverDue(job);
  removeJob(job);
}

/**
 * Reduces a finished Job to its result; it is never acted on again until its removal. Its pods lose the finalizer that
 * they still have, unless another controller runs the Job.
 */
export function retire(job: Job): void {
  if (job.sync !== null) return;
  giveUpOrphans(job);
  if (isOver(job)) releasePods(job);
  else endAllDelays(job);
  freeLiveState(job);
  keepOnlyResult(job);
  enqueueRemoval(job);
}

/** Frees what a finished Job no longer needs. Its last sync must be over. */
export function retireIfFinished(job: Job): void {
  if (job.finished && !job.gone) retire(job);
}

/** Whether pods are no longer counted for this Job. */
export function isOver(job: Job): bool {
  return job.finished && job.managedBy == 0;
}
