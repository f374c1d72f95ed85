/**
 * The state of a Job now: the rule that keeps it from progressing, with the current numbers. A decision says what the
 * controller did; the state says what is true. If no rule applies, the state is the last decision. The rules are tried
 * in this order: what keeps the controller away from the Job at all, what fails, how the Job ends, and then why the Job
 * has fewer pods than it could have.
 *
 * Invariant: an explanation changes nothing.
 */
import { CLOSE_PARENTHESIS } from "../json/punctuation";
import { Writer } from "../json/writer";
import { backoffMs, remainingBackoffMs } from "../model/backoff";
import { podBackoffBaseMs, podBackoffMaxMs } from "../model/configuration";
import { allSynced, lowestVersion, RESOURCE_PODS } from "../model/sources";
import { ABSENT, NO_COMPLETIONS } from "../model/absent";
import { blobOf, copyOf, freeBlob } from "../memory/blob";
import {
  Condition,
  CONDITION_COMPLETE,
  CONDITION_FAILURE_TARGET,
  CONDITION_SUCCESS_CRITERIA_MET,
  CONDITION_SUSPENDED,
  findTerminal,
  findTrue,
} from "../model/condition";
import { Job } from "../model/job";
import { has, isActive, POD_DELAYED } from "../model/pod-state";
import { Pod } from "../model/pod";
import { PHASE_CREATE } from "../model/sync";
import { RecentDecision } from "../model/recent-decisions";
import { PodGroups, writeWaits } from "./pod-groups";
import { absoluteFailures } from "../sync/counting";
import { refusalOf } from "../sync/sync";
import { now, toWall, wallNow } from "../time/now";
import { awaitedVersion } from "../model/foreign-status";
import { Decision } from "../trace/row";
import { writeName, writeNumbers, writeSentence, writeSpan } from "../trace/sentence";
import * as trace from "../trace";

const MAX_NUMBERS: i32 = 7;
/** Times of pods are whole seconds; times of the queue may be fractions of a millisecond. */
const ROUNDING_MS: f64 = 1;
const numbers: usize = memory.data(MAX_NUMBERS * 8, 8);
const reasonText = new Writer(256);

let state: Decision = 0;
let text: usize = 0;
let nextMs: f64 = NaN;
let deadlineMs: f64 = NaN;
/**
 * `isOutside`: the controller does nothing for the Job. `isEnding`: its end is decided, so its deadline no longer
 * matters.
 */
let isOutside = false;
let isEnding = false;

/** Computes the state of the Job, whose pods are in these groups. `writeJobState` writes it. */
export function findJobState(job: Job, groups: PodGroups): void {
  isOutside = false;
  isEnding = false;
  nextMs = job.place != 0 ? toWall(max(job.dueMs, now())) : NaN;
  deadlineMs = job.spec.suspended ? NaN : job.startTimeMs + job.spec.activeDeadlineMs;
  const terminal = findTerminal(job.conditions);
  const trouble = job.trace.trouble;
  if (terminal !== null) {
    isEnding = true;
    if (trouble !== null) setFailing(trouble);
    else setEnded(job, terminal);
  } else if (!findOutside(job)) {
    if (trouble !== null) setFailing(trouble);
    else if (!findEnding(job) && !findBelowParallelism(job)) setWaiting(job, groups.stuck);
  }
  if (isEnding || isOutside) deadlineMs = NaN;
}

/** Writes `"code":…,"numbers":…,"sentence":…,"nextMs":…,"deadlineMs":…`. */
export function writeJobState(to: Writer, job: Job, groups: PodGroups): void {
  to.text('"code":"');
  writeName(to, state);
  to.text('","numbers":');
  writeNumbers(to, state, numbers, true);
  to.text(',"sentence":"');
  writeSentence(to, state, numbers, true, text);
  if (!isOutside) writeWaits(to, job, groups);
  if (deadlineMs > wallNow()) {
    to.text("; activeDeadlineSeconds end it in ");
    writeSpan(to, deadlineMs - wallNow());
  }
  to.text('","nextMs":');
  to.number(nextMs);
  to.text(',"deadlineMs":');
  to.number(deadlineMs);
}

// ── the rules, in the order in which they are tried ─────────────────────────────────────────────────

function setEnded(job: Job, end: Condition): void {
  const ttlMs = job.place != 0 ? job.spec.ttlMs : NaN;
  setState(
    end.type == CONDITION_COMPLETE ? trace.COMPLETE : trace.FAILED,
    conditionText(end),
    end.transitionMs,
    job.storedSucceeded,
    job.storedFailed,
    isNaN(ttlMs) ? NaN : max(0, nextMs - wallNow()),
    ttlMs,
  );
}

// The reasons why the controller does nothing for the Job.
function findOutside(job: Job): bool {
  if (job.unreadable != 0) setState(trace.UNREADABLE, copyOf(job.unreadable));
  else if (job.managedBy != 0) setState(trace.FOREIGN, copyOf(job.managedBy));
  else if (refusalOf(job) != 0) setState(trace.REFUSED, copyOf(refusalOf(job)));
  else if (!allSynced()) setState(trace.NOT_LISTED);
  else return false;
  isOutside = true;
  return true;
}

