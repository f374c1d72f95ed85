/**
 * One pass over one Job, as upstream's syncJob: count, decide, act on pods, store the UIDs of pods to count, remove
 * their finalizers, store the counters. Upstream runs this as one function that blocks on every answer. Here it is a
 * state machine: a record stays in one phase until the requests of that phase are answered.
 *
 * Invariant: a finalizer patch is handed out only after the first status write of its sync was answered with success,
 * or needed no write. A terminal condition is handed out only after every patch was answered. Source:
 * docs/spec/controller.md 3 and 4.
 */
import {
  beginSync,
  freeSync,
  PHASE_CLAIM,
  PHASE_CREATE,
  PHASE_DELETE,
  PHASE_FINALIZERS,
  PHASE_FIRST_WRITE,
  PHASE_GANG,
  PHASE_LIST,
  PHASE_READ_AGAIN,
  PHASE_RECHECK,
  PHASE_SECOND_WRITE,
  Sync,
} from "../model/sync";
import { NO_COMPLETIONS } from "../model/absent";
import { podBackoffBaseMs, podBackoffMaxMs, syncBatchPeriodMs } from "../model/configuration";
import { countJudged, noteFinished, noteStalePods, noteSyncEnded, noteSyncStarted } from "../metrics/observe";
import { ensureGang } from "../gang/ensure";
import { backoffMs } from "../model/backoff";
import { retireIfFinished } from "../lifecycle/retire-job";
import { findSource, lowestVersion, RESOURCE_PODS, sourceOf } from "../model/sources";
import { blobsEqual, copyOf, literal } from "../memory/blob";
import {
  announceCompleted,
  announceFailed,
  announceResumed,
  announceSuspended,
  announceUnknownMode,
} from "../events/announce";
import {
  CONDITION_COMPLETE,
  CONDITION_FAILED,
  CONDITION_FAILURE_TARGET,
  CONDITION_SUCCESS_CRITERIA_MET,
  CONDITION_SUSPENDED,
  conditionTypeName,
  findCondition,
} from "../model/condition";
import { Job, markUncounted, SELECTS_BY_LABELS } from "../model/job";
import { findPod } from "../model/pod";
import { has, POD_UNCOUNTED_FAILED, POD_UNCOUNTED_SUCCEEDED } from "../model/pod-state";
import { arePodsUnclear, notePodsShown } from "../model/unclear-pods";
import { UidList } from "../model/uid-list";
import {
  enqueueAt,
  enqueueBatched,
  enqueueNow,
  enqueueRetry,
  forgetFailures,
  isBusy,
  takeSyncAgain,
} from "../queue/job-queue";
import { makeJobReady } from "../queue/ready-queue";
import { now, toWall, wallNow } from "../time/now";
import { chooseFinalizers, dropUncountedDuplicates, settleUncounted } from "./tracking";
import { takeStock } from "./counting";
import { chooseClaims } from "./claiming";
import { causeOf } from "./cause";
import { decideCompletion, decideEnd, dropVerdict } from "./end-state";
import { advanceRemoval } from "./removal";
import { waitsForPods } from "./stale-pods";
import { isStatusChanged, isUncountedChanged } from "./status-changes";
import { giveBackIndexes, manage, startNextBatch } from "./manage";
import * as trace from "../trace";

const JOB_SUSPENDED = literal("JobSuspended");
const JOB_SUSPENDED_MESSAGE = literal("Job suspended");
const JOB_RESUMED = literal("JobResumed");
const JOB_RESUMED_MESSAGE = literal("Job resumed");

let started: f64 = 0;

/** How many syncs have begun since the engine was made. */
export function syncsStarted(): f64 {
  return started;
}

/** The Job is due: begins a sync, unless there is a reason not to. */
export function startSync(job: Job): void {
  if (job.finished || job.gone || job.sync !== null || job.unreadable != 0) return;
  if (job.managedBy != 0) {
    trace.record(job, trace.FOREIGN, job.managedBy);
    return;
  }
  const refusal = refusalOf(job);
  if (refusal != 0) {
    const decision = trace.record(job, trace.REFUSED, refusal);
    if (job.spec.hasUnknownMode) announceUnknownMode(job, decision);
    return;
  }
  if (waitsForPods(job)) return;
  started += 1;
  const sync = beginSync(job);
  noteSyncStarted(sync);
  if (job.podsUnclear) sync.enter(PHASE_LIST);
  else claim(job, sync);
  makeJobReady(job);
}

const UNKNOWN_MODE = literal("the value of spec.completionMode is not known");
const UNSEEN_PODS = literal(
  "spec.selector chooses pods by other labels than batch.kubernetes.io/controller-uid, and no other pods are watched; the setting manualSelectors has all of them watched",
);

