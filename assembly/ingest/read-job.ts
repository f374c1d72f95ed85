/**
 * Reads a Job as the API sends it, in one pass: its spec and stored status become facts. Nothing of the engine's state
 * changes here. Source of what is read: docs/spec/controller.md 3.1–3.6, docs/spec/api.md 1.1 and 1.2.
 */
import { ABSENT, NO_COMPLETIONS } from "../model/absent";
import * as reader from "../json/reader";
import { blobOf, freeBlob } from "../memory/blob";
import { stringRead } from "../json/blobs";
import { Condition, conditionTypeOf, freeConditions } from "../model/condition";
import { zeroed } from "../memory/records";
import { MAX_UID_BYTES, UidList } from "../model/uid-list";
import * as f from "../json/field-keys";
import { JobFacts } from "./job-facts";
import { readMetadata } from "./read-metadata";
import { readPolicy } from "./scheduling-policy";

const PARALLELISM = f.keyOf("parallelism");
const COMPLETIONS = f.keyOf("completions");
const ACTIVE_DEADLINE_SECONDS = f.keyOf("activeDeadlineSeconds");
const BACKOFF_LIMIT = f.keyOf("backoffLimit");
const COMPLETION_MODE = f.keyOf("completionMode");
const TEMPLATE = f.keyOf("template");
const SCHEDULING_GROUP = f.keyOf("schedulingGroup");
const SUSPEND = f.keyOf("suspend");
const MANAGED_BY = f.keyOf("managedBy");
const SELECTOR = f.keyOf("selector");
const POD_FAILURE_POLICY = f.keyOf("podFailurePolicy");
const SUCCESS_POLICY = f.keyOf("successPolicy");
const BACKOFF_LIMIT_PER_INDEX = f.keyOf("backoffLimitPerIndex");
const MAX_FAILED_INDEXES = f.keyOf("maxFailedIndexes");
const TTL_SECONDS_AFTER_FINISHED = f.keyOf("ttlSecondsAfterFinished");
const POD_REPLACEMENT_POLICY = f.keyOf("podReplacementPolicy");
const SCHEDULING = f.keyOf("scheduling");

const ACTIVE = f.keyOf("active");
const READY = f.keyOf("ready");
const TERMINATING = f.keyOf("terminating");
const SUCCEEDED = f.keyOf("succeeded");
const FAILED = f.keyOf("failed");
const START_TIME = f.keyOf("startTime");
const COMPLETION_TIME = f.keyOf("completionTime");
const COMPLETED_INDEXES = f.keyOf("completedIndexes");
const FAILED_INDEXES = f.keyOf("failedIndexes");
const UNCOUNTED_TERMINATED_PODS = f.keyOf("uncountedTerminatedPods");

const NOT_A_COUNT = ": not a whole number from 0 to 2147483647";
const OUT_OF_RANGE = ": out of range";

const jobFacts = changetype<JobFacts>(memory.data(offsetof<JobFacts>(), 8));

/** Reads the object that the reader is at. `isRead` of the facts says whether there is one. */
export function readJob(): JobFacts {
  const facts = jobFacts;
  facts.begin();
  if (!reader.enterObject()) return facts;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.METADATA) readMetadata(facts);
    else if (key == f.SPEC) readSpec(facts);
    else if (key == f.STATUS) readStatus(facts);
    else facts.readOrSkip(key);
  }
  facts.isRead = reader.ok();
  return facts;
}

function readSpec(facts: JobFacts): void {
  const spec = facts.spec;
  let hasPolicy = false;
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == PARALLELISM) {
      spec.parallelism = readCount(facts, spec.parallelism, "spec.parallelism");
    } else if (key == COMPLETIONS) {
      spec.completions = readCount(facts, spec.completions, "spec.completions");
    } else if (key == BACKOFF_LIMIT) {
      spec.backoffLimit = readCount(facts, spec.backoffLimit, "spec.backoffLimit");
    } else if (key == ACTIVE_DEADLINE_SECONDS) {
      const seconds = reader.readInteger(-1);
      if (seconds >= 0) spec.activeDeadlineMs = f64(seconds) * 1000;
    } else if (key == COMPLETION_MODE) {
      if (!reader.readString()) continue;
      spec.indexed = reader.stringIs("Indexed");
      spec.hasUnknownMode = !spec.indexed && !reader.stringIs("NonIndexed");
    } else if (key == TEMPLATE) {
      readTemplate(facts);
    } else if (key == MANAGED_BY) {
      readManagedBy(facts);
    } else if (key == SUSPEND) {
      spec.suspended = reader.readBoolean();
    } else if (key == SELECTOR) {
      reader.peek();
      facts.selector = reader.position();
      if (present()) facts.selectorSize = u32(reader.position() - facts.selector);
    } else if (key == POD_REPLACEMENT_POLICY) {
      if (reader.readString() && reader.stringIs("Failed")) spec.onlyReplaceFailed = true;
    } else if (key == POD_FAILURE_POLICY) {
      reader.peek();
      facts.podFailurePolicy = reader.position();
      if (present()) {
        facts.podFailurePolicySize = u32(reader.position() - facts.podFailurePolicy);
        hasPolicy = true;
      }
    } else if (key == SUCCESS_POLICY) {
      reader.peek();
      facts.successPolicy = reader.position();
      if (present()) facts.successPolicySize = u32(reader.position() - facts.successPolicy);
    } else if (key == BACKOFF_LIMIT_PER_INDEX) {
      spec.backoffLimitPerIndex = readCount(facts, spec.backoffLimitPerIndex, "spec.backoffLimitPerIndex");
    } else if (key == MAX_FAILED_INDEXES) {
      spec.maxFailedIndexes = readCount(facts, spec.maxFailedIndexes, "spec.maxFailedIndexes");
    } else if (key == TTL_SECONDS_AFTER_FINISHED) {
      const seconds = reader.readInteger(-1);
      if (seconds >= 0) spec.ttlMs = f64(seconds) * 1000;
    } else if (key == SCHEDULING) {
      readScheduling(facts);
    } else {
      reader.skipValue();
    }
  }
  if (hasPolicy) spec.onlyReplaceFailed = true;
  // No API server accepts a limit per index for a Job without indexes. If one comes anyway, it is ignored.
  if (!spec.indexed) spec.backoffLimitPerIndex = ABSENT;
  if (spec.indexed && spec.completions == NO_COMPLETIONS)
    facts.noteProblem("spec.completions: missing, an Indexed Job needs it");
}

