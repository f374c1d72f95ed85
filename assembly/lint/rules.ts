/**
 * Every rule of lint: `rule("Code", "numbers", "sentence", "fix", "severity")`. The sentence and the fix have
 * placeholders, as trace/sentence.ts explains them; the severity is the one without settings. Invariant: RULES has them
 * all, in this order, which is also that of the advice.
 *
 * When you add a rule, also write in docs/lint.md what it means, and add its vectors in test/vectors/lint/. `npm run
 * abi` brings that page, bindings/ABI.md and the bindings up to date.
 */
import { literal } from "../memory/blob";

/** The address of a rule: a blob, `Code(numbers)sentence|fix|severity`. Without a severity it is warn. */
export type Rule = usize;

function rule(code: string, numbers: string, sentence: string, fix: string, severity: string): Rule {
  return literal(code + "(" + numbers + ")" + sentence + "|" + fix + "|" + (severity == "warn" ? "" : severity));
}

export const LAST_RETRY_KILLED = rule(
  "LastRetryKilled",
  "backoffLimit,restarts",
  "with restartPolicy OnFailure the Job fails once its containers have restarted {restarts:times}: the controller deletes the pod as the last retry starts, and the logs are gone with it",
  "set restartPolicy to Never, which keeps failed pods with their logs, or raise backoffLimit by one",
  "warn",
);
export const FAILED_LOGS_LOST = rule(
  "FailedLogsLost",
  "",
  "with restartPolicy OnFailure every try is made in one pod, and the controller deletes that pod when the Job fails: the logs of the failure are gone",
  "set restartPolicy Never, which keeps the failed pods with their logs, or send the logs to a store outside the pod",
  "warn",
);
export const LIMIT_PER_INDEX_UNUSED = rule(
  "LimitPerIndexUnused",
  "backoffLimit,backoffLimitPerIndex",
  "the Job fails with more than {backoffLimit} failed pod{backoffLimit:s} in all, before one index can use up its backoffLimitPerIndex of {backoffLimitPerIndex}",
  "leave backoffLimit out, which has no practical limit with backoffLimitPerIndex; maxFailedIndexes limits the failures of the whole Job",
  "warn",
);
export const FAILED_INDEXES_UNLIMITED = rule(
  "FailedIndexesUnlimited",
  "maxFailedIndexes,completions",
  "maxFailedIndexes {maxFailedIndexes} limits nothing: there are only {completions} indexes",
  "set maxFailedIndexes below completions, so that the Job can fail early, or leave it out",
  "warn",
);
export const DISRUPTIONS_COUNT = rule(
  "DisruptionsCount",
  "pods,backoffLimit",
  "evictions count as failures: {pods} pods run at once, and the Job fails when more than {backoffLimit} of them are evicted, from a node that is drained for example",
  "with restartPolicy Never, add a rule to podFailurePolicy that ignores the condition DisruptionTarget; else raise backoffLimit",
  "warn",
);
export const NO_DEADLINE = rule(
  "NoDeadline",
  "",
  "without activeDeadlineSeconds nothing ends the Job when a pod hangs or cannot start",
  "set activeDeadlineSeconds to the longest time that the Job may take, with its retries",
  "warn",
);
export const RETRIES_PAST_DEADLINE = rule(
  "RetriesPastDeadline",
  "retries,backoffLimit,deadlineMs",
  "only {retries} of the {backoffLimit} retries can start before the deadline of {deadlineMs:span}, because the controller waits longer before each retry",
  "raise activeDeadlineSeconds, so that more retries can start, or lower backoffLimit",
  "warn",
);
export const GRACE_PAST_DEADLINE = rule(
  "GracePastDeadline",
  "graceMs,deadlineMs",
  "after the deadline of {deadlineMs:span} the pods may run for another {graceMs:span}, and the Job has failed only when they have ended",
  "set terminationGracePeriodSeconds below activeDeadlineSeconds",
  "warn",
);
export const REPLACED_WHILE_TERMINATING = rule(
  "ReplacedWhileTerminating",
  "graceMs",
  "the controller replaces a deleted pod before it has ended: two pods may do the same work for up to {graceMs:span}",
  "set podReplacementPolicy to Failed: then the controller waits until the deleted pod has ended",
  "warn",
);
export const NO_TIME_TO_LIVE = rule(
  "NoTimeToLive",
  "",
  "nothing deletes the Job after its end: it has neither ttlSecondsAfterFinished nor an owner",
  "set ttlSecondsAfterFinished, for example to 86400, which is a day",
  "warn",
);
export const TIME_TO_LIVE_ZERO = rule(
  "TimeToLiveZero",
  "",
  "the Job is deleted as soon as it has ended, with its pods and logs: a program that waits for its end may find nothing",
  "set ttlSecondsAfterFinished to some minutes at least, for example to 600",
  "warn",
);
export const TIME_TO_LIVE_UNDER_GIT_OPS = rule(
  "TimeToLiveUnderGitOps",
  "ttlMs",
  "the Job is deleted {ttlMs:span} after its end, and {text} may then create it again, so that it runs once more",
  "leave ttlSecondsAfterFinished out, or make the Job a hook, which the tool runs once for each of its syncs",
  "warn",
);
export const TIME_TO_LIVE_IN_CRON_JOB = rule(
  "TimeToLiveInCronJob",
  "ttlMs",
  "a failed Job is deleted {ttlMs:span} after its end, with its logs, though failedJobsHistoryLimit is to keep it",
  "leave ttlSecondsAfterFinished out: the CronJob deletes its old Jobs, by its two history limits",
  "warn",
);
export const FORBID_WITHOUT_DEADLINE = rule(
  "ForbidWithoutDeadline",
  "",
  "with concurrencyPolicy Forbid a pod that hangs or cannot start freezes the CronJob: its controller starts no Job while one is active",
  "set activeDeadlineSeconds in jobTemplate.spec, and delete a Job that is stuck already",
  "warn",
);
export const ALLOW_WITHOUT_DEADLINE = rule(
  "AllowWithoutDeadline",
  "",
  "with concurrencyPolicy Allow each time of the schedule adds one more stuck Job while pods hang or cannot start",
  "set activeDeadlineSeconds in jobTemplate.spec, or concurrencyPolicy Replace",
  "warn",
);
export const SCHEDULE_NEVER_FIRES = rule(
  "ScheduleNeverFires",
  "",
  "the CronJob never starts a Job: the schedule {text} matches no date",
  "correct the schedule; to start Jobs by hand alone, set suspend to true",
  "warn",
);
export const EVERY_MINUTE = rule(
  "EveryMinute",
  "",
  "the schedule {text} starts a Job in each minute of the hours that it names, because its first field is a star",
  "put a minute in the first field, for example 0",
  "warn",
);
export const CLOCK_CHANGES = rule(
  "ClockChanges",
  "",
  "the schedule names a time at which clocks change: {text}",
  "choose another hour, or set timeZone to Etc/UTC",
  "warn",
);
export const STARTING_DEADLINE_SHORT = rule(
  "StartingDeadlineShort",
  "deadlineMs",
  "the controller may skip a Job: it starts none that is more than {deadlineMs:span} late, and it may look up to 10 s late",
  "set startingDeadlineSeconds to 10 or more",
  "warn",
);
export const NO_FAILED_HISTORY = rule(
  "NoFailedHistory",
  "",
  "a failed Job is deleted with its pods and logs as soon as it has failed: failedJobsHistoryLimit is 0",
  "set failedJobsHistoryLimit to 1 or more",
  "warn",
);
export const HOOK_FINDS_OLD_JOB = rule(
  "HookFindsOldJob",
  "",
  "the delete policy of the hook replaces the default before-hook-creation and leaves the Job in the cluster when it {text}: the next install or upgrade is refused because the Job already exists",
  "add before-hook-creation to helm.sh/hook-delete-policy",
  "warn",
);
export const HOOK_FAILURE_DELETED = rule(
  "HookFailureDeleted",
  "",
  "the delete policy of the hook deletes a failed Job at once, with its pods and logs: what is left says only that the hook failed",
  "leave the policy on failure out, and let the tool delete the old Job before it creates the next one",
  "warn",
);
export const HOOK_OUTLIVES_HELM = rule(
  "HookOutlivesHelm",
  "backoffLimit",
  "a failing hook is retried {backoffLimit} times, which takes more than 10 min, and helm waits 5 min by default: the release fails first, and the Job goes on retrying",
  "set backoffLimit to what the hook needs, for example 1, or activeDeadlineSeconds below the timeout of helm",
  "warn",
);
export const HOOK_TIME_TO_LIVE = rule(
  "HookTimeToLive",
  "ttlMs",
  "the Job is deleted {ttlMs:span} after its end, and {text} may still wait for its end: it then finds no Job, or no logs",
  "leave ttlSecondsAfterFinished out: the delete policy of the hook deletes the Job",
  "warn",
);
export const PARALLELISM_UNUSED = rule(
  "ParallelismUnused",
  "parallelism,completions",
  "parallelism {parallelism} is never reached: with completions {completions} no more pods than that run at once",
  "set parallelism to completions or less",
  "warn",
);
export const GANG_NEVER_WHOLE = rule(
  "GangNeverWhole",
  "parallelism,completions",
  "the pods belong to a gang of parallelism {parallelism}, and no more than completions {completions} exist at once: a scheduler that waits for the whole gang starts none of them",
  "set completions to parallelism or more",
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
  "parallelism is 0: the controller creates no pod, and the Job never ends",
  "set parallelism to 1 or more; to start the Job later, set suspend to true",
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
  "completedIndexes of {completions} indexes may need {bytes} bytes, and etcd takes at most 1572864 for the whole Job: the controller could no longer store the status",
  "lower parallelism, so that indexes end in fewer ranges, or divide the work among several Jobs",
  "warn",
);
export const QUOTA_NEEDS_RESOURCES = rule(
  "QuotaNeedsResources",
  "",
  "a ResourceQuota of the namespace demands resources that a container does not set ({text}): the API server refuses every pod, and the Job waits without one",
  "set these requests or limits, or add a LimitRange with defaults for the containers of the namespace",
  "warn",
);
export const BUDGET_BLOCKS_DRAINS = rule(
  "BudgetBlocksDrains",
  "",
  "a PodDisruptionBudget selects the pods and lets none of them be evicted ({text}): a drain of their node waits until the pods end",
  "let the selector of the budget leave the pods of the Job out, or set minAvailable to a whole number below those that run at once",
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
  "rule {rule} of podFailurePolicy never decides: rule {earlier}, or another before it, matches every pod that it matches",
  "move the rule up, or take it out",
  "warn",
);
export const RULE_MATCHES_SIDECAR = rule(
  "RuleMatchesSidecar",
  "rule",
  "rule {rule} of podFailurePolicy also matches sidecar {text}, which is ended with exit code 143 or 137 when the pod has failed: that code may decide, and not the one of the work",
  "set onExitCodes.containerName to the container that does the work",
  "warn",
);
export const RULE_NEVER_SEES = rule(
  "RuleNeverSees",
  "rule,exitCode",
  "rule {rule} of podFailurePolicy never sees exit code {exitCode} of container {text}: the kubelet restarts the container in place with this code, and the pod does not fail",
  "take the exit code out of restartPolicyRules, or out of the rule",
  "warn",
);
export const CONTAINER_NEVER_ENDS = rule(
  "ContainerNeverEnds",
  "",
  "container {text}: the kubelet restarts it also when it has succeeded, so the pod does not end, and the Job goes on until its deadline or for ever",
  "make a helper an init container with restartPolicy Always, which the kubelet ends after the others; give the work restartPolicy Never or OnFailure",
  "warn",
);
export const LEGACY_SIDECAR = rule(
  "LegacySidecar",
  "",
  "container {text} does not end when the work is done: the pod goes on, and so does the Job",
  "make it an init container with restartPolicy Always, which the kubelet ends after the others",
  "warn",
);
export const MEMORY_UNLIMITED = rule(
  "MemoryUnlimited",
  "",
  "container {text} requests memory and has no limit: it may use all that the node has, unless a LimitRange sets a limit",
  "set resources.limits.memory to the most that the container may use",
  "warn",
);
export const UNKNOWN_MANAGER = rule(
  "UnknownManager",
  "",
  "no controller runs the Job: none is known that answers to managedBy {text}",
  "leave managedBy out, so that the built-in controller runs the Job, or start that controller",
  "warn",
);
export const OWN_SELECTOR = rule(
  "OwnSelector",
  "",
  "with manualSelector the Job takes over and counts every pod without a controller that its selector matches",
  "leave manualSelector and selector out: the API server then makes a selector that matches no other pod",
  "warn",
);
export const SAME_NAME = rule(
  "SameName",
  "",
  "{text} has an object of this kind, namespace and name, too: applied together, the later one replaces the earlier one",
  "give one of them another name or namespace",
  "warn",
);
export const GENERATED_NAME_TOO_LONG = rule(
  "GeneratedNameTooLong",
  "length,most",
  "the API server will refuse the Job: its name gets {length} characters, and at most {most} are allowed where the index of a pod follows it",
  "shorten the name that it is made of",
  "deny",
);
export const POD_NAMES_CUT = rule(
  "PodNamesCut",
  "length,kept",
  "names of pods have only the first {kept} of the {length} characters of the Job's name: pods of Jobs with similar names look the same",
  "shorten the name of the Job",
  "warn",
);