/** Why the controller does not run the Job, as a part of a sentence (a blob); 0: it runs it. */
export function refusalOf(job: Job): usize {
  if (job.spec.hasUnknownMode) return UNKNOWN_MODE;
  if (job.selects != SELECTS_BY_LABELS) return 0;
  // Without a source of pods the engine never sees the Job's pods, and would create them again and again.
  const source = findSource(u32(sourceOf(RESOURCE_PODS, job.namespace)));
  return source !== null && source.isSelection ? UNSEEN_PODS : 0;
}

// Adopts and releases pods before any is counted (step S11 of the specification).
function claim(job: Job, sync: Sync): void {
  if (!chooseClaims(job, sync)) prepare(job, sync);
  else sync.enter(sync.adopts ? PHASE_RECHECK : PHASE_CLAIM);
}

// Ensures the objects that the pods need: Workload and PodGroup (step S12).
function prepare(job: Job, sync: Sync): void {
  // The Job may have ended while its pods were listed or claimed, or while its gang was made.
  if (job.finished) endSync(job, sync);
  else if (ensureGang(job, sync)) decide(job, sync);
  else sync.enter(PHASE_GANG);
}

// Counts the pods, and decides what to do about them (steps S9 to S22).
function decide(job: Job, sync: Sync): void {
  if (job.podsUnclearUntilVersion != 0) notePodsShown(job, lowestVersion(RESOURCE_PODS, job.namespace));
  sync.baseVersion = job.resourceVersion;
  sync.foreignVersion = job.foreignVersion;
  sync.startTimeMs = job.startTimeMs;
  sync.completionTimeMs = job.completionTimeMs;
  sync.uncountedSucceeded.copyFrom(job.uncountedSucceeded);
  sync.uncountedFailed.copyFrom(job.uncountedFailed);
  dropUncountedDuplicates(sync);
  flagUncounted(job, sync);
  sync.succeeded = job.storedSucceeded;
  sync.failed = job.storedFailed;
  sync.countedBefore = sync.succeeded;
  sync.failedBefore = sync.failed;
  settleUncounted(job, sync);
  // Whole seconds, as the server stores them: the deadline counts from the time that clients can read.
  if (isNaN(sync.startTimeMs) && !job.spec.suspended) sync.startTimeMs = wholeSeconds(wallNow());
  takeStock(job, sync);
  // Either the Job ends, and its active pods become victims, or `manage` chooses the pods to create or delete.
  if (decideEnd(job, sync)) {
    sync.enter(PHASE_DELETE);
    return;
  }
  sync.enter(PHASE_CREATE);
  if (job.deleting) sync.decision = trace.record(job, trace.DELETING);
  else if (job.podsUnclearUntilVersion == 0) manage(job, sync);
  else noteStalePods();
}

/** Moves to the next phase. Call it when the phase has no request left to hand out and none in flight. */
export function advance(job: Job, sync: Sync): void {
  if (sync.phase >= PHASE_READ_AGAIN) {
    advanceRemoval(job, sync);
  } else if (sync.isBroken) {
    endSync(job, sync);
  } else if (sync.phase == PHASE_LIST) {
    claim(job, sync);
  } else if (sync.phase == PHASE_RECHECK) {
    sync.enter(PHASE_CLAIM);
  } else if (sync.phase == PHASE_CLAIM) {
    if (sync.isFailed) {
      job.expectClaims();
      endSync(job, sync);
    } else {
      prepare(job, sync);
    }
  } else if (sync.phase == PHASE_GANG) {
    prepare(job, sync);
  } else if (sync.phase == PHASE_CREATE) {
    // If the Job has changed, these pods may no longer be wanted. `track` detects the change and ends the sync.
    if (job.resourceVersion != sync.baseVersion || !startNextBatch(job, sync)) track(job, sync);
  } else if (sync.phase == PHASE_DELETE) {
    track(job, sync);
  } else if (sync.phase == PHASE_FIRST_WRITE) {
    traceCounted(job, sync);
    // If the Job has grown in the meantime, other pods count. The next sync starts from the stored status.
    if (!isOutdated(job, sync)) enterFinalizers(job, sync);
  } else if (sync.phase == PHASE_FINALIZERS) {
    conclude(job, sync);
  } else {
    if (sync.terminal != 0) {
      noteFinished(job, sync);
      const end = trace.record(job, trace.ENDED, conditionTypeName(sync.terminal), sync.succeeded, sync.failed);
      if (sync.terminal == CONDITION_COMPLETE) announceCompleted(job, end, sync.succeeded);
      else announceFailed(job, end, sync.reason, sync.message);
    } else {
      traceCounted(job, sync);
    }
    endSync(job, sync);
  }
}

