/**
 * A Job as the API sends it: its spec and stored status as facts, taken in one pass. Nothing of the engine's state
 * changes here; what was read is moved into a record by apply.ts, or dropped when the object has a problem.
 * Source of what is read: docs/spec/controller.md 3.1–3.6, docs/spec/api.md 1.1 and 1.2.
 */
import { NO_COMPLETIONS, ABSENT } from "../model/absent";
import * as reader from "../json/reader";
import { blobOf, freeBlob } from "../memory/blob";
import { stringRead } from "../json/blobs";
import { Condition, conditionTypeOf, freeConditions } from "../model/condition";
import { zeroed } from "../memory/records";
import { MAX_UID_BYTES, UidList } from "../model/uid-list";
import * as documentKind from "./document-kind";
import * as f from "../json/field-keys";
import * as metadata from "./metadata";

// ── spec
export let parallelism: i32 = 1;
export let completions: i32 = NO_COMPLETIONS;
export let backoffLimit: i32 = 6;
export let activeDeadlineMs: f64 = NaN;
/** ttlSecondsAfterFinished in milliseconds; NaN: not given. */
export let ttlMs: f64 = NaN;
export let indexed: bool = false;
export let onFailure: bool = false;
export let suspended: bool = false;
/** The template names a scheduling group of its own. */
export let hasSchedulingGroup: bool = false;
/** podReplacementPolicy is Failed, or a podFailurePolicy is set: only a pod whose phase is Failed has failed. */
export let onlyReplaceFailed: bool = false;
/** ABSENT: not given. */
export let backoffLimitPerIndex: i32 = ABSENT;
export let maxFailedIndexes: i32 = ABSENT;
/** The policies' JSON, inside the document; sizes 0: not given. */
export let podFailurePolicy: usize = 0;
export let podFailurePolicySize: u32 = 0;
export let successPolicy: usize = 0;
export let successPolicySize: u32 = 0;
/** The template's JSON, inside the document. */
export let template: usize = 0;
export let templateSize: u32 = 0;
/** completionMode is neither NonIndexed nor Indexed. */
export let hasUnknownMode: bool = false;
/** spec.managedBy, inside the document, and whether it is there. */
export let managedBy: usize = 0;
export let managedBySize: u32 = 0;
export let hasManagedBy: bool = false;
/** The selector's JSON, inside the document; size 0: not given. */
export let selector: usize = 0;
export let selectorSize: u32 = 0;

// ── status
export let active: i32 = 0;
export let ready: i32 = ABSENT;
export let terminating: i32 = ABSENT;
export let succeeded: i32 = 0;
export let failed: i32 = 0;
export let startTimeMs: f64 = NaN;
export let completionTimeMs: f64 = NaN;
/** Blobs; 0: absent or, for completedText, empty. The reader of the facts takes them over. */
export let completedText: usize = 0;
export let failedText: usize = 0;
/** The reader of the facts takes the list over. */
export let conditions: Condition | null = null;
export let hasUncounted: bool = false;
export const uncountedSucceeded = zeroed<UidList>();
export const uncountedFailed = zeroed<UidList>();

/** Frees what the last reading left and nobody took over. */
export function drop(): void {
  freeConditions(conditions);
  conditions = null;
  freeBlob(completedText);
  completedText = 0;
  freeBlob(failedText);
  failedText = 0;
}

/** The conditions that were read; the caller owns them. */
export function takeConditions(): Condition | null {
  const taken = conditions;
  conditions = null;
  return taken;
}

/** The text of completedIndexes as a blob; the caller owns it. */
export function takeCompletedText(): usize {
  const taken = completedText;
  completedText = 0;
  return taken;
}

/** The text of failedIndexes as a blob, of size 0 when it is empty; 0 when the pointer is nil. The caller owns it. */
export function takeFailedText(): usize {
  const taken = failedText;
  failedText = 0;
  return taken;
}

