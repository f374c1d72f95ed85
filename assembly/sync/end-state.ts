/**
 * Decides whether a Job ends, and by which rule. The order of the checks is the precedence of the reasons: a recorded
 * success criterion, a recorded failure, a failure that a policy calls final, too many failures, the deadline, failed
 * indexes, the success policy, and only then enough completions. Source: docs/spec/controller.md 3.3, 3.5 and 3.9.
 */
import { ABSENT, NO_COMPLETIONS } from "../model/absent";
import { Writer } from "../json/writer";
import { blobOf, copyOf, dropBlob, freeBlob, literal } from "../memory/blob";
import {
  CONDITION_FAILED,
  CONDITION_FAILURE_TARGET,
  CONDITION_SUCCESS_CRITERIA_MET,
  findTrue,
} from "../model/condition";
import { Job } from "../model/job";
import { isActive } from "../model/pod-state";
import { enqueueAt } from "../queue/job-queue";
import { fromWall, wallNow } from "../time/now";
import { holdForWork, isFree, Sync } from "../model/sync";
import * as trace from "../trace";

const BACKOFF_LIMIT_EXCEEDED = literal("BackoffLimitExceeded");
const BACKOFF_LIMIT_MESSAGE = literal("Job has reached the specified backoff limit");
const DEADLINE_EXCEEDED = literal("DeadlineExceeded");
const DEADLINE_MESSAGE = literal("Job was active longer than specified deadline");
const COMPLETIONS_REACHED = literal("CompletionsReached");
const COMPLETIONS_MESSAGE = literal("Reached expected number of succeeded pods");

const POD_FAILURE_POLICY = literal("PodFailurePolicy");
const MAX_FAILED_INDEXES_EXCEEDED = literal("MaxFailedIndexesExceeded");
const MAX_FAILED_INDEXES_MESSAGE = literal("Job has exceeded the specified maximal number of failed indexes");
const FAILED_INDEXES = literal("FailedIndexes");
const FAILED_INDEXES_MESSAGE = literal("Job has failed indexes");
const SUCCESS_POLICY = literal("SuccessPolicy");

const message = new Writer(64);

/**
 * Sets the verdict if the Job is ending, and returns true. Its active pods then become the victims (steps S15 to S17,
 * and S21).
 */
export function decideEnd(job: Job, sync: Sync): bool {
  const success = findTrue(job.conditions, CONDITION_SUCCESS_CRITERIA_MET);
  const failure = findTrue(job.conditions, CONDITION_FAILURE_TARGET);
  if (success !== null) {
    setVerdict(sync, CONDITION_SUCCESS_CRITERIA_MET, success.reason, success.message);
    sync.verdictIsStored = true;
    sync.decision = job.trace.ending;
  } else if (failure !== null) {
    setVerdict(sync, CONDITION_FAILED, failure.reason, failure.message);
    sync.decision = job.trace.ending;
  } else if (job.failJobMessage != 0) {
    setVerdict(sync, CONDITION_FAILURE_TARGET, POD_FAILURE_POLICY, job.failJobMessage);
    sync.decision = trace.record(job, trace.POLICY_FAILS_JOB, job.failJobMessage);
  } else if (sync.totalFailed > job.spec.backoffLimit) {
    setVerdict(sync, CONDITION_FAILURE_TARGET, BACKOFF_LIMIT_EXCEEDED, BACKOFF_LIMIT_MESSAGE);
    sync.decision = trace.record(job, trace.TOO_MANY_FAILURES, 0, sync.totalFailed, job.spec.backoffLimit);
  } else if (hasTooManyRestarts(job)) {
    setVerdict(sync, CONDITION_FAILURE_TARGET, BACKOFF_LIMIT_EXCEEDED, BACKOFF_LIMIT_MESSAGE);
    sync.decision = trace.record(job, trace.TOO_MANY_RESTARTS, 0, job.restarts, job.spec.backoffLimit);
  } else if (isPastDeadline(job, sync)) {
    setVerdict(sync, CONDITION_FAILURE_TARGET, DEADLINE_EXCEEDED, DEADLINE_MESSAGE);
    sync.decision = trace.record(job, trace.DEADLINE_PASSED, 0, job.spec.activeDeadlineMs, sync.startTimeMs);
  } else if (!decideByIndexes(job, sync)) {
    return false;
  }
  job.trace.noteEnding(sync.decision);
  const succeeds = sync.verdict == CONDITION_SUCCESS_CRITERIA_MET;
  let left = job.active;
  let pod = job.pods;
  while (pod !== null && left > 0) {
    if (isActive(pod)) {
      --left;
      if (isFree(sync, pod)) {
        sync.victims = holdForWork(pod, sync.victims);
        if (succeeds) pod.markNotNeeded();
      }
    }
    pod = pod.next;
  }
  return true;
}

