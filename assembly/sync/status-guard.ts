/**
 * Checks a status by the API server's own rules before it is sent. A status that the server refuses with 422 would
 * block the Job for ever. So the engine does not send such a status, and records what is wrong with it (StatusNotSent).
 * The texts of completedIndexes and failedIndexes are not checked: they come from interval sets, which write no text
 * that the server refuses. Source: docs/spec/api.md 2.8.
 */
import { FieldErrors } from "../admission/field-errors";
import {
  checkStatus,
  COMPLETE,
  FAILED,
  FAILURE_TARGET,
  NO_COUNT,
  RESUMED,
  StatusFacts,
  StatusSpec,
  SUCCESS_CRITERIA_MET,
  SUSPENDED,
} from "../admission/status-rules";
import { noteGarbage } from "../memory/garbage";
import { ABSENT, NO_COMPLETIONS } from "../model/absent";
import { blobOf } from "../memory/blob";
import {
  Condition,
  CONDITION_COMPLETE,
  CONDITION_FAILED,
  CONDITION_FAILURE_TARGET,
  CONDITION_SUCCESS_CRITERIA_MET,
  CONDITION_SUSPENDED,
} from "../model/condition";
import { Job } from "../model/job";
import { Sync } from "../model/sync";

// Allocated once and reused, because statuses are written often.
const next = new StatusFacts();
const stored = new StatusFacts();
const spec = new StatusSpec();
let errors = new FieldErrors();

/**
 * Why the API server would refuse the status that the sync is about to write, as a blob that the caller owns; 0: it
 * accepts it.
 */
export function statusObjection(job: Job, sync: Sync): usize {
  fillSpec(job);
  fillStored(job);
  fillNext(job, sync);
  checkStatus(next, stored, spec, errors);
  if (errors.length == 0) return 0;
  noteGarbage();
  const text = String.UTF8.encode(errors.text());
  errors = new FieldErrors();
  return blobOf(changetype<usize>(text), u32(text.byteLength));
}

function fillSpec(job: Job): void {
  spec.indexed = job.spec.indexed;
  spec.suspend = job.spec.suspended;
  spec.hasSuccessPolicy = job.successPolicy !== null;
  spec.hasBackoffLimitPerIndex = job.spec.backoffLimitPerIndex != ABSENT;
  spec.completions = job.spec.completions == NO_COMPLETIONS ? NO_COUNT : job.spec.completions;
  spec.parallelism = job.spec.parallelism;
}

function fillStored(job: Job): void {
  stored.active = job.storedActive;
  stored.succeeded = job.storedSucceeded;
  stored.failed = job.storedFailed;
  stored.ready = job.storedReady == ABSENT ? NO_COUNT : job.storedReady;
  stored.terminating = job.storedTerminating == ABSENT ? NO_COUNT : job.storedTerminating;
  stored.uncounted = job.uncountedSucceeded.length + job.uncountedFailed.length;
  stored.startTimeMs = job.startTimeMs;
  stored.completionTimeMs = job.completionTimeMs;
  stored.conditions = 0;
  let condition = job.conditions;
  while (condition !== null) {
    stored.conditions |= bitOf(condition);
    condition = condition.next;
  }
}

function fillNext(job: Job, sync: Sync): void {
  next.active = job.active;
  next.succeeded = sync.succeeded;
  next.failed = sync.failed;
  next.ready = job.ready;
  next.terminating = job.terminating;
  next.uncounted = sync.uncountedSucceeded.length + sync.uncountedFailed.length;
  next.startTimeMs = sync.startTimeMs;
  next.completionTimeMs = sync.terminal == CONDITION_COMPLETE ? sync.completionTimeMs : job.completionTimeMs;
  next.conditions = stored.conditions;
  if (sync.terminal != 0) {
    next.conditions |= bit(sync.terminal, true);
  } else if (sync.interim == CONDITION_SUSPENDED) {
    next.conditions = (next.conditions & ~(SUSPENDED | RESUMED)) | bit(sync.interim, sync.interimIsTrue);
  } else if (sync.interim != 0) {
    next.conditions |= bit(sync.interim, true);
  }
}

function bitOf(condition: Condition): u32 {
  if (condition.isTrue) return bit(condition.type, true);
  return condition.isFalse ? bit(condition.type, false) : 0;
}

function bit(type: u8, isTrue: bool): u32 {
  if (type == CONDITION_SUSPENDED) return isTrue ? SUSPENDED : RESUMED;
  if (!isTrue) return 0;
  if (type == CONDITION_COMPLETE) return COMPLETE;
  if (type == CONDITION_FAILED) return FAILED;
  if (type == CONDITION_FAILURE_TARGET) return FAILURE_TARGET;
  return type == CONDITION_SUCCESS_CRITERIA_MET ? SUCCESS_CRITERIA_MET : 0;
}