function readManagedBy(facts: JobFacts): void {
  if (!reader.readString()) return;
  facts.hasManagedBy = true;
  facts.managedBy = reader.stringAt();
  facts.managedBySize = facts.plainSize("spec.managedBy: has escapes");
}

// Keeps the JSON of spec.scheduling. Reads only whether it asks for a gang, and for one of how many pods.
function readScheduling(facts: JobFacts): void {
  reader.peek();
  facts.scheduling = reader.position();
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (!reader.stringIs("schedulingPolicy")) {
      reader.skipValue();
      continue;
    }
    const policy = readPolicy();
    facts.spec.isGang = policy.isGang;
    facts.spec.gangMinCount = policy.minCount;
  }
  if (reader.ok()) facts.schedulingSize = u32(reader.position() - facts.scheduling);
}

// Skips the value. False if it is null.
function present(): bool {
  if (reader.readNull()) return false;
  reader.skipValue();
  return true;
}

// Reads a number from 0 on. `absent` is returned for null.
function readCount(facts: JobFacts, absent: i32, field: string, wrong: string = NOT_A_COUNT): i32 {
  const value = reader.readInteger(i64(absent));
  if (value == i64(absent)) return absent;
  if (value < 0 || value > i64(i32.MAX_VALUE)) {
    facts.noteProblem(field + wrong);
    return absent;
  }
  return i32(value);
}

// Keeps the template's JSON. Reads only the restart policy, and whether there is a scheduling group.
function readTemplate(facts: JobFacts): void {
  reader.peek();
  facts.template = reader.position();
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
          facts.spec.onFailure = reader.readString() && reader.stringIs("OnFailure");
          continue;
        }
        if (key == SCHEDULING_GROUP) facts.spec.hasSchedulingGroup = true;
        reader.skipValue();
      }
    }
  }
  if (reader.ok()) facts.templateSize = u32(reader.position() - facts.template);
}

function readStatus(facts: JobFacts): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == ACTIVE) facts.active = readCount(facts, 0, "status.active", OUT_OF_RANGE);
    else if (key == READY) facts.ready = readCount(facts, ABSENT, "status.ready", OUT_OF_RANGE);
    else if (key == TERMINATING) facts.terminating = readCount(facts, ABSENT, "status.terminating", OUT_OF_RANGE);
    else if (key == SUCCEEDED) facts.succeeded = readCount(facts, 0, "status.succeeded", OUT_OF_RANGE);
    else if (key == FAILED) facts.failed = readCount(facts, 0, "status.failed", OUT_OF_RANGE);
    else if (key == START_TIME) facts.startTimeMs = facts.readTime("status.startTime: not a time");
    else if (key == COMPLETION_TIME) facts.completionTimeMs = facts.readTime("status.completionTime: not a time");
    else if (key == COMPLETED_INDEXES) readCompletedText(facts);
    else if (key == FAILED_INDEXES) readFailedText(facts);
    else if (key == UNCOUNTED_TERMINATED_PODS) readUncounted(facts);
    else if (key == f.CONDITIONS) readConditions(facts);
    else reader.skipValue();
  }
}

function readCompletedText(facts: JobFacts): void {
  freeBlob(facts.takeCompletedText());
  if (reader.readString() && reader.stringSize() > 0)
    facts.completedText = blobOf(reader.stringAt(), reader.stringSize());
}

function readFailedText(facts: JobFacts): void {
  freeBlob(facts.failedText);
  facts.failedText = reader.readString() ? blobOf(reader.stringAt(), reader.stringSize()) : 0;
}

function readUncounted(facts: JobFacts): void {
  if (!reader.enterObject()) return;
  facts.hasUncounted = true;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == SUCCEEDED) readUids(facts, facts.uncountedSucceeded);
    else if (key == FAILED) readUids(facts, facts.uncountedFailed);
    else reader.skipValue();
  }
}

function readUids(facts: JobFacts, to: UidList): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    if (!reader.readString()) continue;
    if (reader.stringSize() > MAX_UID_BYTES)
      facts.noteProblem("status.uncountedTerminatedPods: a UID is longer than 63 bytes");
    else to.push(reader.stringAt(), reader.stringSize());
  }
}

function readConditions(facts: JobFacts): void {
  freeConditions(facts.takeConditions());
  let last: Condition | null = null;
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    reader.peek();
    const from = reader.position();
    const condition = zeroed<Condition>();
    if (last === null) facts.conditions = condition;
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
        condition.transitionMs = facts.readTime("status.conditions[].lastTransitionTime: not a time");
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
