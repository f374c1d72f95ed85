/** How a Job goes: it is over and keeps its result alone, or it is not there any more. */
import { endAllDelays, freeLiveState, Job, keepOnlyResult, removeJob } from "../model/job";
import { enqueueRemoval } from "../queue/job-queue";
import { neverDue } from "../queue/due-heap";
import { abandonSync } from "../model/sync";
import { giveUpOrphans, releasePods } from "./orphans";

/** The Job is gone: nothing more is done for it, and its pods lose their finalizer without being counted. */
export function forgetJob(job: Job): void {
  abandonSync(job);
  giveUpOrphans(job);
  releasePods(job);
  neverDue(job);
  removeJob(job);
}

/**
 * A finished Job is never touched again; pods that still have the finalizer lose it, unless they are another
 * controller's.
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

/** Frees what a finished Job no longer needs, once its last sync is over. */
export function retireIfFinished(job: Job): void {
  if (job.finished && !job.gone) retire(job);
}

/** Pods are no longer counted for this Job. */
export function isOver(job: Job): bool {
  return job.finished && job.managedBy == 0;
}