// Traces the counters of a status that was just stored.
function traceCounted(job: Job, sync: Sync): void {
  if (sync.succeeded == sync.countedBefore && sync.failed == sync.failedBefore) return;
  sync.countedBefore = sync.succeeded;
  sync.failedBefore = sync.failed;
  trace.record(
    job,
    trace.COUNTED,
    0,
    sync.succeeded,
    sync.failed,
    sync.uncountedSucceeded.length + sync.uncountedFailed.length,
  );
}

// Pods have been created or deleted. Computes what has to be stored before any finalizer is removed (steps T1 to T9).
function track(job: Job, sync: Sync): void {
  giveBackIndexes(job, sync);
  if (isOutdated(job, sync)) return;
  // The watch may have shown in the meantime that another client counted pods.
  if (waitsForPods(job)) {
    endSync(job, sync);
    return;
  }
  // The answer to a creation may have been lost: there may be a pod that no source has shown yet.
  const isUnclear = arePodsUnclear(job);
  if (sync.verdict != 0 && (sync.deleteFailures > 0 || isUnclear)) {
    dropVerdict(sync);
    takeStock(job, sync);
  } else {
    // Count again: pods may have changed while requests were in flight.
    takeStock(job, sync);
    if (sync.verdict == 0 && !isUnclear) decideCompletion(job, sync);
  }
  if (sync.verdict == 0 && sync.managed) followSuspend(job, sync);
  chooseFinalizers(job, sync);
  if (sync.verdict != 0) sync.interim = interimOf(sync);
  if (isStatusChanged(job, sync)) sync.enter(PHASE_FIRST_WRITE);
  else enterFinalizers(job, sync);
}

// Lets the condition Suspended follow the spec (step S22). A Job that was never suspended gets no such condition.
function followSuspend(job: Job, sync: Sync): void {
  const stored = findCondition(job.conditions, CONDITION_SUSPENDED);
  if (job.spec.suspended) {
    if (
      stored !== null &&
      stored.isTrue &&
      blobsEqual(stored.reason, JOB_SUSPENDED) &&
      blobsEqual(stored.message, JOB_SUSPENDED_MESSAGE)
    )
      return;
    sync.startTimeMs = NaN;
    setSuspended(sync, true, JOB_SUSPENDED, JOB_SUSPENDED_MESSAGE);
    announceSuspended(job, causeOf(job, sync));
  } else {
    // Only the status of the condition matters here, not who wrote it or with which reason. A stored start time may not
    // change unless the condition changes with it (api.md V102).
    if (stored === null || stored.isFalse) return;
    sync.startTimeMs = wholeSeconds(wallNow());
    setSuspended(sync, false, JOB_RESUMED, JOB_RESUMED_MESSAGE);
    announceResumed(job, causeOf(job, sync));
  }
}

function setSuspended(sync: Sync, suspended: bool, reason: usize, message: usize): void {
  sync.interim = CONDITION_SUSPENDED;
  sync.interimIsTrue = suspended;
  sync.reason = copyOf(reason);
  sync.message = copyOf(message);
}

// The condition to store first. `verdict` becomes the terminal condition, which is stored later (steps T7 and T8).
function interimOf(sync: Sync): u8 {
  const interim = sync.verdict;
  sync.interimIsTrue = true;
  if (interim == CONDITION_FAILURE_TARGET) {
    sync.verdict = CONDITION_FAILED;
    return interim;
  }
  if (interim == CONDITION_SUCCESS_CRITERIA_MET) {
    sync.verdict = CONDITION_COMPLETE;
    sync.verdictMs = wallNow();
    return sync.verdictIsStored ? 0 : interim;
  }
  return 0;
}

function enterFinalizers(job: Job, sync: Sync): void {
  // The interim condition is stored now.
  sync.interim = 0;
  countJudged(sync);
  sync.enter(PHASE_FINALIZERS);
}

// The finalizers are removed, except those whose patch failed. Moves pods from the lists to the counters, and ends the
// Job if all pods are counted (steps T12 to T15).
function conclude(job: Job, sync: Sync): void {
  if (isOutdated(job, sync)) return;
  settleUncounted(job, sync);
  if (sync.finalizerFailures > 0) sync.fail();
  else if (mayEnd(job, sync)) sync.terminal = sync.verdict;
  // The API server accepts a finished Job without a start time only if it was suspended and no completions were wanted
  // (api.md V95).
  if (sync.terminal != 0 && isNaN(sync.startTimeMs) && !(job.spec.suspended && job.spec.completions == 0))
    sync.startTimeMs = wholeSeconds(sync.verdictMs);
  // The wall clock may have been set back since the start. The completion would then lie before the start, which the
  // API server refuses (api.md V91). A Job that was suspended with no completions wanted never started, and has no
  // start time.
  if (sync.terminal == CONDITION_COMPLETE)
    sync.completionTimeMs = isNaN(sync.startTimeMs) ? sync.verdictMs : max(sync.verdictMs, sync.startTimeMs);
  // As in upstream, only counted pods or an ended Job need a second write. The sync that follows within the batch
  // period writes other changes of pods.
  if (sync.terminal == 0 && isBusy(job) && !isUncountedChanged(job, sync)) endSync(job, sync);
  else if (isStatusChanged(job, sync)) sync.enter(PHASE_SECOND_WRITE);
  else endSync(job, sync);
}