/** All of them. */
export const RULES: StaticArray<Rule> = [
  LAST_RETRY_KILLED,
  FAILED_LOGS_LOST,
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
  FORBID_WITHOUT_DEADLINE,
  ALLOW_WITHOUT_DEADLINE,
  SCHEDULE_NEVER_FIRES,
  EVERY_MINUTE,
  CLOCK_CHANGES,
  STARTING_DEADLINE_SHORT,
  NO_FAILED_HISTORY,
  HOOK_FINDS_OLD_JOB,
  HOOK_FAILURE_DELETED,
  HOOK_OUTLIVES_HELM,
  HOOK_TIME_TO_LIVE,
  PARALLELISM_UNUSED,
  GANG_NEVER_WHOLE,
  PARALLELISM_ABOVE_QUOTA,
  NO_PODS_WANTED,
  NO_COMPLETIONS_WANTED,
  STATUS_TOO_LARGE,
  QUOTA_NEEDS_RESOURCES,
  BUDGET_BLOCKS_DRAINS,
  RULE_NEVER_MATCHES,
  RULE_SHADOWED,
  RULE_MATCHES_SIDECAR,
  RULE_NEVER_SEES,
  CONTAINER_NEVER_ENDS,
  LEGACY_SIDECAR,
  MEMORY_UNLIMITED,
  UNKNOWN_MANAGER,
  OWN_SELECTOR,
  SAME_NAME,
  GENERATED_NAME_TOO_LONG,
  POD_NAMES_CUT,
];