function setFailing(trouble: RecentDecision): void {
  trouble.number3 = nextMs - wallNow();
  setDecision(trouble);
}

function findEnding(job: Job): bool {
  const failure = findTrue(job.conditions, CONDITION_FAILURE_TARGET);
  const success = findTrue(job.conditions, CONDITION_SUCCESS_CRITERIA_MET);
  isEnding = true;
  if (job.deleting) {
    if (job.podCount == 0) setState(trace.HELD_BY_FINALIZER, 0, job.deletionMs);
    else setState(trace.DELETING, 0, NaN, job.deletionMs, job.podCount);
  } else if (success !== null) {
    setState(trace.SUCCEEDING, conditionText(success), success.transitionMs, job.active, job.terminating);
  } else if (failure !== null) {
    setState(trace.FAILING, conditionText(failure), failure.transitionMs, job.active, job.terminating);
  } else {
    isEnding = false;
  }
  return isEnding;
}

// The reasons why there are fewer pods than there could be.
function findBelowParallelism(job: Job): bool {
  if (job.spec.suspended) {
    const since = findTrue(job.conditions, CONDITION_SUSPENDED);
    setState(trace.SUSPENDED, 0, job.terminating, since === null ? NaN : since.transitionMs);
    return true;
  }
  const neededVersion = max(job.podsUnclearUntilVersion, awaitedVersion(job));
  if (neededVersion != 0) {
    setState(
      trace.WAITING_FOR_PODS_TO_BE_CLEAR,
      0,
      NaN,
      f64(lowestVersion(RESOURCE_PODS, job.namespace)),
      f64(neededVersion),
    );
    return true;
  }
  const wanted = wantedPods(job);
  if (job.active >= wanted) return false;
  if (job.spec.onlyReplaceFailed && job.active + job.terminating >= wanted) {
    setState(trace.WAITING_TO_REPLACE, 0, wanted, job.active, job.terminating);
    return true;
  }
  return job.spec.backoffLimitPerIndex != ABSENT ? findIndexBackoff(job) : findBackoff(job);
}

function findBackoff(job: Job): bool {
  const record = job.backoff;
  const remainingMs = remainingBackoffMs(
    record.failures,
    record.lastFailureTimeMs,
    wallNow(),
    podBackoffBaseMs,
    podBackoffMaxMs,
  );
  if (remainingMs <= 0) return false;
  const ignored = ignoredFailures(job);
  setState(
    trace.BACKOFF,
    0,
    remainingMs,
    record.failures,
    record.lastFailureTimeMs,
    backoffMs(record.failures, podBackoffBaseMs, podBackoffMaxMs),
    ignored,
    ignoringRule(job, ignored),
  );
  waitUntil(remainingMs);
  return true;
}

// The backoff of the first index that the next sync will try. A sync looks only at as many indexes as it may create
// pods for, so a later index waits for the earlier ones too: the Job is due later than that index's backoff ends. Hence
// indexes whose backoff ends before the Job is due are skipped.
function findIndexBackoff(job: Job): bool {
  const dueInMs = isNaN(nextMs) ? 0 : nextMs - wallNow();
  let first: Pod | null = null;
  let firstMs: f64 = Infinity;
  let waiting = 0;
  let pod = job.pods;
  while (pod !== null) {
    if (has(pod, POD_DELAYED)) {
      const remainingMs = remainingBackoffMs(
        absoluteFailures(pod) + 1,
        pod.finishMs,
        wallNow(),
        podBackoffBaseMs,
        podBackoffMaxMs,
      );
      if (remainingMs > 0) ++waiting;
      if (
        remainingMs > 0 &&
        remainingMs >= dueInMs - ROUNDING_MS &&
        (remainingMs < firstMs || (remainingMs == firstMs && pod.completionIndex < first!.completionIndex))
      ) {
        first = pod;
        firstMs = remainingMs;
      }
    }
    pod = pod.next;
  }
  if (first === null) return false;
  const failures = absoluteFailures(first) + 1;
  setState(
    trace.INDEX_BACKOFF,
    0,
    firstMs,
    first.completionIndex,
    failures,
    backoffMs(failures, podBackoffBaseMs, podBackoffMaxMs),
    first.finishMs,
    waiting > 1 ? f64(waiting) : NaN,
  );
  waitUntil(firstMs);
  return true;
}

