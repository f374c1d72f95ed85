/** How tables print the time between two moments: `59s`, `3m20s`, `5h`, `12d`. Source: apimachinery's HumanDuration. */
import type { TypedObject } from "../../values/types.ts";
import { parseTime } from "../../values/times.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** At most two units; precise below ten minutes, coarse above. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 10 * minute) return pair(seconds, minute, "m", 1, "s");
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`;
  if (seconds < 8 * hour) return pair(seconds, hour, "h", minute, "m");
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`;
  if (seconds < 8 * day) return pair(seconds, day, "d", hour, "h");
  if (seconds < 2 * 365 * day) return `${Math.floor(seconds / day)}d`;
  if (seconds < 8 * 365 * day) return pair(seconds, 365 * day, "y", day, "d");
  return `${Math.floor(seconds / (365 * day))}y`;
}

function pair(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeUnit}${rest === 0 ? "" : `${rest}${smallUnit}`}`;
}

/** The time since a stored moment; `<unknown>` if there is none. */
export function since(time: string | null | undefined, nowMs: number): string {
  const timeMs = parseTime(time);
  return Number.isNaN(timeMs) ? "<unknown>" : humanDuration(nowMs - timeMs);
}

export function age(object: TypedObject, nowMs: number): string {
  return since(object.metadata.creationTimestamp, nowMs);
}
