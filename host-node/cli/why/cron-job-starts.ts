/**
 * When a CronJob starts Jobs: its next times, in its own time zone and in UTC, and the starts that were not made. Pure
 * functions of the CronJob and the time, by the rules of its controller.
 */
import { dueTime, nextTime, scheduleOf, zonedTime } from "../../../cluster/controllers/cron-job-controller/due-time.ts";
import type { CronJob } from "../../../cluster/values/kinds.ts";
import type { TypedObject } from "../../../cluster/values/types.ts";

const SHOWN_TIMES = 3;

export interface StartTime {
  readonly atMs: number;
  /** RFC 3339, in the time zone of the schedule: `2026-01-02T04:04:05+01:00`. */
  readonly local: string;
}

/** Starts that were due since the last one that was made. */
export interface MissedStarts {
  readonly count: number;
  readonly lastMs: number;
  /** startingDeadlineSeconds are over: none of them is made up for. */
  readonly isTooLate: boolean;
}

export interface Starts {
  /** The next times of the schedule; empty: it names none. Whether a Job is made then is another question. */
  readonly next: readonly StartTime[];
  readonly missed: MissedStarts | undefined;
  /** Why it starts nothing, as a sentence about the schedule. */
  readonly problem: string | undefined;
}

export function startsOf(cronJob: CronJob, nowMs: number): Starts {
  const { timeZone, startingDeadlineSeconds } = cronJob.spec;
  try {
    const schedule = scheduleOf(cronJob);
    const next: StartTime[] = [];
    let atMs = nextTime(cronJob, schedule, nowMs);
    for (; Number.isFinite(atMs) && next.length < SHOWN_TIMES; atMs = schedule.next(atMs) ?? Infinity)
      next.push({ atMs, local: zonedTime(atMs, timeZone) });
    if (next.length === 0)
      return { next, missed: undefined, problem: "no date of the next years matches its schedule" };
    const { atMs: lastMs, missed } = dueTime(cronJob, schedule, nowMs, false);
    if (lastMs === undefined) return { next, missed: undefined, problem: undefined };
    const isTooLate = startingDeadlineSeconds !== undefined && lastMs + startingDeadlineSeconds * 1000 < nowMs;
    return { next, missed: { count: Math.max(1, missed), lastMs, isTooLate }, problem: undefined };
  } catch (error) {
    return { next: [], missed: undefined, problem: `its schedule cannot be read: ${(error as Error).message}` };
  }
}

export interface Setter {
  readonly manager: string;
  /** When it wrote the object last; NaN: not known. */
  readonly atMs: number;
}

/** Who has set a field of the spec last, as `metadata.managedFields` has it: `f:suspend`. */
export function setterOf({ metadata }: Pick<TypedObject, "metadata">, field: string): Setter | undefined {
  const entries = (metadata.managedFields ?? []) as {
    manager?: string;
    time?: string;
    fieldsV1?: { "f:spec"?: object };
  }[];
  return entries
    .filter(({ fieldsV1 }) => Object.hasOwn(fieldsV1?.["f:spec"] ?? {}, field))
    .map(({ manager = "a client", time = "" }) => ({ manager, atMs: Date.parse(time) }))
    .sort((a, b) => a.atMs - b.atMs)
    .at(-1);
}
