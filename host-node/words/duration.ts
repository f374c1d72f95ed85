/** Durations as people write and read them: `30s`, `5m`, `1h30m`, `1.5s`. */
import { spanText } from "../../cluster/values/time-span.ts";

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Ten years. */
export const MAX_DURATION_MS = 3650 * 86_400_000;

/** Milliseconds. @throws Error that completes the sentence "allowed is …" */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  const ms = parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNIT_MS[unit!]!, 0);
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join("") === text;
  if (!isWhole || !(ms > 0) || ms > MAX_DURATION_MS) {
    const withUnit = /^[1-9]\d{0,3}$/.test(text) ? `; ${text} has no unit: ${text}s, ${text}m or ${text}h?` : "";
    throw new Error(`a duration such as 500ms, 30s, 5m or 1h30m, more than 0 and at most 3650d${withUnit}`);
  }
  return Math.round(ms);
}

/** Two units at most, a tenth of a second below a minute: `0.4s`, `12.0s`, `3m05s`, `2h07m`, `3d04h`. */
export function formatDuration(ms: number): string {
  const tenths = Math.floor(Math.max(0, ms) / 100);
  if (tenths < 600) return `${Math.floor(tenths / 10)}.${tenths % 10}s`;
  const seconds = Math.floor(tenths / 10);
  if (seconds < 3600) return pair(seconds, 60, "m", "s");
  if (seconds < 86_400) return pair(Math.floor(seconds / 60), 60, "h", "m");
  return pair(Math.floor(seconds / 3600), 24, "d", "h");
}

/**
 * What was measured, to the second; of less than twenty seconds to a tenth: `0.4 s`, `12 s`, `3 min 5 s`.
 * @param amongMs the longest of the durations shown with it
 */
export function formatMeasured(ms: number, amongMs = ms): string {
  return amongMs < 20_000 ? `${Math.round(ms / 100) / 10} s` : spanText(Math.round(ms / 1000) * 1000);
}

function pair(amount: number, divisor: number, big: string, small: string): string {
  return `${Math.floor(amount / divisor)}${big}${String(amount % divisor).padStart(2, "0")}${small}`;
}
