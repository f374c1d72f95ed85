/**
 * When a CronJob must start a Job, and when to sync it again. Pure functions of the CronJob and the time. Source:
 * pkg/controller/cronjob/utils.go.
 */
import { formatTime, parseTime } from "../../values/times.ts";
import { parseSchedule, type Schedule } from "../../cron/schedule.ts";
import { loadZone } from "../../cron/zone.ts";
import type { CronJob } from "../../values/kinds.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** With more missed starts the controller warns: a clock is wrong, or the controller did not run. */
export const MANY_MISSED = 100;
/** The next sync comes this much later than the time of the schedule, in case clocks differ. */
const LATER_MS = 100;

/** The due start. `atMs` is undefined if none is due. */
export interface Due {
  readonly atMs: number | undefined;
  readonly missed: number;
  /** Where the search began: the last start, the creation, or as far back as the starting deadline allows. */
  readonly earliestMs: number;
}

export function scheduleOf({ spec }: CronJob): Schedule {
  return parseSchedule(spec.timeZone === undefined ? spec.schedule : `TZ=${spec.timeZone} ${spec.schedule}`);
}

/**
 * The latest time of the schedule that has come since the last start.
 * @throws Error for a schedule that names no time, as `0 0 31 2 *`
 */
export function dueTime(cronJob: CronJob, schedule: Schedule, nowMs: number, withDeadline = true): Due {
  const { startingDeadlineSeconds } = cronJob.spec;
  const { lastScheduleTime } = cronJob.status ?? {};
  const lastMs = parseTime(lastScheduleTime ?? cronJob.metadata.creationTimestamp);
  const deadlineMs =
    withDeadline && startingDeadlineSeconds !== undefined ? nowMs - startingDeadlineSeconds * SECOND_MS : -Infinity;
  const earliestMs = Math.max(lastMs, deadlineMs);
  const first = schedule.next(earliestMs);
  if (first !== undefined && nowMs < first) return { atMs: undefined, missed: 0, earliestMs };
  const second = first === undefined ? undefined : schedule.next(first);
  if (first === undefined || second === undefined)
    throw new Error("time difference between two schedules is less than 1 second");
  if (nowMs < second) return { atMs: first, missed: 0, earliestMs };
  // The distance of the first two times gives an estimate of the missed ones, so only the last few are computed.
  const intervalMs = second - first;
  const missed = Math.floor((nowMs - first) / intervalMs) + 1;
  let atMs: number | undefined;
  let next = schedule.next(first + (missed - 2) * intervalMs);
  for (; next !== undefined && next <= nowMs; next = schedule.next(next)) atMs = next;
  return { atMs, missed, earliestMs };
}

/** The next time of the schedule; Infinity: there is none. */
export function nextTime(cronJob: CronJob, schedule: Schedule, nowMs: number): number {
  return schedule.next(lastDueMs(cronJob, schedule, nowMs)) ?? Infinity;
}

/** How long until the CronJob must be synced again. */
export function untilNextMs(cronJob: CronJob, schedule: Schedule, nowMs: number): number {
  return nextTime(cronJob, schedule, nowMs) + LATER_MS - nowMs;
}

function lastDueMs(cronJob: CronJob, schedule: Schedule, nowMs: number): number {
  try {
    const { atMs, missed, earliestMs } = dueTime(cronJob, schedule, nowMs, false);
    return atMs ?? (missed === 0 ? earliestMs : nowMs);
  } catch {
    return nowMs;
  }
}

/** One name for each start, so that no start is made twice: the minutes since 1970. */
export function jobName(cronJob: CronJob, atMs: number): string {
  return `${cronJob.metadata.name}-${Math.floor(atMs / MINUTE_MS)}`;
}

/** RFC 3339 in a time zone: `2026-01-02T03:04:05Z`, `2026-01-02T04:04:05+01:00`. */
export function zonedTime(atMs: number, timeZone = ""): string {
  const offsetMs = loadZone(timeZone).offsetMs(atMs);
  const local = formatTime(atMs + offsetMs);
  if (offsetMs === 0) return local;
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");
  return local.replace("Z", `${offsetMs < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`);
}
