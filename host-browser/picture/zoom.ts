/**
 * Windows of time after zooming and panning.
 *
 * Invariant: a window lies within the run and is at least MIN_WINDOW_MS long; undefined is all of it.
 */
import type { TimeWindow } from "./parts.ts";
import type { TimeScale } from "./time-scale.ts";

const MIN_WINDOW_MS = 20;

export function zoomed(time: TimeScale, domain: TimeWindow, factor: number, x: number): TimeWindow | undefined {
  // In pixels, so that folded stretches do not shift the point under the pointer.
  const fromX = x - (x - time.fromX) / factor;
  const untilX = x + (time.untilX - x) / factor;
  return within(time.msAt(fromX), time.msAt(untilX), domain);
}

export function panned(time: TimeScale, domain: TimeWindow, dx: number): TimeWindow | undefined {
  const fromMs = time.msAt(time.fromX + dx);
  const lengthMs = time.untilMs - time.fromMs;
  return within(fromMs, fromMs + lengthMs, domain);
}

function within(fromMs: number, untilMs: number, domain: TimeWindow): TimeWindow | undefined {
  const lengthMs = Math.max(MIN_WINDOW_MS, Math.round(untilMs - fromMs));
  if (lengthMs >= domain.untilMs - domain.fromMs) return undefined;
  const latestMs = domain.untilMs - lengthMs;
  const startMs = Math.round(Math.min(Math.max(fromMs, domain.fromMs), latestMs));
  return { fromMs: startMs, untilMs: startMs + lengthMs };
}
