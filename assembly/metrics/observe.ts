/**
 * When each metric is counted, in the order of a Job's life. Counters follow what was stored or answered, never what
 * was only requested. Two bugs of upstream are fixed here: a failed creation counts only as failed, and pods count even
 * if their status is written after a failed finalizer patch (docs/differences.md). Source: docs/spec/controller.md
 * sections 9 and 10.
 */
import { ABSENT } from "../model/absent";
import { CONDITION_COMPLETE, findTerminal } from "../model/condition";
import { Job } from "../model/job";
import { Pod } from "../model/pod";
import { ACTION_IGNORE, ACTION_NONE } from "../model/pod-failure-policy";
import { Sync } from "../model/sync";
import { fromWall, now, wallNow } from "../time/now";
import {
  add,
  EXTERNAL_JOBS,
  FAILURES_HANDLED,
  FINISHED_INDEXES,
  JOB_DURATION,
  JOBS_FINISHED,
  lastLabelValue,
  PODS_CREATION,
  PODS_FINISHED,
  QUEUE_ADDS,
  QUEUE_RETRIES,
  REMOVAL_DELAY,
  seriesMet,
  STALE_SYNCS,
  SYNC_DURATION,
  SYNCS,
  TERMINATED_PODS,
} from "./families";
import { SyncMetrics } from "../model/sync-metrics";

// ── places of label values, in the order of the table in families.ts
const ADDED: i32 = 0;
const DELETED: i32 = 1;
const NEW: u8 = 0;
const RECREATE_TERMINATING_OR_FAILED: u8 = 1;
const RECREATE_FAILED: u8 = 2;
const REASONS: i32 = 3;
/** The series with group "" and resource "pods". */
const PODS: i32 = 0;
const JUDGED_ACTIONS: i32 = 4;

/** The resolution of creationTimestamp. */
const SECOND_MS: f64 = 1000;

/**
 * The engine sees the Job for the first time. An earlier controller has already counted what its status counts.
 * `creationMs` is wall time in whole seconds; NaN: unknown.
 */
export function noteNewJob(job: Job, creationMs: f64): void {
  job.createdMs = isNaN(creationMs) ? now() : min(now(), fromWall(creationMs + SECOND_MS));
  job.countedSucceeded = job.storedSucceeded;
  job.countedFailed = job.storedFailed;
  if (job.managedBy != 0) add(EXTERNAL_JOBS, seriesMet(job.managedBy), 1);
}

/**
 * Counts the pods that are over and hold the tracking finalizer. `isTracked` says whether this pod is one of them, as
 * it was shown last. A pod that is gone is not.
 */
export function noteTerminated(pod: Pod, isTracked: bool): void {
  if (pod.countAsTerminated(isTracked)) add(TERMINATED_PODS, isTracked ? ADDED : DELETED, 1);
}

/** An item of this kind (DUE_*) is due. */
export function noteQueued(kind: u8): void {
  add(QUEUE_ADDS, i32(kind) - 1, 1);
}

/** An item of this kind (DUE_*) has failed and is tried again. */
export function noteRetry(kind: u8): void {
  add(QUEUE_RETRIES, i32(kind) - 1, 1);
}

/** No pod is created or deleted, because the pod source has not caught up with a lost answer. */
export function noteStalePods(): void {
  add(STALE_SYNCS, PODS, 1);
}

/** Pods are about to be created. Notes why. */
export function noteCreation(job: Job, sync: Sync): void {
  if (sync.totalFailed > 0 && job.spec.onlyReplaceFailed) sync.creationReason = RECREATE_FAILED;
  else sync.creationReason = sync.totalFailed > 0 || job.terminating > 0 ? RECREATE_TERMINATING_OR_FAILED : NEW;
}

/** A creation was answered. One whose outcome is unknown counts neither as made nor as failed. */
export function noteCreated(sync: Sync | null, failed: bool): void {
  if (sync !== null) add(PODS_CREATION, i32(sync.creationReason) + (failed ? REASONS : 0), 1);
}

/** A rule has decided about a failed pod. `action` says whether and how the pod is about to be counted. */
export function noteJudged(sync: SyncMetrics, action: u8): void {
  if (action == ACTION_NONE) return;
  const count = judged(sync, i32(action - ACTION_IGNORE));
  store<i32>(count, load<i32>(count) + 1);
}

/** What the rules have decided is stored, or need not be. It is counted now. */
export function countJudged(sync: SyncMetrics): void {
  for (let i = 0; i < JUDGED_ACTIONS; ++i) {
    const count = load<i32>(judged(sync, i));
    if (count > 0) add(FAILURES_HANDLED, i, count);
  }
}

function judged(sync: SyncMetrics, place: i32): usize {
  return changetype<usize>(sync) + offsetof<SyncMetrics>("judgedIgnore") + (usize(place) << 2);
}

/** The completed indexes were read from the stored status. They have been counted before. */
export function noteCompletedRead(job: Job): void {
  job.countedSucceeded = job.completed.count;
}

/** The failed indexes were read from the stored status. They have been counted before. */
export function noteFailedRead(job: Job): void {
  job.countedFailedIndexes = job.failed.count;
}

/**
 * A status was stored, and its counters went up. For an Indexed Job the indexes are counted, because `succeeded` may go
 * back.
 */
export function noteStatusStored(job: Job, sync: Sync): void {
  const mode = i32(job.spec.indexed);
  const succeeded = job.spec.indexed ? job.completed.count : sync.succeeded;
  const newSucceeded = max(0, succeeded - job.countedSucceeded);
  add(PODS_FINISHED, mode, newSucceeded);
  add(PODS_FINISHED, mode + 2, max(0, sync.failed - job.countedFailed));
  job.countedSucceeded = succeeded;
  job.countedFailed = sync.failed;
  if (!job.spec.indexed) return;
  const isPerIndex = job.spec.backoffLimitPerIndex != ABSENT;
  add(FINISHED_INDEXES, isPerIndex ? 2 : 0, newSucceeded);
  const newFailedIndexes = job.failed.count - job.countedFailedIndexes;
  if (!isPerIndex || newFailedIndexes <= 0) return;
  add(FINISHED_INDEXES, 3, newFailedIndexes);
  job.countedFailedIndexes = job.failed.count;
}

/** The condition that ends the Job is stored. */
export function noteFinished(job: Job, sync: Sync): void {
  const series = i32(job.spec.indexed) + (sync.terminal == CONDITION_COMPLETE ? 0 : 2);
  add(JOBS_FINISHED, series + 4 * lastLabelValue(JOBS_FINISHED, sync.reason), 1);
  add(JOB_DURATION, series, now() - job.createdMs);
}

export function noteSyncStarted(sync: SyncMetrics): void {
  sync.startedMs = now();
}

/** The sync is over, and its Job still exists. */
export function noteSyncEnded(job: Job, sync: Sync): void {
  const series = i32(job.spec.indexed) + 2 * i32(sync.isFailed) + 4 * i32(sync.didAction);
  add(SYNCS, series, 1);
  add(SYNC_DURATION, series, now() - sync.startedMs);
}

/** A finished Job was deleted because its TTL had passed. */
export function noteRemoved(job: Job): void {
  const result = findTerminal(job.conditions);
  if (result !== null) add(REMOVAL_DELAY, 0, max(0, wallNow() - result.transitionMs - job.spec.ttlMs));
}