// Whether the Job has changed since the sync began. The sync then ends: counters computed from an older status would
// overwrite what was stored since.
function isOutdated(job: Job, sync: Sync): bool {
  if (job.resourceVersion == sync.baseVersion) return false;
  sync.outdate();
  endSync(job, sync);
  return true;
}

// Whether every pod of the Job has ended and is counted (step T14).
function mayEnd(job: Job, sync: Sync): bool {
  if (sync.verdict != CONDITION_FAILED && sync.verdict != CONDITION_COMPLETE) return false;
  return (
    !sync.reachedCap &&
    sync.uncountedSucceeded.length == 0 &&
    sync.uncountedFailed.length == 0 &&
    job.terminating == 0 &&
    job.active == 0 &&
    !sync.leftBusy
  );
}

function endSync(job: Job, sync: Sync): void {
  const failed = sync.isFailed;
  const more = sync.reachedCap || sync.moreToCreate || sync.isOutdated;
  const waitsForEnd =
    !failed && (sync.verdict == CONDITION_FAILED || sync.verdict == CONDITION_COMPLETE) && sync.terminal == 0;
  const again = takeSyncAgain(job);
  const nextCreationMs = sync.nextCreationMs;
  const leftSome = sync.leftSome || sync.leftBusy;
  noteSyncEnded(job, sync);
  freeSync(job, sync);
  retireIfFinished(job);
  if (job.finished) return;
  if (again) enqueueAt(job, job.dueMs);
  if (failed) {
    const delayMs = enqueueRetry(job);
    trace.recordWait(job, trace.RETRY, toWall(now() + delayMs), delayMs, job.requeues);
    return;
  }
  forgetFailures(job);
  job.trace.forgetTrouble();
  if (leftSome) enqueueBatched(job);
  if (more) {
    enqueueNow(job);
    return;
  }
  if (waitsForEnd) trace.record(job, trace.WAITING_FOR_TERMINATION, 0, job.terminating);
  else traceState(job, nextCreationMs);
  // A later decision does not describe what this sync did.
  trace.expectNothing(job);
}

// Records what the Job waits for now, unless this sync has already recorded a decision that says so.
function traceState(job: Job, nextCreationMs: f64): void {
  if (nextCreationMs > 0) {
    const backoff = job.backoff;
    trace.recordWait(
      job,
      trace.BACKOFF,
      toWall(nextCreationMs),
      nextCreationMs - now(),
      backoff.failures,
      backoff.lastFailureTimeMs,
      backoffMs(backoff.failures, podBackoffBaseMs, podBackoffMaxMs),
    );
  } else if (job.podsUnclearUntilVersion != 0) {
    // Sync the Job again after one period, because no event may wake it before.
    enqueueAt(job, now() + syncBatchPeriodMs);
    trace.record(job, trace.WAITING_FOR_PODS_TO_BE_CLEAR);
  } else if (job.spec.suspended && !job.deleting) {
    trace.record(job, trace.SUSPENDED, 0, job.terminating);
  } else if (!job.deleting && job.active > 0) {
    const deadlineMs =
      isNaN(job.spec.activeDeadlineMs) || isNaN(job.startTimeMs) ? NaN : job.startTimeMs + job.spec.activeDeadlineMs;
    trace.recordWait(
      job,
      trace.WAITING_FOR_PODS,
      deadlineMs,
      job.active,
      job.ready,
      job.storedSucceeded,
      job.spec.completions == NO_COMPLETIONS ? NaN : f64(job.spec.completions),
    );
  } else if (!job.deleting && job.spec.parallelism == 0) {
    trace.record(job, trace.PARALLELISM_IS_ZERO);
  }
}

function wholeSeconds(timeMs: f64): f64 {
  return Math.floor(timeMs / 1000) * 1000;
}

/**
 * Marks every pod whose UID is in a list of uncounted UIDs with the flag of that list. The flags hold during the sync,
 * so a membership check costs O(1).
 */
function flagUncounted(job: Job, sync: Sync): void {
  flagAll(job, sync.uncountedSucceeded, POD_UNCOUNTED_SUCCEEDED);
  flagAll(job, sync.uncountedFailed, POD_UNCOUNTED_FAILED);
}

function flagAll(job: Job, list: UidList, flag: u32): void {
  for (let i = 0; i < list.length; ++i) {
    const pod = findPod(list.at(i), list.size(i));
    if (pod !== null && pod.job === job) markUncounted(job, pod, flag);
  }
}
