/** What many runs of a scenario say together: shares with their uncertainty, times, pods, and what pods cost. */
import type { SeedRun } from "./seed-run.ts";

/** A share of runs, and the bounds of what it is for all seeds, with a confidence of 95 %. From 0 to 1. */
export interface Share {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface Odds {
  readonly runs: number;
  readonly complete: Share;
  readonly failed: Share;
  /** Runs in which a Job never ended. */
  readonly open: Share;
  /** By when half and nine tenths of those that complete have completed; undefined: none has. */
  readonly completeByMs: { readonly half: number; readonly nineTenths: number } | undefined;
  readonly pods: { readonly mean: number; readonly most: number };
  readonly podHours: number;
}

/** Of the ends of runs on one axis: how many of each kind lie in a bin. */
export interface Bin {
  readonly complete: number;
  readonly failed: number;
  readonly open: number;
}

const HOUR_MS = 3_600_000;
/** Of the normal distribution, for 95 %. */
const Z = 1.96;

/** @param runs at least one */
export function oddsOf(runs: readonly SeedRun[]): Odds {
  const count = (end: SeedRun["end"]): Share => shareOf(runs.filter((run) => run.end === end).length, runs.length);
  const completeMs = runs
    .filter(({ end }) => end === "complete")
    .map(({ endMs }) => endMs)
    .toSorted((a, b) => a - b);
  return {
    runs: runs.length,
    complete: count("complete"),
    failed: count("failed"),
    open: count("open"),
    completeByMs:
      completeMs.length === 0 ? undefined : { half: quantile(completeMs, 0.5), nineTenths: quantile(completeMs, 0.9) },
    pods: { mean: mean(runs, ({ pods }) => pods), most: Math.max(...runs.map(({ pods }) => pods)) },
    podHours: mean(runs, ({ podMs }) => podMs) / HOUR_MS,
  };
}

/** The share of runs that have completed by then. */
export function completeBy(runs: readonly SeedRun[], deadlineMs: number): Share {
  return shareOf(runs.filter(({ end, endMs }) => end === "complete" && endMs <= deadlineMs).length, runs.length);
}

/** The ends of runs in bins of equal width, which reach from the first end to the last one. */
export function binsOf(runs: readonly SeedRun[], fromMs: number, toMs: number, bins: number): Bin[] {
  const width = Math.max(1, (toMs - fromMs) / bins);
  return Array.from({ length: bins }, (_, i): Bin => {
    const [from, to] = [fromMs + i * width, fromMs + (i + 1) * width];
    const inside = runs.filter(({ endMs }) => endMs >= from && (endMs < to || (i === bins - 1 && endMs <= to)));
    const count = (end: SeedRun["end"]): number => inside.filter((run) => run.end === end).length;
    return { complete: count("complete"), failed: count("failed"), open: count("open") };
  });
}

/** The smallest value that at least this part of the values does not exceed. @param sorted ascending, not empty */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]!;
}

function mean(runs: readonly SeedRun[], of: (run: SeedRun) => number): number {
  return runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
}

/** Wilson's interval, which is right for shares near 0 and 1, too. */
function shareOf(count: number, all: number): Share {
  const value = count / all;
  const middle = (value + (Z * Z) / (2 * all)) / (1 + (Z * Z) / all);
  const reach = (Z / (1 + (Z * Z) / all)) * Math.sqrt((value * (1 - value)) / all + (Z * Z) / (4 * all * all));
  return { value, low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}
