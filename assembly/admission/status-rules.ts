/**
 * The rules for a Job's status (docs/spec/api.md 2.8: V77 to V102), over plain facts. So a sync can check a status
 * before it sends it: a status that the server refuses with 422 would block the Job for ever.
 *
 * Invariant: `checkStatus` reads its arguments and nothing else, and reports in upstream's order. Some rules always
 * apply, others only if their field has changed. Leaves out where facts come from (status-facts.ts reads them from an
 * API object), and the lists of uncounted pods (V78), which are UIDs and no facts. Source: pkg/apis/batch/validation
 * ValidateJobStatusUpdate; pkg/registry/batch/job getStatusValidationOptions.
 */
import { bytesEqual } from "../memory/hash";
import { decimal } from "../json/text";
import { FieldErrors, OMITTED } from "./field-errors";
import { intervalProblem, overlap } from "./index-text";
import { quote } from "./render";
import { TIME_BYTES, writeTime } from "../time/rfc3339";

/** Replaces a missing number. */
export const NO_COUNT: i32 = -1;

/** Conditions, as bits of `conditions`. A bit is set if the status of the condition is True. */
export const COMPLETE: u32 = 1;
export const FAILED: u32 = 2;
export const FAILURE_TARGET: u32 = 4;
export const SUCCESS_CRITERIA_MET: u32 = 8;
export const SUSPENDED: u32 = 16;
/** The condition Suspended is there and False. Only the rules for the new status look at it. */
export const RESUMED: u32 = 32;

/** The part of a Job's spec that the rules depend on. */
export class StatusSpec {
  indexed: bool = false;
  suspend: bool = false;
  hasSuccessPolicy: bool = false;
  hasBackoffLimitPerIndex: bool = false;
  /** NO_COUNT: not set. */
  completions: i64 = NO_COUNT;
  parallelism: i64 = NO_COUNT;
}

/** A status, reduced to what the rules look at. A new record is the status of a new Job. */
export class StatusFacts {
  active: i64 = 0;
  succeeded: i64 = 0;
  failed: i64 = 0;
  /** NO_COUNT: not set. The same holds for the counter below. */
  ready: i64 = NO_COUNT;
  terminating: i64 = NO_COUNT;
  /** How many UIDs both lists of uncounted pods have. Other UIDs in the same number do not count as a change. */
  uncounted: i32 = 0;
  /** Bits from COMPLETE to RESUMED. */
  conditions: u32 = 0;
  /** Wall clock, in milliseconds; NaN: not set. */
  startTimeMs: f64 = NaN;
  completionTimeMs: f64 = NaN;
  /** The address of UTF-8 text, not owned; 0: not set. */
  completedIndexes: usize = 0;
  completedIndexesLength: usize = 0;
  /** The address of UTF-8 text, not owned; 0: not set, which is not the same as empty text. */
  failedIndexes: usize = 0;
  failedIndexesLength: usize = 0;

  has(condition: u32): bool {
    return (this.conditions & condition) != 0;
  }

  get finished(): bool {
    return this.has(COMPLETE | FAILED);
  }

  get hasStartTime(): bool {
    return !isNaN(this.startTimeMs);
  }

  get hasCompletionTime(): bool {
    return !isNaN(this.completionTimeMs);
  }
}

const CONDITIONS = "status.conditions";
// Room for one timestamp.
const timeText: usize = memory.data(32);

/**
 * Checks V77 and V79 to V102: what the API server objects to when `next` replaces `stored`. If a counter is set and
 * negative, the caller must report it (`checkCounter`, V77): here it would look like NO_COUNT, which is negative, too.
 */
export function checkStatus(next: StatusFacts, stored: StatusFacts, spec: StatusSpec, errors: FieldErrors): void {
  checkFinish(next, stored, spec, errors);
  checkIndexes(next, stored, spec, errors);
  checkSuccessCriteria(next, spec, errors);
  checkProgress(next, stored, spec, errors);
}

/** Checks V77 for one counter. */
export function checkCounter(field: string, value: i64, errors: FieldErrors): void {
  if (value < 0) errors.invalid(field, decimal(value), "must be greater than or equal to 0");
}