/** Reads the object that the reader stands at. False when it is not an object; problems are in metadata.problem. */
export function read(): bool {
  drop();
  metadata.begin();
  parallelism = 1;
  completions = NO_COMPLETIONS;
  backoffLimit = 6;
  activeDeadlineMs = NaN;
  ttlMs = NaN;
  indexed = false;
  onFailure = false;
  suspended = false;
  hasSchedulingGroup = false;
  onlyReplaceFailed = false;
  backoffLimitPerIndex = ABSENT;
  maxFailedIndexes = ABSENT;
  podFailurePolicySize = 0;
  successPolicySize = 0;
  templateSize = 0;
  hasUnknownMode = false;
  hasManagedBy = false;
  selectorSize = 0;
  active = 0;
  ready = ABSENT;
  terminating = ABSENT;
  succeeded = 0;
  failed = 0;
  startTimeMs = NaN;
  completionTimeMs = NaN;
  hasUncounted = false;
  uncountedSucceeded.truncate(0);
  uncountedFailed.truncate(0);

  if (!reader.enterObject()) return false;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.METADATA) metadata.read();
    else if (key == f.SPEC) readSpec();
    else if (key == f.STATUS) readStatus();
    else documentKind.readOrSkip(key);
  }
  return reader.ok();
}

function readSpec(): void {
  let hasPolicy = false;
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.PARALLELISM) {
      parallelism = readCount(1, "spec.parallelism: not a whole number from 0 to 2147483647");
    } else if (key == f.COMPLETIONS) {
      completions = readCount(NO_COMPLETIONS, "spec.completions: not a whole number from 0 to 2147483647");
    } else if (key == f.BACKOFF_LIMIT) {
      backoffLimit = readCount(6, "spec.backoffLimit: not a whole number from 0 to 2147483647");
    } else if (key == f.ACTIVE_DEADLINE_SECONDS) {
      const seconds = reader.readInteger(-1);
      if (seconds >= 0) activeDeadlineMs = f64(seconds) * 1000;
    } else if (key == f.COMPLETION_MODE) {
      if (!reader.readString()) continue;
      indexed = reader.stringIs("Indexed");
      hasUnknownMode = !indexed && !reader.stringIs("NonIndexed");
    } else if (key == f.TEMPLATE) {
      readTemplate();
    } else if (key == f.MANAGED_BY) {
      if (reader.readString()) {
        hasManagedBy = true;
        managedBy = reader.stringAt();
        managedBySize = reader.stringSize();
        if (reader.stringHasEscapes()) metadata.noteProblem("spec.managedBy: has escapes");
      }
    } else if (key == f.SUSPEND) {
      suspended = reader.readBoolean();
    } else if (key == f.SELECTOR) {
      reader.peek();
      selector = reader.position();
      if (present()) selectorSize = u32(reader.position() - selector);
    } else if (key == f.POD_REPLACEMENT_POLICY) {
      if (reader.readString() && reader.stringIs("Failed")) onlyReplaceFailed = true;
    } else if (key == f.POD_FAILURE_POLICY) {
      reader.peek();
      podFailurePolicy = reader.position();
      if (present()) {
        podFailurePolicySize = u32(reader.position() - podFailurePolicy);
        hasPolicy = true;
      }
    } else if (key == f.SUCCESS_POLICY) {
      reader.peek();
      successPolicy = reader.position();
      if (present()) successPolicySize = u32(reader.position() - successPolicy);
    } else if (key == f.BACKOFF_LIMIT_PER_INDEX) {
      backoffLimitPerIndex = readCount(ABSENT, "spec.backoffLimitPerIndex: not a whole number from 0 to 2147483647");
    } else if (key == f.MAX_FAILED_INDEXES) {
      maxFailedIndexes = readCount(ABSENT, "spec.maxFailedIndexes: not a whole number from 0 to 2147483647");
    } else if (key == f.TTL_SECONDS_AFTER_FINISHED) {
      const seconds = reader.readInteger(-1);
      if (seconds >= 0) ttlMs = f64(seconds) * 1000;
    } else {
      reader.skipValue();
    }
  }
  if (hasPolicy) onlyReplaceFailed = true;
  if (indexed && completions == NO_COMPLETIONS)
    metadata.noteProblem("spec.completions: missing, an Indexed Job needs it");
}

// Skips the value. False for null.
function present(): bool {
  if (reader.readNull()) return false;
  reader.skipValue();
  return true;
}

