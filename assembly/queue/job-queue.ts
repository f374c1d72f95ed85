/**
 * When a Job is looked at again. Each Job waits for one moment, and a new reason only moves it earlier; a reason that
 * comes during a sync calls for another one after it. Source: docs/spec/controller.md 2.2 and section 6.
 *
 * Pod events are batched: a quiet Job is synced at once, and a busy one once a batch period. Each Job has a few tokens
 * for syncs, and gets one back every period; without one a sync waits until there is one, and takes that. When the last
 * pod of a Job is over, so that none is active or terminating, there is nothing more to gather: that is acted on at
 * once.
 */
import {
  isSpecialManager,
  removesFinished,
  syncBatchPeriodMs,
  syncBurst,
  syncCoalesceMs,
  syncRetryBaseMs,
  syncRetryMaxMs,
} from "../model/configuration";
import { noteRetry } from "../metrics/observe";
import { Job } from "../model/job";
import { findTerminal } from "../model/condition";
import { fromWall, now } from "../time/now";
import { dueNoLaterThan, neverDue } from "./due-heap";
import { DUE_JOB, DUE_REMOVAL } from "../model/due";

const MAX_DOUBLINGS: i32 = 30;

export function enqueueNow(job: Job): void {
  enqueueAt(job, now());
}

/** A pod has changed, or is gone. */
export function enqueueForPod(job: Job): void {
  if (syncBurst > 0 && isLastPodOver(job)) enqueueAt(job, soon());
  else enqueueBatched(job);
}

/** For what pods have done, and for changes of a Job that its spec has no part in. */
export function enqueueBatched(job: Job): void {
  if (waitsFor(job, soon())) return;
  refillTokens(job);
  const dueMs =
    job.syncTokens < 1 ? now() + min(syncBatchPeriodMs, Math.ceil((1 - job.syncTokens) * syncBatchPeriodMs)) : soon();
  if (waitsFor(job, dueMs)) return;
  // A sync that was to wait and came sooner, for another reason, owes nothing.
  if (syncBurst > 0) job.syncTokens = max(0, job.syncTokens) - 1;
  enqueueAt(job, dueMs);
}

export function enqueueAt(job: Job, dueMs: f64): void {
  if (job.finished || job.gone) return;
  dueMs = max(dueMs, job.notBeforeMs);
  if (job.sync !== null) {
    // The sync under way takes it up when it ends.
    if (!job.syncAgain || dueMs < job.dueMs) job.dueMs = dueMs;
    job.syncAgain = true;
    return;
  }
  job.dueKind = DUE_JOB;
  dueNoLaterThan(job, dueMs);
}

/** A finished Job with a time to live is looked at when that is over; an edit of it counts at once. */
export function enqueueRemoval(job: Job): void {
  if (job.gone || job.sync !== null) return;
  neverDue(job);
  if (!removesFinished || isNaN(job.ttlMs) || job.deleting || (job.managedBy != 0 && isSpecialManager())) return;
  const result = findTerminal(job.conditions);
  if (result === null || isNaN(result.transitionMs)) return;
  job.dueKind = DUE_REMOVAL;
  dueNoLaterThan(job, max(now(), fromWall(result.transitionMs + job.ttlMs)));
}

/** The removal failed: it is tried again later. */
export function enqueueRemovalRetry(job: Job, atLeastMs: f64): void {
  if (job.gone) return;
  job.dueKind = DUE_REMOVAL;
  noteRetry(DUE_REMOVAL);
  dueNoLaterThan(job, now() + max(atLeastMs, retryDelayMs(job.requeues++)));
}

/**
 * After a sync that failed: 1 s, 2 s, 4 s … up to a minute, or later if the server asked for that. A try that something
 * else brought before that time makes no delay longer. Returns the delay in milliseconds.
 */
export function enqueueRetry(job: Job): f64 {
  noteRetry(DUE_JOB);
  if (job.requeues == 0 || job.retryMs <= now()) job.retryMs = now() + retryDelayMs(job.requeues++);
  enqueueAt(job, job.retryMs);
  return max(job.notBeforeMs, job.retryMs) - now();
}

export function retryDelayMs(failures: i32): f64 {
  return min(syncRetryMaxMs, syncRetryBaseMs * f64(u64(1) << min(failures, MAX_DOUBLINGS)));
}

/**
 * So many pod events come that the sync which the latest of them asked for waits, as a rule for the end of its period.
 * Of a Job in a sync.
 */
export function isBusy(job: Job): bool {
  return job.syncAgain && job.syncTokens < 1 && job.dueMs <= now() + syncBatchPeriodMs;
}

// A sync that is due within the period anyway takes a burst of events up.
function waitsFor(job: Job, dueMs: f64): bool {
  const pending = job.sync !== null ? job.syncAgain : job.place != 0;
  return pending && job.dueMs <= dueMs;
}

// The stored status tells of pods that run or end, and there are none any more. What fails is not tried more often for
// it.
function isLastPodOver(job: Job): bool {
  return (job.storedActive > 0 || job.storedTerminating > 0) && job.active + job.terminating == 0 && job.requeues == 0;
}

function soon(): f64 {
  return now() + min(syncCoalesceMs, syncBatchPeriodMs);
}

function refillTokens(job: Job): void {
  const elapsedMs = now() - job.syncTokensAtMs;
  job.syncTokens = job.syncTokensAtMs == 0 ? syncBurst : min(syncBurst, job.syncTokens + elapsedMs / syncBatchPeriodMs);
  job.syncTokensAtMs = now();
}