// Checks V88 to V98: what a finished Job looks like.
function checkFinish(next: StatusFacts, stored: StatusFacts, spec: StatusSpec, errors: FieldErrors): void {
  const completeChanged = next.has(COMPLETE) != stored.has(COMPLETE);
  const failedChanged = next.has(FAILED) != stored.has(FAILED);
  const finishedChanged = next.finished != stored.finished;
  const targetChanged = next.has(FAILURE_TARGET) != stored.has(FAILURE_TARGET);
  const criteriaChanged = next.has(SUCCESS_CRITERIA_MET) != stored.has(SUCCESS_CRITERIA_MET);
  const startTimeChanged = !sameTime(next.startTimeMs, stored.startTimeMs);
  const completionTimeChanged = !sameTime(next.completionTimeMs, stored.completionTimeMs);
  const failedIndexesChanged = !sameText(
    next.failedIndexes,
    next.failedIndexesLength,
    stored.failedIndexes,
    stored.failedIndexesLength,
  );

  if ((completeChanged || failedChanged) && next.has(COMPLETE) && next.has(FAILED)) {
    errors.invalid(CONDITIONS, OMITTED, "cannot set Complete=True and Failed=true conditions");
  }
  if ((completeChanged || targetChanged) && next.has(COMPLETE) && next.has(FAILURE_TARGET)) {
    errors.invalid(CONDITIONS, OMITTED, "cannot set Complete=True and FailureTarget=true conditions");
  }
  if (completeChanged || completionTimeChanged) {
    if (next.hasCompletionTime && !next.has(COMPLETE)) {
      const detail = "cannot set completionTime when there is no Complete=True condition";
      errors.invalid("status.completionTime", renderTime(next.completionTimeMs), detail);
    }
    if (!next.hasCompletionTime && next.has(COMPLETE)) {
      errors.required("status.completionTime", "completionTime is required for Complete jobs");
    }
  }
  // A comparison with NaN is false.
  if ((startTimeChanged || completionTimeChanged) && next.completionTimeMs < next.startTimeMs) {
    errors.invalid("status.completionTime", renderTime(next.completionTimeMs), "must be equal to or after `startTime`");
  }
  if ((failedChanged || failedIndexesChanged) && next.has(FAILED) && !next.has(FAILURE_TARGET)) {
    errors.invalid(CONDITIONS, OMITTED, "cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if ((completeChanged || criteriaChanged) && next.has(COMPLETE) && !next.has(SUCCESS_CRITERIA_MET)) {
    errors.invalid(
      CONDITIONS,
      OMITTED,
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    );
  }
  if ((finishedChanged || next.active != stored.active) && next.finished && next.active > 0) {
    errors.invalid("status.active", decimal(next.active), "active>0 is invalid for finished job");
  }
  const nothingToRun = spec.suspend && spec.completions == 0;
  if ((finishedChanged || startTimeChanged) && !nothingToRun && next.finished && !next.hasStartTime) {
    errors.required("status.startTime", "startTime is required for finished job");
  }
  if ((finishedChanged || next.uncounted != stored.uncounted) && next.finished && next.uncounted > 0) {
    errors.invalid("status.uncountedTerminatedPods", OMITTED, "must be empty for finished job");
  }
  if ((finishedChanged || next.terminating != stored.terminating) && next.finished && next.terminating > 0) {
    errors.invalid("status.terminating", decimal(next.terminating), "terminating>0 is invalid for finished job");
  }
  if ((next.ready != stored.ready || next.active != stored.active) && next.ready > next.active) {
    errors.invalid("status.ready", decimal(next.ready), "cannot set more ready pods than active");
  }
}

// Checks V99 to V101.
function checkIndexes(next: StatusFacts, stored: StatusFacts, spec: StatusSpec, errors: FieldErrors): void {
  const completed = next.completedIndexes;
  const completedLength = next.completedIndexesLength;
  const failed = next.failedIndexes;
  const failedLength = next.failedIndexesLength;
  const completedChanged = !sameText(
    completed,
    completedLength,
    stored.completedIndexes,
    stored.completedIndexesLength,
  );
  const failedChanged = !sameText(failed, failedLength, stored.failedIndexes, stored.failedIndexesLength);
  if (completedChanged) {
    if (completedLength > 0 && !spec.indexed) {
      const detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
      errors.invalid("status.completedIndexes", renderText(completed, completedLength), detail);
    }
    checkIndexText("completedIndexes", completed, completedLength, spec, errors);
  }
  if (failedChanged && failed != 0) {
    if (!spec.hasBackoffLimitPerIndex) {
      const detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
      errors.invalid("status.failedIndexes", renderText(failed, failedLength), detail);
    }
    checkIndexText("failedIndexes", failed, failedLength, spec, errors);
  }
  if ((!completedChanged && !failedChanged) || failed == 0 || spec.completions == NO_COUNT) return;
  const index = overlap(completed, completedLength, failed, failedLength, spec.completions);
  if (index < 0) return;
  const detail = "failedIndexes and completedIndexes overlap at index: " + decimal(index);
  errors.invalid("status.failedIndexes", renderText(failed, failedLength), detail);
}

function checkIndexText(name: string, text: usize, length: usize, spec: StatusSpec, errors: FieldErrors): void {
  if (spec.completions == NO_COUNT) return;
  const problem = intervalProblem(text, length, spec.completions);
  if (problem.length > 0)
    errors.invalid("status." + name, renderText(text, length), "error parsing " + name + ": " + problem);
}

// Checks V79 to V81.
function checkSuccessCriteria(next: StatusFacts, spec: StatusSpec, errors: FieldErrors): void {
  if (next.has(SUCCESS_CRITERIA_MET)) {
    if (next.has(FAILED))
      errors.invalid(CONDITIONS, OMITTED, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
    if (next.has(FAILURE_TARGET)) {
      errors.invalid(CONDITIONS, OMITTED, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
    }
  } else if (spec.hasSuccessPolicy && next.has(COMPLETE)) {
    errors.invalid(
      CONDITIONS,
      OMITTED,
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
    );
  }
}

// Checks V82 to V87 and V102: what may not decrease or be undone.
function checkProgress(next: StatusFacts, stored: StatusFacts, spec: StatusSpec, errors: FieldErrors): void {
  checkStaysTrue(FAILED, "Failed", next, stored, errors);
  checkStaysTrue(COMPLETE, "Complete", next, stored, errors);
  checkStaysTrue(FAILURE_TARGET, "FailureTarget", next, stored, errors);
  if (next.failed < stored.failed) {
    errors.invalid("status.failed", decimal(next.failed), "cannot decrease the failed counter");
  }
  const elastic = spec.indexed && spec.completions != NO_COUNT && spec.completions == spec.parallelism;
  if (next.succeeded < stored.succeeded && !elastic) {
    errors.invalid("status.succeeded", decimal(next.succeeded), "cannot decrease the succeeded counter");
  }
  if (next.hasCompletionTime && stored.hasCompletionTime && next.completionTimeMs != stored.completionTimeMs) {
    errors.invalid("status.completionTime", renderTime(next.completionTimeMs), "field is immutable");
  }
  const resuming = stored.has(SUSPENDED) && next.has(RESUMED);
  if (stored.hasStartTime && !sameTime(next.startTimeMs, stored.startTimeMs) && !resuming && !spec.suspend) {
    errors.invalid("status.startTime", renderTime(next.startTimeMs), "field is immutable for unsuspended job once set");
  }
  if (stored.has(SUCCESS_CRITERIA_MET) && !next.has(SUCCESS_CRITERIA_MET)) {
    errors.invalid(CONDITIONS, OMITTED, "cannot disable the SuccessCriteriaMet=True condition");
  }
  if (stored.has(COMPLETE) && !stored.has(SUCCESS_CRITERIA_MET) && next.has(SUCCESS_CRITERIA_MET)) {
    errors.invalid(
      CONDITIONS,
      OMITTED,
      "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
    );
  }
}

function checkStaysTrue(
  condition: u32,
  type: string,
  next: StatusFacts,
  stored: StatusFacts,
  errors: FieldErrors,
): void {
  if (!stored.has(condition) || next.has(condition)) return;
  errors.invalid(CONDITIONS, OMITTED, "cannot disable the terminal " + type + "=True condition");
}

function sameTime(a: f64, b: f64): bool {
  return a == b || (isNaN(a) && isNaN(b));
}

// Whether the texts are the same. Nothing and the empty text differ here: failedIndexes can be either.
function sameText(a: usize, aLength: usize, b: usize, bLength: usize): bool {
  return (a == 0) == (b == 0) && aLength == bLength && bytesEqual(a, b, u32(aLength));
}

function renderText(text: usize, length: usize): string {
  return quote(String.UTF8.decodeUnsafe(text, length));
}

function renderTime(timeMs: f64): string {
  if (isNaN(timeMs)) return "null";
  writeTime(timeMs, timeText);
  return '"' + String.UTF8.decodeUnsafe(timeText, TIME_BYTES) + '"';
}
