/**
 * The number of the decision that the requests of a sync carry out. It is the decision that the sync made; if it made
 * none, it is the next decision of the Job. The decisions Counted and Ended are recorded only once the status is
 * stored, so requests sent before that name a decision that does not exist yet.
 */
import { Job } from "../model/job";
import { Sync } from "../model/sync";
import { expectDecision } from "../trace/log";
import { isUncountedChanged } from "./status-changes";

/** The decision behind what the sync does now. */
export function causeOf(job: Job, sync: Sync): u32 {
  return sync.decision != 0 ? sync.decision : expectDecision(job);
}

/** The decision behind the status that the sync is about to write. */
export function causeOfWrite(job: Job, sync: Sync): u32 {
  if (sync.interim != 0) return causeOf(job, sync);
  if (sync.terminal != 0) return expectDecision(job);
  if (
    sync.succeeded == job.storedSucceeded &&
    sync.failed == job.storedFailed &&
    (!job.hasUncounted || !isUncountedChanged(job, sync))
  )
    return causeOf(job, sync);
  sync.counting = expectDecision(job);
  return sync.counting;
}

/** The decision behind the removal of finalizers: the end of the Job or its deletion, else that pods are counted. */
export function causeOfRemoval(job: Job, sync: Sync): u32 {
  if (sync.verdict != 0 || job.deleting) return causeOf(job, sync);
  return sync.counting != 0 ? sync.counting : expectDecision(job);
}