function readCount(absent: i32, wrong: string): i32 {
  const value = reader.readInteger(i64(absent));
  if (value == i64(absent)) return absent;
  if (value < 0 || value > i64(i32.MAX_VALUE)) {
    metadata.noteProblem(wrong);
    return absent;
  }
  return i32(value);
}

// The template is kept as it stands; only the restart policy is looked at, and whether there is a scheduling group.
function readTemplate(): void {
  reader.peek();
  template = reader.position();
  if (reader.enterObject()) {
    while (reader.nextKey()) {
      if (f.key() != f.SPEC) {
        reader.skipValue();
        continue;
      }
      if (!reader.enterObject()) continue;
      while (reader.nextKey()) {
        const key = f.key();
        if (key == f.RESTART_POLICY) {
          onFailure = reader.readString() && reader.stringIs("OnFailure");
          continue;
        }
        if (key == f.SCHEDULING_GROUP) hasSchedulingGroup = true;
        reader.skipValue();
      }
    }
  }
  if (reader.ok()) templateSize = u32(reader.position() - template);
}

function readStatus(): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.ACTIVE) active = readCount(0, "status.active: out of range");
    else if (key == f.READY) ready = readCount(ABSENT, "status.ready: out of range");
    else if (key == f.TERMINATING) terminating = readCount(ABSENT, "status.terminating: out of range");
    else if (key == f.SUCCEEDED) succeeded = readCount(0, "status.succeeded: out of range");
    else if (key == f.FAILED) failed = readCount(0, "status.failed: out of range");
    else if (key == f.START_TIME) startTimeMs = metadata.readTime("status.startTime: not a time");
    else if (key == f.COMPLETION_TIME) completionTimeMs = metadata.readTime("status.completionTime: not a time");
    else if (key == f.COMPLETED_INDEXES) readCompletedText();
    else if (key == f.FAILED_INDEXES) readFailedText();
    else if (key == f.UNCOUNTED_TERMINATED_PODS) readUncounted();
    else if (key == f.CONDITIONS) readConditions();
    else reader.skipValue();
  }
}

function readCompletedText(): void {
  freeBlob(completedText);
  completedText = 0;
  if (reader.readString() && reader.stringSize() > 0) completedText = blobOf(reader.stringAt(), reader.stringSize());
}

function readFailedText(): void {
  freeBlob(failedText);
  failedText = reader.readString() ? blobOf(reader.stringAt(), reader.stringSize()) : 0;
}

function readUncounted(): void {
  if (!reader.enterObject()) return;
  hasUncounted = true;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.SUCCEEDED) readUids(uncountedSucceeded);
    else if (key == f.FAILED) readUids(uncountedFailed);
    else reader.skipValue();
  }
}

function readUids(to: UidList): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    if (!reader.readString()) continue;
    if (reader.stringSize() > MAX_UID_BYTES)
      metadata.noteProblem("status.uncountedTerminatedPods: a UID is longer than 63 bytes");
    else to.push(reader.stringAt(), reader.stringSize());
  }
}

function readConditions(): void {
  freeConditions(conditions);
  conditions = null;
  let last: Condition | null = null;
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    reader.peek();
    const from = reader.position();
    const condition = zeroed<Condition>();
    if (last === null) conditions = condition;
    else last.next = condition;
    last = condition;
    condition.transitionMs = NaN;
    if (!reader.enterObject()) continue;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.TYPE) {
        if (reader.readString()) condition.type = conditionTypeOf(reader.stringAt(), reader.stringSize());
      } else if (key == f.STATUS) {
        if (!reader.readString()) continue;
        condition.isTrue = reader.stringIs("True");
        condition.isFalse = reader.stringIs("False");
      } else if (key == f.LAST_TRANSITION_TIME) {
        condition.transitionMs = metadata.readTime("status.conditions[].lastTransitionTime: not a time");
      } else if (key == f.REASON) {
        if (reader.readString()) condition.reason = stringRead(condition.reason);
      } else if (key == f.MESSAGE) {
        if (reader.readString()) condition.message = stringRead(condition.message);
      } else {
        reader.skipValue();
      }
    }
    if (reader.ok()) condition.raw = blobOf(from, u32(reader.position() - from));
  }
}
