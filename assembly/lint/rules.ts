/**
 * Every rule of lint: `rule("Code", "numbers", "sentence", "fix", "severity")`. The sentence and the fix have
 * placeholders, as trace/sentence.ts explains them; the severity is the one without settings. Invariant: RULES has them
 * all, in this order, which is also that of the advice.
 *
 * Whoever adds a rule also says in docs/lint.md what it means, and gives it two vectors in test/vectors/lint/. `npm run
 * abi` brings that page, bindings/ABI.md and the bindings up to date.
 */
import { literal } from "../memory/blob";

/** The address of a rule: a blob, `Code(numbers)sentence|fix|severity`. */
export type Rule = usize;

function rule(code: string, numbers: string, sentence: string, fix: string, severity: string): Rule {
  return literal(code + "(" + numbers + ")" + sentence + "|" + fix + "|" + severity);
}

export const LAST_RETRY_KILLED = rule(
  "LastRetryKilled",
  "backoffLimit,restarts",
  "with restartPolicy OnFailure the Job fails once its containers have been restarted {restarts:times}: the last retry is killed as it starts, and the logs go with the pods",
  "set restartPolicy to Never, which keeps failed pods, or a larger backoffLimit",
  "warn",
);
export const LIMIT_PER_INDEX_UNUSED = rule(
  "LimitPerIndexUnused",
  "backoffLimit,backoffLimitPerIndex",
  "the Job fails with more than {backoffLimit} failed pod{backoffLimit:s} in all, before an index can use up its backoffLimitPerIndex of {backoffLimitPerIndex}",
  "leave backoffLimit out; maxFailedIndexes limits the failures of the whole Job",
  "warn",
);
export const FAILED_INDEXES_UNLIMITED = rule(
  "FailedIndexesUnlimited",
  "maxFailedIndexes,completions",
  "maxFailedIndexes {maxFailedIndexes} can never be exceeded: there are {completions} indexes",
  "set maxFailedIndexes below completions, or leave it out",
  "warn",
);
export const DISRUPTIONS_COUNT = rule(
  "DisruptionsCount",
  "pods,backoffLimit",
  "evictions count as failures: {pods} pods run at once, and when more than {backoffLimit} of them are evicted, from a drained node for example, the Job fails",
  "with restartPolicy Never, ignore the condition DisruptionTarget in spec.podFailurePolicy; else raise backoffLimit",
  "warn",
);
export const NO_DEADLINE = rule(
  "NoDeadline",
  "",
  "nothing ends the Job when a pod hangs or cannot start: there is no activeDeadlineSeconds",
  "set spec.activeDeadlineSeconds to the longest time that the Job may take",
  "warn",
);
export const RETRIES_PAST_DEADLINE = rule(
  "RetriesPastDeadline",
  "retries,backoffLimit,deadlineMs",
  "of {backoffLimit} retries at most {retries} can start before the deadline of {deadlineMs:span}: the waits between them are longer",
  "raise activeDeadlineSeconds, or lower backoffLimit",
  "warn",
);
export const GRACE_PAST_DEADLINE = rule(
  "GracePastDeadline",
  "graceMs,deadlineMs",
  "after the deadline of {deadlineMs:span} pods may go on for {graceMs:span}, and the Job has failed only when they have ended",
  "set terminationGracePeriodSeconds below activeDeadlineSeconds",
  "warn",
);
export const REPLACED_WHILE_TERMINATING = rule(
  "ReplacedWhileTerminating",
  "graceMs",
  "a pod that is deleted is replaced before it has ended: two pods may do the same work for up to {graceMs:span}",
  "set podReplacementPolicy to Failed",
  "warn",
);
export const NO_TIME_TO_LIVE = rule(
  "NoTimeToLive",
  "",
  "nobody deletes the Job after its end: it has neither ttlSecondsAfterFinished nor an owner",
  "set spec.ttlSecondsAfterFinished, to 86400 for a day",
  "warn",
);
export const TIME_TO_LIVE_ZERO = rule(
  "TimeToLiveZero",
  "",
  "the Job is deleted as soon as it has ended, with its pods and logs: who waits for its end may find nothing",
  "set ttlSecondsAfterFinished to some minutes at least",
  "warn",
);
export const TIME_TO_LIVE_UNDER_GIT_OPS = rule(
  "TimeToLiveUnderGitOps",
  "ttlMs",
  "when the Job is deleted {ttlMs:span} after its end, {text} may create it again, and it runs once more",
  "leave ttlSecondsAfterFinished out, or make the Job a hook of the tool",
  "warn",
);
export const TIME_TO_LIVE_IN_CRON_JOB = rule(
  "TimeToLiveInCronJob",
  "ttlMs",
  "a failed Job is deleted {ttlMs:span} after its end, with its logs, though failedJobsHistoryLimit is to keep it",
  "leave ttlSecondsAfterFinished out: the CronJob deletes its old Jobs",
  "warn",
);
export const PARALLELISM_UNUSED = rule(
  "ParallelismUnused",
  "parallelism,completions",
  "parallelism {parallelism} is never reached: with completions {completions} no more pods than that run at once",
  "set parallelism to completions or less",
  "warn",
);
export const PARALLELISM_ABOVE_QUOTA = rule(
  "ParallelismAboveQuota",
  "pods,room",
  "{pods} pod{pods:s} are to run at once, and the quota has room for {room}: {text}",
  "lower parallelism or the requests, or raise the quota",
  "warn",
);
export const NO_PODS_WANTED = rule(
  "NoPodsWanted",
  "",
  "parallelism is 0: no pod is created, and the Job never ends",
  "set parallelism to 1 or more; to start the Job later, set suspend",
  "warn",
);
export const NO_COMPLETIONS_WANTED = rule(
  "NoCompletionsWanted",
  "",
  "completions is 0: the Job succeeds at once, without a pod",
  "set completions to 1 or more",
  "warn",
);
export const STATUS_TOO_LARGE = rule(
  "StatusTooLarge",
  "bytes,completions",
  "completedIndexes of {completions} indexes may need {bytes} bytes, and etcd takes 1572864 for the whole Job: its status could not be stored any more",
  "lower parallelism, or make several Jobs of it",
  "warn",
);
export const RULE_NEVER_MATCHES = rule(
  "RuleNeverMatches",
  "rule",
  "rule {rule} of podFailurePolicy can never match: {text}",
  "take the rule out, or correct it",
  "warn",
);
export const RULE_SHADOWED = rule(
  "RuleShadowed",
  "rule,earlier",
  "rule {rule} of podFailurePolicy never decides: whatever it matches, rule {earlier} or another before it has matched",
  "move the rule up, or take it out",
  "warn",
);
export const LEGACY_SIDECAR = rule(
  "LegacySidecar",
  "",
  "container {text} does not end by itself: the pod, and so the Job, goes on when the work is done",
  "make it an init container with restartPolicy Always, which is stopped when the others have ended",
  "warn",
);
export const MEMORY_UNLIMITED = rule(
  "MemoryUnlimited",
  "",
  "container {text} requests memory and has no limit: it may take what the node has, unless a LimitRange sets one",
  "set resources.limits.memory",
  "warn",
);
export const UNKNOWN_MANAGER = rule(
  "UnknownManager",
  "",
  "nobody runs the Job: no controller is known that answers to managedBy {text}",
  "leave managedBy out, or start that controller",
  "warn",
);
export const OWN_SELECTOR = rule(
  "OwnSelector",
  "",
  "with manualSelector the Job takes over and counts every pod without a controller that its selector matches",
  "leave manualSelector and selector out: the API server makes them of the UID",
  "warn",
);
export const GENERATED_NAME_TOO_LONG = rule(
  "GeneratedNameTooLong",
  "length,most",
  "the API server will refuse the Job: its name gets {length} characters, and with an index behind it at most {most} are allowed",
  "shorten the name that it is made of",
  "deny",
);
export const POD_NAMES_CUT = rule(
  "PodNamesCut",
  "length,kept",
  "names of pods have only the first {kept} of {length} characters of the Job's name, so that pods of Jobs with like names look the same",
  "shorten the name",
  "warn",
);

/** All of them. */
export const RULES: StaticArray<Rule> = [
  LAST_RETRY_KILLED,
  LIMIT_PER_INDEX_UNUSED,
  FAILED_INDEXES_UNLIMITED,
  DISRUPTIONS_COUNT,
  NO_DEADLINE,
  RETRIES_PAST_DEADLINE,
  GRACE_PAST_DEADLINE,
  REPLACED_WHILE_TERMINATING,
  NO_TIME_TO_LIVE,
  TIME_TO_LIVE_ZERO,
  TIME_TO_LIVE_UNDER_GIT_OPS,
  TIME_TO_LIVE_IN_CRON_JOB,
  PARALLELISM_UNUSED,
  PARALLELISM_ABOVE_QUOTA,
  NO_PODS_WANTED,
  NO_COMPLETIONS_WANTED,
  STATUS_TOO_LARGE,
  RULE_NEVER_MATCHES,
  RULE_SHADOWED,
  LEGACY_SIDECAR,
  MEMORY_UNLIMITED,
  UNKNOWN_MANAGER,
  OWN_SELECTOR,
  GENERATED_NAME_TOO_LONG,
  POD_NAMES_CUT,
];