function setWaiting(job: Job, stuckPods: i32): void {
  const completions = job.spec.completions == NO_COMPLETIONS ? NaN : f64(job.spec.completions);
  const last = job.trace.last;
  const isNew = last !== null && !isPast(last.decision);
  if (isNew && isUnderWay(job, last!.decision)) setDecision(last!);
  else if (stuckPods > 0)
    setState(
      trace.PODS_STUCK,
      0,
      stuckPods,
      job.active,
      job.storedSucceeded,
      completions,
      job.spec.onFailure ? f64(job.restarts) : NaN,
      job.spec.backoffLimit,
    );
  else if (job.active > 0) {
    const ignored = ignoredFailures(job);
    const index = isNaN(ignored) || job.active > 1 ? NaN : activeIndex(job);
    const rule = ignoringRule(job, ignored);
    setState(trace.WAITING_FOR_PODS, 0, job.active, job.ready, job.storedSucceeded, completions, index, ignored, rule);
  } else if (job.spec.parallelism == 0) setState(trace.PARALLELISM_IS_ZERO);
  else if (isNew) setDecision(last!);
  else if (job.place != 0) setState(trace.QUEUED, 0, nextMs > wallNow() ? nextMs - wallNow() : NaN);
  else if (job.sync !== null) setState(trace.AT_WORK);
  else setState(trace.WAITING_FOR_CHANGE, 0, job.active, job.terminating, job.storedSucceeded, completions);
}

// How many failures since the last success the rules of podFailurePolicy keep out of status.failed; NaN: none, or
// unknown because earlier failures were counted.
function ignoredFailures(job: Job): f64 {
  const failures = job.backoff.failures;
  if (job.podFailurePolicy === null || failures == 0) return NaN;
  return job.storedFailed + job.uncountedFailed.length == 0 ? f64(failures) : NaN;
}

// Whether the sync in progress still carries the decision out. Once its pods are created, it counts and writes.
function isUnderWay(job: Job, decision: Decision): bool {
  const sync = job.sync;
  return sync !== null && (decision != trace.CREATING || sync.phase <= PHASE_CREATE);
}

// The position of the rule that ignored these failures; NaN: none did, or more than one rule could have.
function ignoringRule(job: Job, ignored: f64): f64 {
  const policy = job.podFailurePolicy;
  if (policy === null || isNaN(ignored)) return NaN;
  const index = policy.onlyIgnoring();
  return index < 0 ? NaN : f64(index);
}

// The index of the only active pod; NaN: the pod has no index.
function activeIndex(job: Job): f64 {
  let pod = job.pods;
  while (pod !== null && !isActive(pod)) pod = pod.next;
  return pod === null || pod.completionIndex < 0 ? NaN : f64(pod.completionIndex);
}

// Whether a decision only describes the state at the time it was made. The rules above have already checked the same
// condition, and it no longer holds.
function isPast(decision: Decision): bool {
  return (
    decision == trace.WAITING_FOR_PODS ||
    decision == trace.BACKOFF ||
    decision == trace.INDEX_BACKOFF ||
    decision == trace.SUSPENDED ||
    decision == trace.PARALLELISM_IS_ZERO ||
    decision == trace.RETRY ||
    decision == trace.WAITING_FOR_PODS_TO_BE_CLEAR
  );
}

// How many active pods the Job can have when no sync is in progress (controller.md, step M2). A failed index gets no
// further pod.
function wantedPods(job: Job): i32 {
  const succeeded = job.spec.indexed ? job.completed.count : job.storedSucceeded + job.uncountedSucceeded.length;
  if (job.spec.completions == NO_COMPLETIONS) return succeeded > 0 ? 0 : job.spec.parallelism;
  const lost = job.spec.backoffLimitPerIndex == ABSENT ? 0 : job.failed.count;
  return max(0, min(job.spec.completions - succeeded - lost, job.spec.parallelism));
}

function waitUntil(remainingMs: f64): void {
  const atMs = wallNow() + remainingMs;
  nextMs = deadlineMs < atMs ? deadlineMs : atMs;
}

function setDecision(entry: RecentDecision): void {
  setState(entry.decision, copyOf(entry.text), entry.number0, entry.number1, entry.number2, entry.number3);
}

// Sets the state. Takes ownership of the blob `words`.
function setState(
  row: Decision,
  words: usize = 0,
  a: f64 = NaN,
  b: f64 = NaN,
  c: f64 = NaN,
  d: f64 = NaN,
  e: f64 = NaN,
  f: f64 = NaN,
  g: f64 = NaN,
): void {
  freeBlob(text);
  state = row;
  text = words;
  store<f64>(numbers, a);
  store<f64>(numbers, b, 8);
  store<f64>(numbers, c, 16);
  store<f64>(numbers, d, 24);
  store<f64>(numbers, e, 32);
  store<f64>(numbers, f, 40);
  store<f64>(numbers, g, 48);
}

// The text of a condition as a new blob, for example `Reached expected number of succeeded pods (CompletionsReached)`.
function conditionText(condition: Condition): usize {
  reasonText.reset();
  reasonText.blob(condition.message);
  reasonText.text(" (");
  reasonText.blob(condition.reason);
  reasonText.byte(CLOSE_PARENTHESIS);
  return blobOf(reasonText.start, reasonText.length);
}
