/**
 * Rules about failures, retries and deadlines, by docs/spec/controller.md: 3.2 (backoff), 3.3 (S17: limits and the
 * deadline), 3.4 (S19: indexes), 3.1 (which pods count as failed).
 */
import { ABSENT, after, JsonNode, listOf } from "../json/tree";
import { backoffMs, POD_BACKOFF_BASE_MS, POD_BACKOFF_MAX_MS, TRUNCATED_MS } from "../model/backoff";
import { advise, isSet } from "./advice";
import { Rule, rule } from "./rule";
import { isGiven, milliseconds, Subject } from "./subject";

const LAST_RETRY_KILLED = rule(
  "LastRetryKilled",
  "backoffLimit,restarts",
  "with restartPolicy OnFailure the Job fails once its containers have restarted {restarts:times}: the controller deletes the pod as the last retry starts, and the logs are gone with it",
  "set restartPolicy to Never, which keeps failed pods with their logs, or raise backoffLimit by one",
  "warn",
);
const FAILED_LOGS_LOST = rule(
  "FailedLogsLost",
  "",
  "with restartPolicy OnFailure every try is made in one pod, and the controller deletes that pod when the Job fails: the logs of the failure are gone",
  "set restartPolicy Never, which keeps the failed pods with their logs, or send the logs to a store outside the pod",
  "warn",
);
const LIMIT_PER_INDEX_UNUSED = rule(
  "LimitPerIndexUnused",
  "backoffLimit,backoffLimitPerIndex",
  "the Job fails with more than {backoffLimit} failed pod{backoffLimit:s} in all, before one index can use up its backoffLimitPerIndex of {backoffLimitPerIndex}",
  "leave backoffLimit out, which has no practical limit with backoffLimitPerIndex; maxFailedIndexes limits the failures of the whole Job",
  "warn",
);
const FAILED_INDEXES_UNLIMITED = rule(
  "FailedIndexesUnlimited",
  "maxFailedIndexes,completions",
  "maxFailedIndexes {maxFailedIndexes} limits nothing: there are only {completions} indexes",
  "set maxFailedIndexes below completions, so that the Job can fail early, or leave it out",
  "warn",
);
const DISRUPTIONS_COUNT = rule(
  "DisruptionsCount",
  "pods,backoffLimit",
  "evictions count as failures: {pods} pods run at once, and the Job fails when more than {backoffLimit} of them are evicted, from a node that is drained for example",
  "with restartPolicy Never, add a rule to podFailurePolicy that ignores the condition DisruptionTarget; else raise backoffLimit",
  "warn",
);
const NO_DEADLINE = rule(
  "NoDeadline",
  "",
  "without activeDeadlineSeconds nothing ends the Job when a pod hangs or cannot start",
  "set activeDeadlineSeconds to the longest time that the Job may take, with its retries",
  "warn",
);
const RETRIES_PAST_DEADLINE = rule(
  "RetriesPastDeadline",
  "retries,backoffLimit,deadlineMs",
  "only {retries} of the {backoffLimit} retries can start before the deadline of {deadlineMs:span}, because the controller waits longer before each retry",
  "raise activeDeadlineSeconds, so that more retries can start, or lower backoffLimit",
  "warn",
);
const GRACE_PAST_DEADLINE = rule(
  "GracePastDeadline",
  "graceMs,deadlineMs",
  "after the deadline of {deadlineMs:span} the pods may run for another {graceMs:span}, and the Job has failed only when they have ended",
  "set terminationGracePeriodSeconds below activeDeadlineSeconds",
  "warn",
);
const REPLACED_WHILE_TERMINATING = rule(
  "ReplacedWhileTerminating",
  "graceMs",
  "the controller replaces a deleted pod before it has ended: two pods may do the same work for up to {graceMs:span}",
  "set podReplacementPolicy to Failed: then the controller waits until the deleted pod has ended",
  "warn",
);

/** The rules of this file, in the order of the documents. */
export const RETRY_RULES: StaticArray<Rule> = [
  LAST_RETRY_KILLED,
  FAILED_LOGS_LOST,
  LIMIT_PER_INDEX_UNUSED,
  FAILED_INDEXES_UNLIMITED,
  DISRUPTIONS_COUNT,
  NO_DEADLINE,
  RETRIES_PAST_DEADLINE,
  GRACE_PAST_DEADLINE,
  REPLACED_WHILE_TERMINATING,
];

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
