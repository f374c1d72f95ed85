/**
 * Applies the status rules to an API object. It reads a Job's status from its tree, makes the checks that need the
 * lists themselves, and asks status-rules.ts for the others. Invariant: texts that the facts point to live as long as
 * the facts.
 */
import { StringSet, wordsOf } from "../json/text";
import { ABSENT, JsonNode, noteMismatch, objectOf } from "../json/tree";
import { utf8Of } from "../json/utf8";
import { parseTime } from "../time/rfc3339";
import { conditionIsTrue, conditionStatus } from "./conditions";
import { FieldErrors } from "./field-errors";
import { quote } from "./render";
import {
  checkCounter,
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
} from "./status-rules";

const COUNTERS = "active,succeeded,failed,ready,terminating";
const UNCOUNTED_LISTS = "succeeded,failed";

class TreeStatus extends StatusFacts {
  completedText: ArrayBuffer | null = null;
  failedText: ArrayBuffer | null = null;
}

/** Checks V77 to V102 for a write to `/status`. The spec is the stored one. */
export function validateStatusUpdate(job: JsonNode, old: JsonNode, errors: FieldErrors): void {
  const status = job.object("status");
  checkCounters(status, errors);
  checkUncounted(status, errors);
  checkStatus(factsOf(status), factsOf(old.object("status")), specOf(old.object("spec")), errors);
}

function specOf(spec: JsonNode | null): StatusSpec {
  const facts = new StatusSpec();
  if (spec === null) return facts;
  facts.indexed = spec.string("completionMode") == "Indexed";
  facts.suspend = spec.boolean("suspend");
  facts.hasSuccessPolicy = spec.has("successPolicy");
  facts.hasBackoffLimitPerIndex = spec.has("backoffLimitPerIndex");
  facts.completions = countOf(spec, "completions");
  facts.parallelism = countOf(spec, "parallelism");
  return facts;
}

function factsOf(status: JsonNode | null): TreeStatus {
  const facts = new TreeStatus();
  if (status === null) return facts;
  facts.active = max<i64>(0, status.integer("active"));
  facts.succeeded = max<i64>(0, status.integer("succeeded"));
  facts.failed = max<i64>(0, status.integer("failed"));
  facts.ready = countOf(status, "ready");
  facts.terminating = countOf(status, "terminating");
  facts.uncounted = uncountedOf(status);
  if (conditionIsTrue(status, "Complete")) facts.conditions |= COMPLETE;
  if (conditionIsTrue(status, "Failed")) facts.conditions |= FAILED;
  if (conditionIsTrue(status, "FailureTarget")) facts.conditions |= FAILURE_TARGET;
  if (conditionIsTrue(status, "SuccessCriteriaMet")) facts.conditions |= SUCCESS_CRITERIA_MET;
  if (conditionIsTrue(status, "Suspended")) facts.conditions |= SUSPENDED;
  if (conditionStatus(status, "Suspended") == "False") facts.conditions |= RESUMED;
  facts.startTimeMs = timeOf(status, "startTime");
  facts.completionTimeMs = timeOf(status, "completionTime");
  const completed = status.string("completedIndexes");
  if (completed.length > 0) {
    const text = String.UTF8.encode(completed);
    facts.completedText = text;
    facts.completedIndexes = changetype<usize>(text);
    facts.completedIndexesLength = text.byteLength;
  }
  if (status.has("failedIndexes")) {
    const text = String.UTF8.encode(status.string("failedIndexes"));
    facts.failedText = text;
    facts.failedIndexes = changetype<usize>(text);
    facts.failedIndexesLength = text.byteLength;
  }
  return facts;
}

function countOf(node: JsonNode, key: string): i64 {
  const value = node.integer(key);
  return value == ABSENT ? NO_COUNT : max<i64>(0, value);
}

/** The time in this member, in milliseconds; NaN if there is none. Any other text is recorded as a mismatch. */
export function timeOf(object: JsonNode, key: string): f64 {
  const node = object.get(key);
  if (node === null) return NaN;
  const text = utf8Of(node.asString());
  const timeMs = parseTime(text.start, text.length);
  if (isNaN(timeMs)) noteMismatch(node, "a time as RFC 3339 writes it");
  return timeMs;
}

function checkCounters(status: JsonNode | null, errors: FieldErrors): void {
  if (status === null) return;
  const counters = wordsOf(COUNTERS);
  for (let i = 0; i < counters.length; i++) {
    const value = status.integer(counters[i]);
    if (value != ABSENT) checkCounter(status.pathOf(counters[i]), value, errors);
  }
}

// Checks V78. Both lists share one set of UIDs.
function checkUncounted(status: JsonNode | null, errors: FieldErrors): void {
  const uncounted = objectOf(status, "uncountedTerminatedPods");
  if (uncounted === null) return;
  const seen = new StringSet();
  const lists = wordsOf(UNCOUNTED_LISTS);
  for (let i = 0; i < lists.length; i++) {
    const uids = uncounted.list(lists[i]);
    if (uids === null) continue;
    for (let uid = uids.first; uid !== null; uid = errors.after(uid)) {
      const text = uid.asString();
      if (text.length == 0) errors.invalid(uid.path(), quote(text), "must not be empty");
      else if (!seen.add(text)) errors.duplicate(uid.path(), quote(text));
    }
  }
}

function uncountedOf(status: JsonNode): i32 {
  const uncounted = status.object("uncountedTerminatedPods");
  if (uncounted === null) return 0;
  let count = 0;
  const lists = wordsOf(UNCOUNTED_LISTS);
  for (let i = 0; i < lists.length; i++) {
    const uids = uncounted.list(lists[i]);
    if (uids !== null) count += uids.length;
  }
  return count;
}
