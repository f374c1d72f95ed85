/**
 * Finished Jobs whose ttlSecondsAfterFinished is over are deleted: the Job is read once more, for its time to live may
 * have been raised and it may have been made anew, and then deleted in the foreground if it is still the same. Source:
 * docs/spec/controller.md section 10.
 */
import { findTerminal } from "../model/condition";
import { Job } from "../model/job";
import { zeroed } from "../memory/records";
import { UidList } from "../model/uid-list";
import { enqueueRemoval, enqueueRemovalRetry } from "../queue/job-queue";
import { makeJobReady } from "../queue/ready-queue";
import { fromWall, now } from "../time/now";
import { endRemoval } from "./sync";
import { PHASE_READ_AGAIN, PHASE_REMOVE, Sync } from "../model/sync";

/** The time to live is over. */
export function startRemoval(job: Job): void {
  if (!job.finished || job.gone || job.deleting || job.sync !== null) return;
  const sync = zeroed<Sync>();
  sync.uncountedSucceeded = zeroed<UidList>();
  sync.uncountedFailed = zeroed<UidList>();
  sync.enter(PHASE_READ_AGAIN);
  job.sync = sync;
  makeJobReady(job);
}

/** The Job was read again, or deleted: what comes next. */
export function advanceRemoval(job: Job, sync: Sync): void {
  if (!sync.isFailed && !sync.isBroken && sync.phase == PHASE_READ_AGAIN && isExpired(job)) {
    sync.enter(PHASE_REMOVE);
    return;
  }
  const failed = sync.isFailed;
  const retryAfterMs = sync.retryAfterMs;
  const removed = sync.phase == PHASE_REMOVE || sync.isBroken;
  endRemoval(job, sync);
  if (failed) enqueueRemovalRetry(job, retryAfterMs);
  else if (!removed) enqueueRemoval(job);
}

function isExpired(job: Job): bool {
  const result = findTerminal(job.conditions);
  if (job.deleting || isNaN(job.ttlMs) || result === null || isNaN(result.transitionMs)) return false;
  return fromWall(result.transitionMs + job.ttlMs) <= now();
}
