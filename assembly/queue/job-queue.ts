/**
 * When a Job is synced next. Each Job has one due time, and a new reason can only move it earlier. A reason that comes
 * during a sync causes another sync after it. Source: docs/spec/controller.md 2.2 and section 6.
 *
 * Pod events are rate limited by a token bucket: an idle Job is synced at once, and a busy one once in a batch period.
 * Each Job has `syncBurst` tokens, and gets one back every period. Without a token a sync waits until there is one, and
 * takes it. When no pod of the Job is active or terminating any more, waiting gains nothing, and the Job is synced at
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

/** A pod of the Job has changed, or is gone. */
export function enqueueForPod(job: Job): void {
  if (syncBurst > 0 && isLastPodOver(job)) enqueueAt(job, soon());
  else enqueueBatched(job);
}

/** Syncs the Job because of its pods, or because something besides its spec has changed. */
export function enqueueBatched(job: Job): void {
  if (waitsFor(job, soon())) return;
  refillTokens(job);
  const dueMs =
    job.syncTokens < 1 ? now() + min(syncBatchPeriodMs, Math.ceil((1 - job.syncTokens) * syncBatchPeriodMs)) : soon();
  if (waitsFor(job, dueMs)) return;
  // A sync that was due later may have run earlier for another reason. It then owes no token.
  if (syncBurst > 0) job.syncTokens = max(0, job.syncTokens) - 1;
  enqueueAt(job, dueMs);
}

/** Syncs the Job at `dueMs` (on the clock of `now`) or earlier, but not before the moment that a server asked for. */
export function enqueueAt(job: Job, dueMs: f64): void {
  if (job.finished || job.gone) return;
  dueMs = max(dueMs, job.notBeforeMs);
  if (job.sync !== null) {
    // The running sync reads this when it ends.
    if (!job.syncAgain || dueMs < job.dueMs) job.dueMs = dueMs;
    job.syncAgain = true;
    return;
  }
  job.dueKind = DUE_JOB;
  dueNoLaterThan(job, dueMs);
}

/** The server asks to retry after `delayMs`. No sync begins before that. */
export function putOff(job: Job, delayMs: f64): void {
  job.notBeforeMs = max(job.notBeforeMs, now() + delayMs);
}

/** Whether something has happened during the sync that ends now, so that another one is due. It says so once. */
export function takeSyncAgain(job: Job): bool {
  const again = job.syncAgain;
  job.syncAgain = false;
  return again;
}

/** The Job was synced without a failure: resets its retry backoff. */
export function forgetFailures(job: Job): void {
  job.requeues = 0;
}

/** Sets when a finished Job is removed: at the end of its TTL. A change of the TTL takes effect at once. */
export function enqueueRemoval(job: Job): void {
  if (job.gone || job.sync !== null) return;
  neverDue(job);
  if (!removesFinished || isNaN(job.spec.ttlMs) || job.deleting || (job.managedBy != 0 && isSpecialManager())) return;
  const result = findTerminal(job.conditions);
  if (result === null || isNaN(result.transitionMs)) return;
  job.dueKind = DUE_REMOVAL;
  dueNoLaterThan(job, max(now(), fromWall(result.transitionMs + job.spec.ttlMs)));
}

/** The removal failed. It is tried again later, after `atLeastMs` or more. */
export function enqueueRemovalRetry(job: Job, atLeastMs: f64): void {
  if (job.gone) return;
  job.dueKind = DUE_REMOVAL;
  noteRetry(DUE_REMOVAL);
  dueNoLaterThan(job, now() + max(atLeastMs, retryDelayMs(job.requeues++)));
}

/**
 * Tries a failed sync again after 1 s, 2 s, 4 s … up to a minute, or later if the server asked for that. A sync that
 * another reason causes before that does not lengthen the delay, even if it fails. Returns the delay in milliseconds.
 */
export function enqueueRetry(job: Job): f64 {
  noteRetry(DUE_JOB);
  if (job.requeues == 0 || job.retryMs <= now()) job.retryMs = now() + retryDelayMs(job.requeues++);
  enqueueAt(job, job.retryMs);
  return max(job.notBeforeMs, job.retryMs) - now();
}

/**
 * A watch has shown the Job, or a pod of it, as a sync wrote it. If that sync failed in another request, the next one
 * comes a batch period later and does not wait for the end of the retry backoff: the API server takes writes.
 */
export function retrySooner(job: Job): void {
  if (job.requeues > 0) enqueueAt(job, now() + syncBatchPeriodMs);
}

/** How long to wait before the next try, in milliseconds. `failures` is how many tries have failed before this one. */
export function retryDelayMs(failures: i32): f64 {
  return min(syncRetryMaxMs, syncRetryBaseMs * f64(u64(1) << min(failures, MAX_DOUBLINGS)));
}

/**
 * Whether the Job gets too many pod events for its tokens. Then the next sync has to wait, mostly for the end of the
 * period. Call it for a Job in a sync.
 */
export function isBusy(job: Job): bool {
  return job.syncAgain && job.syncTokens < 1 && job.dueMs <= now() + syncBatchPeriodMs;
}

// Whether the Job waits for that moment, or an earlier one, already. That sync then serves this reason, too.
function waitsFor(job: Job, dueMs: f64): bool {
  const pending = job.sync !== null ? job.syncAgain : job.place != 0;
  return pending && job.dueMs <= dueMs;
}

// Whether the last pod has ended: the stored status shows active or terminating pods, and now there are none. This does
// not shorten the retry backoff of a failing Job.
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
