/**
 * Rules about failures, retries and deadlines, by docs/spec/controller.md: 3.2 (backoff), 3.3 (S17: limits and the
 * deadline), 3.4 (S19: indexes), 3.1 (which pods count as failed).
 */
import { ABSENT, after, JsonNode, listOf } from "../json/tree";
import { backoffMs, POD_BACKOFF_BASE_MS, POD_BACKOFF_MAX_MS, TRUNCATED_MS } from "../model/backoff";
import { advise, isSet } from "./advice";
import {
  DISRUPTIONS_COUNT,
  FAILED_LOGS_LOST,
  FAILED_INDEXES_UNLIMITED,
  GRACE_PAST_DEADLINE,
  LAST_RETRY_KILLED,
  LIMIT_PER_INDEX_UNUSED,
  NO_DEADLINE,
  REPLACED_WHILE_TERMINATING,
  RETRIES_PAST_DEADLINE,
} from "./rules";
import { isGiven, milliseconds, Subject } from "./subject";

/** With more retries than this, a lost one matters little. */
const SMALL_BACKOFF_LIMIT: i64 = 3;
/** Grace periods from here on count as long. Shorter ones are mostly over when the backoff (10 s or more) ends. */
const LONG_GRACE_MS: f64 = 60000;
const GRACE = "terminationGracePeriodSeconds";
/** Retries that are looked at. The waits before as many take two months. */
const MAX_RETRIES: i64 = 10000;

export function lintRetries(subject: Subject): void {
  const spec = subject.spec;
  const backoffLimit = spec.integer("backoffLimit");
  const perIndex = spec.integer("backoffLimitPerIndex");
  const podSpec = subject.podSpec;
  if (podSpec.string("restartPolicy") == "OnFailure") {
    if (backoffLimit > SMALL_BACKOFF_LIMIT) advise(FAILED_LOGS_LOST, podSpec, "restartPolicy");
    else advise(LAST_RETRY_KILLED, spec, "backoffLimit", "", f64(backoffLimit), f64(max<i64>(1, backoffLimit)));
  }
  const rules = listOf(spec.object("podFailurePolicy"), "rules");
  if (perIndex != ABSENT && backoffLimit <= perIndex && !hasAction(rules, "FailIndex"))
    advise(LIMIT_PER_INDEX_UNUSED, spec, "backoffLimit", "", f64(backoffLimit), f64(perIndex));
  const maxFailedIndexes = spec.integer("maxFailedIndexes");
  if (subject.completions > 0 && maxFailedIndexes >= subject.completions)
    advise(FAILED_INDEXES_UNLIMITED, spec, "maxFailedIndexes", "", f64(maxFailedIndexes), f64(subject.completions));
  const pods = subject.podsAtOnce;
  if (perIndex == ABSENT && backoffLimit > 0 && pods > backoffLimit && !ignoresDisruptions(rules))
    advise(DISRUPTIONS_COUNT, spec, "backoffLimit", "", f64(pods), f64(backoffLimit));
}

export function lintDeadlines(subject: Subject): void {
  const deadlineMs = subject.deadlineMs;
  if (isNaN(deadlineMs)) {
    // For a CronJob the rule of its policy says more (cron-job.ts), unless the settings ask for this one.
    if (subject.isWithoutDeadline && (subject.cronJob === null || isSet(NO_DEADLINE)))
      advise(NO_DEADLINE, subject.spec, "activeDeadlineSeconds");
  } else {
    lintWaits(subject, deadlineMs);
  }
  const podSpec = subject.podSpec;
  if (!isGiven(podSpec, GRACE)) return;
  const graceMs = milliseconds(podSpec, GRACE);
  if (graceMs > deadlineMs) advise(GRACE_PAST_DEADLINE, podSpec, GRACE, "", graceMs, deadlineMs);
  if (graceMs >= LONG_GRACE_MS && isReplacedAtOnce(subject))
    advise(REPLACED_WHILE_TERMINATING, podSpec, GRACE, "", graceMs);
}

// The waits are known only for a single pod: several pods may fail at once, and a success resets the backoff.
function lintWaits(subject: Subject, deadlineMs: f64): void {
  const spec = subject.spec;
  const limit = spec.integer("backoffLimit");
  if (!isGiven(spec, "backoffLimit") || spec.has("backoffLimitPerIndex")) return;
  if (subject.parallelism != 1 || subject.completions > 1 || subject.podSpec.string("restartPolicy") != "Never") return;
  let retries: i64 = 0;
  for (let startMs: f64 = 0; retries < min(limit, MAX_RETRIES); ++retries) {
    startMs += backoffMs(i32(retries) + 1, POD_BACKOFF_BASE_MS, POD_BACKOFF_MAX_MS) - TRUNCATED_MS;
    if (startMs >= deadlineMs) break;
  }
  if (retries < min(limit, MAX_RETRIES))
    advise(RETRIES_PAST_DEADLINE, spec, "backoffLimit", "", f64(retries), f64(limit), deadlineMs);
}

// Whether deleted pods get a successor before they have ended, by default and not by a setting.
function isReplacedAtOnce(subject: Subject): bool {
  const spec = subject.spec;
  if (isGiven(spec, "podReplacementPolicy") || spec.has("podFailurePolicy") || subject.podsAtOnce == 0) return false;
  return spec.integer("backoffLimit") != 0 && spec.integer("backoffLimitPerIndex") != 0;
}

function hasAction(rules: JsonNode | null, action: string): bool {
  if (rules === null) return false;
  for (let rule = rules.first; rule !== null; rule = after(rule)) {
    if (rule.string("action") == action) return true;
  }
  return false;
}

function ignoresDisruptions(rules: JsonNode | null): bool {
  if (rules === null) return false;
  for (let rule = rules.first; rule !== null; rule = after(rule)) {
    const conditions = rule.list("onPodConditions");
    if (conditions === null || rule.string("action") != "Ignore") continue;
    for (let condition = conditions.first; condition !== null; condition = after(condition)) {
      if (condition.string("type") == "DisruptionTarget") return true;
    }
  }
  return false;
}
