/**
 * Times, states and counts in words, for labels, tooltips and tables.
 *
 * Invariant: the same duration is written the same everywhere. Leaves out sentences about decisions: the engine has
 * those.
 */
import { PodState } from "../records.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS: readonly (readonly [ms: number, name: string, smaller: number, smallerName: string])[] = [
  [DAY_MS, "d", HOUR_MS, "h"],
  [HOUR_MS, "h", MINUTE_MS, "min"],
  [MINUTE_MS, "min", SECOND_MS, "s"],
];

/** `850 ms`, `4.2 s`, `25 s`, `2 min`, `2 min 5 s`, `3 h 10 min`: never more than two units. */
export function spanText(ms: number): string {
  if (!Number.isFinite(ms)) return "";
  if (ms < 0) return `−${spanText(-ms)}`;
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND_MS) return `${Number((Math.round(ms / 100) / 10).toFixed(1))} s`;
  for (const [unitMs, name, smallerMs, smallerName] of UNITS) {
    const smaller = Math.round(ms / smallerMs);
    const perUnit = unitMs / smallerMs;
    if (smaller < perUnit) continue;
    const rest = smaller % perUnit;
    return `${Math.floor(smaller / perUnit)} ${name}${rest === 0 ? "" : ` ${rest} ${smallerName}`}`;
  }
  return `${Math.round(ms / SECOND_MS)} s`;
}

/** The same in one unit: `1.3 min`. */
export function shortSpanText(ms: number): string {
  const [unitMs, name] = UNITS.find(([unit]) => ms >= unit) ?? [SECOND_MS, "s"];
  const count = ms / unitMs;
  return `${Number(count.toFixed(count < 10 ? 1 : 0))} ${name}`;
}

/** An instant on the axis, for ticks `stepMs` apart: `0.25 s`, `12 s`, `1:30`, `2:00:00`. */
export function tickText(ms: number, stepMs: number): string {
  if (ms < MINUTE_MS) return `${Number((ms / SECOND_MS).toFixed(stepMs < SECOND_MS ? 3 : 0))} s`;
  const seconds = ms / SECOND_MS;
  const fraction =
    stepMs < SECOND_MS
      ? (seconds % 1)
          .toFixed(3)
          .slice(1)
          .replace(/\.?0+$/, "")
      : "";
  const pad = (value: number) => String(Math.floor(value)).padStart(2, "0");
  if (ms < HOUR_MS) return `${Math.floor(seconds / 60)}:${pad(seconds % 60)}${fraction}`;
  return `${Math.floor(seconds / 3600)}:${pad((seconds % 3600) / 60)}:${pad(seconds % 60)}${fraction}`;
}

/** An instant, always with milliseconds: `1.250 s`, `3:05.000`, `2:03:05.000`. */
export function instantText(ms: number): string {
  const total = Math.max(0, Math.round(ms));
  const seconds = ((total % MINUTE_MS) / SECOND_MS).toFixed(3);
  if (total < MINUTE_MS) return `${seconds} s`;
  const minutes = Math.floor((total % HOUR_MS) / MINUTE_MS);
  const rest = `:${seconds.padStart(6, "0")}`;
  if (total < HOUR_MS) return `${minutes}${rest}`;
  return `${Math.floor(total / HOUR_MS)}:${String(minutes).padStart(2, "0")}${rest}`;
}

/** `12,345` */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

export const STATE_WORDS: Readonly<Record<PodState, string>> = {
  [PodState.PENDING]: "Pending",
  [PodState.STARTING]: "Starting",
  [PodState.WAITING]: "Waiting",
  [PodState.RUNNING]: "Running",
  [PodState.READY]: "Ready",
  [PodState.TERMINATING]: "Terminating",
  [PodState.SUCCEEDED]: "Succeeded",
  [PodState.FAILED]: "Failed",
  [PodState.GONE]: "Deleted",
};

/** `IndexBackoff` as `index backoff`, `restart-controller` as `restart controller`. */
export function plainCode(code: string): string {
  return code
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("-", " ")
    .toLowerCase();
}
