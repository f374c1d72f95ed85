/**
 * Rules about a CronJob: its schedule, and what becomes of it when a Job does not end. Leaves out what a schedule
 * means: the question says that (`context.schedule`), because time zones need data that the engine does not have.
 */
import { ABSENT, objectOf, stringOf } from "../json/tree";
import { advise } from "./advice";
import { Rule, rule } from "./rule";
import { Subject } from "./subject";

const FORBID_WITHOUT_DEADLINE = rule(
  "ForbidWithoutDeadline",
  "",
  "with concurrencyPolicy Forbid a pod that hangs or cannot start freezes the CronJob: its controller starts no Job while one is active",
  "set activeDeadlineSeconds in jobTemplate.spec, and delete a Job that is stuck already",
  "warn",
);
const ALLOW_WITHOUT_DEADLINE = rule(
  "AllowWithoutDeadline",
  "",
  "with concurrencyPolicy Allow each time of the schedule adds one more stuck Job while pods hang or cannot start",
  "set activeDeadlineSeconds in jobTemplate.spec, or concurrencyPolicy Replace",
  "warn",
);
const SCHEDULE_NEVER_FIRES = rule(
  "ScheduleNeverFires",
  "",
  "the CronJob never starts a Job: the schedule {text} matches no date",
  "correct the schedule; to start Jobs by hand alone, set suspend to true",
  "warn",
);
const EVERY_MINUTE = rule(
  "EveryMinute",
  "",
  "the schedule {text} starts a Job in each minute of the hours that it names, because its first field is a star",
  "put a minute in the first field, for example 0",
  "warn",
);
const CLOCK_CHANGES = rule(
  "ClockChanges",
  "",
  "the schedule names a time at which clocks change: {text}",
  "choose another hour, or set timeZone to Etc/UTC",
  "warn",
);
const STARTING_DEADLINE_SHORT = rule(
  "StartingDeadlineShort",
  "deadlineMs",
  "the controller may skip a Job: it starts none that is more than {deadlineMs:span} late, and it may look up to 10 s late",
  "set startingDeadlineSeconds to 10 or more",
  "warn",
);
const NO_FAILED_HISTORY = rule(
  "NoFailedHistory",
  "",
  "a failed Job is deleted with its pods and logs as soon as it has failed: failedJobsHistoryLimit is 0",
  "set failedJobsHistoryLimit to 1 or more",
  "warn",
);

/** The rules of this file, in the order of the documents. */
export const CRON_JOB_RULES: StaticArray<Rule> = [
  FORBID_WITHOUT_DEADLINE,
  ALLOW_WITHOUT_DEADLINE,
  SCHEDULE_NEVER_FIRES,
  EVERY_MINUTE,
  CLOCK_CHANGES,
  STARTING_DEADLINE_SHORT,
  NO_FAILED_HISTORY,
];

const SCHEDULE = "schedule";
const STARTING_DEADLINE = "startingDeadlineSeconds";
const FAILED_LIMIT = "failedJobsHistoryLimit";
/** The CronJob controller may sync a CronJob this much later than the schedule says. */
const LOOK_SECONDS: i64 = 10;

export function lintCronJob(subject: Subject): void {
  const cronJob = subject.cronJob;
  if (cronJob === null) return;
  const spec = objectOf(cronJob, "spec");
  if (subject.isWithoutDeadline) {
    const policy = stringOf(spec, "concurrencyPolicy");
    if (policy == "Forbid") advise(FORBID_WITHOUT_DEADLINE, subject.spec, "activeDeadlineSeconds");
    else if (policy != "Replace") advise(ALLOW_WITHOUT_DEADLINE, subject.spec, "activeDeadlineSeconds");
  }
  if (spec === null) return;
  const facts = subject.context.object(SCHEDULE);
  const schedule = spec.string(SCHEDULE);
  if (facts !== null) {
    const changes = facts.string("clockChanges");
    if (facts.boolean("neverFires")) advise(SCHEDULE_NEVER_FIRES, spec, SCHEDULE, schedule);
    if (facts.boolean("everyMinute")) advise(EVERY_MINUTE, spec, SCHEDULE, schedule);
    if (changes.length > 0) advise(CLOCK_CHANGES, spec, SCHEDULE, changes);
  }
  const seconds = spec.integer(STARTING_DEADLINE);
  if (seconds != ABSENT && seconds < LOOK_SECONDS)
    advise(STARTING_DEADLINE_SHORT, spec, STARTING_DEADLINE, "", f64(seconds) * 1000);
  if (spec.integer(FAILED_LIMIT) == 0) advise(NO_FAILED_HISTORY, spec, FAILED_LIMIT);
}