// Sets the verdict if the failed or the succeeded indexes end the Job, and returns true then (steps S19 and S20).
function decideByIndexes(job: Job, sync: Sync): bool {
  if (!job.spec.indexed) return false;
  const failed = job.failed.count;
  if (job.spec.maxFailedIndexes != ABSENT && failed > job.spec.maxFailedIndexes) {
    setVerdict(sync, CONDITION_FAILURE_TARGET, MAX_FAILED_INDEXES_EXCEEDED, MAX_FAILED_INDEXES_MESSAGE);
    sync.decision = trace.record(job, trace.TOO_MANY_FAILED_INDEXES, 0, failed, job.spec.maxFailedIndexes);
    return true;
  }
  if (failed > 0 && failed + job.completed.count >= job.spec.completions) {
    setVerdict(sync, CONDITION_FAILURE_TARGET, FAILED_INDEXES, FAILED_INDEXES_MESSAGE);
    sync.decision = trace.record(job, trace.INDEXES_FAILED, 0, failed, job.completed.count);
    return true;
  }
  const policy = job.successPolicy;
  const rule = policy === null ? -1 : policy.match(job.completed, job.spec.completions);
  if (rule < 0) return false;
  message.reset();
  message.text("Matched rules at index ");
  message.integer(rule);
  const text = blobOf(message.start, message.length);
  setVerdict(sync, CONDITION_SUCCESS_CRITERIA_MET, SUCCESS_POLICY, text);
  freeBlob(text);
  sync.decision = trace.record(job, trace.SUCCESS_POLICY_MET, 0, rule, job.completed.count);
  return true;
}

/** Sets the verdict if the Job is complete: enough pods have succeeded, and none is active (step S22). */
export function decideCompletion(job: Job, sync: Sync): void {
  if (job.active > 0) return;
  const complete =
    job.spec.completions == NO_COMPLETIONS ? sync.totalSucceeded > 0 : sync.totalSucceeded >= job.spec.completions;
  if (!complete) return;
  setVerdict(sync, CONDITION_SUCCESS_CRITERIA_MET, COMPLETIONS_REACHED, COMPLETIONS_MESSAGE);
  sync.decision = trace.record(
    job,
    trace.COMPLETIONS_REACHED,
    0,
    sync.totalSucceeded,
    job.spec.completions == NO_COMPLETIONS ? NaN : f64(job.spec.completions),
  );
  job.trace.noteEnding(sync.decision);
}

/** Drops the verdict, which does not hold in this sync. The next sync decides again. */
export function dropVerdict(sync: Sync): void {
  sync.reason = dropBlob(sync.reason);
  sync.message = dropBlob(sync.message);
  sync.verdict = 0;
}

function setVerdict(sync: Sync, type: u8, reason: usize, message: usize): void {
  sync.verdict = type;
  sync.verdictMs = wallNow();
  sync.reason = copyOf(reason);
  sync.message = copyOf(message);
}

// With OnFailure, the restarts of containers count, too. Reaching the limit is enough; they need not exceed it.
function hasTooManyRestarts(job: Job): bool {
  if (!job.spec.onFailure) return false;
  return job.spec.backoffLimit == 0 ? job.restarts > 0 : job.restarts >= job.spec.backoffLimit;
}

function isPastDeadline(job: Job, sync: Sync): bool {
  if (isNaN(job.spec.activeDeadlineMs) || job.spec.suspended) return false;
  const deadlineMs = sync.startTimeMs + job.spec.activeDeadlineMs;
  if (wallNow() >= deadlineMs) return true;
  enqueueAt(job, fromWall(deadlineMs));
  return false;
}
