/**
 * Which decision the requests of a sync carry out, by its number. It is the one that the sync has made; if it has made
 * none, what it does is told by the next decision of the Job. What is counted, and how the Job ended, is told only when
 * it is stored (Counted, Ended).
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
