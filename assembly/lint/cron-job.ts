/**
 * Rules about a CronJob: its schedule, and what becomes of it when a Job does not end. Leaves out what a schedule
 * means: the question says that (`context.schedule`), because time zones need data that the engine does not have.
 */
import { ABSENT, objectOf, stringOf } from "../json/tree";
import { advise } from "./advice";
import {
  ALLOW_WITHOUT_DEADLINE,
  CLOCK_CHANGES,
  EVERY_MINUTE,
  FORBID_WITHOUT_DEADLINE,
  NO_FAILED_HISTORY,
  SCHEDULE_NEVER_FIRES,
  STARTING_DEADLINE_SHORT,
} from "./rules";
import { Subject } from "./subject";

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
