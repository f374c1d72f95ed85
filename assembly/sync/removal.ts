/**
 * Deletes a finished Job once its ttlSecondsAfterFinished has passed. The sync first reads the Job again: its TTL may
 * have been raised, or the Job may have been recreated. If neither is so, the sync deletes the Job in the foreground.
 * Source: docs/spec/controller.md section 10.
 */
import { findTerminal } from "../model/condition";
import { Job } from "../model/job";
import { enqueueRemoval, enqueueRemovalRetry } from "../queue/job-queue";
import { makeJobReady } from "../queue/ready-queue";
import { fromWall, now } from "../time/now";
import * as trace from "../trace";
import { beginSync, freeSync, PHASE_READ_AGAIN, PHASE_REMOVE, Sync } from "../model/sync";

/** The Job's TTL has passed: begins to remove it. */
export function startRemoval(job: Job): void {
  if (!job.finished || job.gone || job.deleting || job.sync !== null) return;
  beginSync(job).enter(PHASE_READ_AGAIN);
  makeJobReady(job);
}

/** The request of the present phase is answered: the Job was read again, or deleted. Continues with the next phase. */
export function advanceRemoval(job: Job, sync: Sync): void {
  if (!sync.isFailed && !sync.isBroken && sync.phase == PHASE_READ_AGAIN && isExpired(job)) {
    const ended = findTerminal(job.conditions)!;
    sync.decision = trace.record(job, trace.REMOVING, 0, job.spec.ttlMs, ended.transitionMs);
    sync.enter(PHASE_REMOVE);
    return;
  }
  const failed = sync.isFailed;
  const retryAfterMs = sync.retryAfterMs;
  const removed = sync.phase == PHASE_REMOVE || sync.isBroken;
  freeSync(job, sync);
  if (failed) enqueueRemovalRetry(job, retryAfterMs);
  else if (!removed) enqueueRemoval(job);
}

function isExpired(job: Job): bool {
  const result = findTerminal(job.conditions);
  if (job.deleting || isNaN(job.spec.ttlMs) || result === null || isNaN(result.transitionMs)) return false;
  return fromWall(result.transitionMs + job.spec.ttlMs) <= now();
}
