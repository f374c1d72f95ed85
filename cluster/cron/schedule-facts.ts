/**
 * Finds what is strange about a valid schedule: that it names no date, or each minute by a slip, or a local time at
 * which clocks change. Pure. Leaves out schedules that the API server refuses.
 */
import { parseSchedule, type Schedule } from "./schedule.ts";
import { loadZone, UTC, type Zone } from "./zone.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Each change of clocks comes once in it. */
const LOOK_AHEAD_MS = 366 * DAY_MS;
/** The most clock changes to list: clocks rarely change more often in that time, and no user would read more. */
const MAX_CHANGES = 4;
const ALL_MINUTES = /^(\*|\?|\*\/1|0-59)$/;
const ANY = /^[*?]$/;
/** One number or several, or a step: no range such as 9-17, in which each minute may be meant. */
const CHOSEN = /^(\d+(,\d+)*|.*\/\d+)$/;

/** A member that is missing is not so. */
export interface ScheduleFacts {
  readonly neverFires?: true;
  readonly everyMinute?: true;
  /** `02:30 in Europe/Berlin is skipped on 2027-03-28 and comes twice on 2026-10-25` */
  readonly clockChanges?: string;
}

/**
 * @param schedule as a manifest has it, of any type; so is timeZone @param nowMs when the search for clock changes
 * begins
 */
export function scheduleFacts(schedule: unknown, timeZone: unknown, nowMs: number): ScheduleFacts {
  if (typeof schedule !== "string" || schedule.includes("TZ")) return {};
  try {
    const zone = typeof timeZone === "string" ? loadZone(timeZone) : UTC;
    const local = parseSchedule(schedule);
    if (local.next(nowMs) === undefined) return { neverFires: true };
    const changes = schedule.startsWith("@every") ? "" : clockChanges(local, zone, String(timeZone), nowMs);
    return {
      ...(isEveryMinute(schedule) ? { everyMinute: true } : {}),
      ...(changes === "" ? {} : { clockChanges: changes }),
    };
  } catch {
    return {};
  }
}

function isEveryMinute(schedule: string): boolean {
  const [minute = "", hour = "", day = ""] = schedule.trim().split(/\s+/u);
  return ALL_MINUTES.test(minute) && (CHOSEN.test(hour) || (ANY.test(hour) && CHOSEN.test(day)));
}

/** Empty: the clock changes neither skip nor repeat a time. @param local the schedule, its times taken as local ones */
function clockChanges(local: Schedule, zone: Zone, name: string, nowMs: number): string {
  if (zone.isFixed || isHourly(local, nowMs)) return "";
  const said: string[] = [];
  let fromMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  for (const endMs = fromMs + LOOK_AHEAD_MS; fromMs < endMs && said.length < MAX_CHANGES; fromMs += HOUR_MS) {
    const [before, after] = [zone.offsetMs(fromMs), zone.offsetMs(fromMs + HOUR_MS)];
    if (before === after) continue;
    // The change may be within the hour. Local times from the one offset to the other are skipped, or come twice.
    const changeMs = changeWithin(zone, fromMs, before);
    const [first, end] = [changeMs + Math.min(before, after), changeMs + Math.max(before, after)];
    const atMs = local.next(first - SECOND_MS);
    if (atMs === undefined || atMs >= end) continue;
    const [date, time] = new Date(atMs).toISOString().split("T") as [string, string];
    said.push(`${time.slice(0, "00:00".length)} ${after > before ? "is skipped" : "comes twice"} on ${date}`);
  }
  return said.length === 0 ? "" : `in ${name} ${said.join(", and ")}`;
}

/** The first minute with another offset. */
function changeWithin(zone: Zone, fromMs: number, before: number): number {
  let atMs = fromMs;
  while (zone.offsetMs(atMs) === before) atMs += MINUTE_MS;
  return atMs;
}

/** A schedule with a time in each hour of the day loses nothing important. */
function isHourly(local: Schedule, nowMs: number): boolean {
  const first = local.next(nowMs)!;
  const dayMs = Math.floor(first / DAY_MS) * DAY_MS;
  for (let hourMs = dayMs; hourMs < dayMs + DAY_MS; hourMs += HOUR_MS) {
    const atMs = local.next(hourMs - SECOND_MS);
    if (atMs === undefined || atMs >= hourMs + HOUR_MS) return false;
  }
  return true;
}
