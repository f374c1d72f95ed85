/**
 * Compares what a Job did with its forecasts: nothing may lie outside, and some run should reach what is `exact`.
 * Leaves out how runs are made.
 */
import type { Engine, Forecast, ForecastAmount } from "../../bindings/js/engine.ts";
import { DISRUPTIONS, VIRTUAL_PACE } from "./script.ts";
import type { Run, Seen } from "./courses.ts";

const TIMED = " of timed pods";
const NOW_MS = Date.UTC(2026, 0, 1);

/** One number of one forecast, and what the runs made of it. */
interface Bound {
  readonly name: string;
  readonly amount: ForecastAmount;
  readonly isMost: boolean;
  readonly toleranceMs: number;
  readonly isTime: boolean;
  measured(seen: Seen): number | undefined;
}

/** How often a number was claimed, was exact, and was reached. */
export interface Tally {
  bounds: number;
  reachedBounds: number;
  exact: number;
  reachedExact: number;
  /** A Job whose exact number no run reached. */
  missed: string[];
}

export interface Verdict {
  readonly outside: readonly string[];
  readonly tallies: ReadonlyMap<string, Tally>;
}

export function newTallies(): Map<string, Tally> {
  return new Map();
}

/** Judges all runs of one Job. @returns what lies outside */
export function judge(
  engine: Engine,
  runs: readonly Run[],
  seen: readonly Seen[],
  tallies: Map<string, Tally>,
  { leastMs, mostMs, startMs } = VIRTUAL_PACE,
): string[] {
  const { spec } = runs[0]!;
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "job" }, spec };
  const ignores = spec.podFailurePolicy?.rules.some(({ action }) => action === "Ignore") ?? false;
  const disruptions = ignores ? { disruptions: DISRUPTIONS } : {};
  const podMs = { least: leastMs, most: mostMs + startMs };
  const ask = (assumptions: object): Forecast => engine.forecast({ job, assumptions }, NOW_MS);
  const views: [string, Forecast, (run: Run) => boolean][] = [
    ["", ask(disruptions), () => true],
    [TIMED, ask({ ...disruptions, podMs }), ({ outcome }) => outcome.isTimed],
  ];
  if (!ignores) views.push([" undisturbed", ask({ disruptions: 0 }), ({ outcome }) => outcome.evictions === undefined]);
  const outside: string[] = [];
  // One that still continues after a day says nothing of what is least.
  const ended = (entry: Seen): boolean => entry.endMs !== undefined || spec.parallelism === 0;
  for (const [view, forecast, isMeant] of views) {
    const own = seen.map((entry, i) => ({ entry, run: runs[i]! })).filter(({ run }) => isMeant(run));
    for (const bound of boundsOf(view, forecast)) {
      const values = own.map(({ entry }) => (bound.isMost || ended(entry) ? bound.measured(entry) : undefined));
      const { amount, isMost, toleranceMs, name } = bound;
      if (amount.value === null) continue;
      const limit = amount.value;
      values.forEach((value, i) => {
        if (value === undefined) return;
        if (isMost ? value <= limit + toleranceMs : value >= limit - toleranceMs) return;
        outside.push(
          `${name} is ${limit}, and there were ${value}: ${own[i]!.run.outcome.name}; ${JSON.stringify(spec)}`,
        );
      });
      const isReached = values.some(
        (value) => value !== undefined && (isMost ? value >= limit - toleranceMs : value <= limit + toleranceMs),
      );
      // Timed runs are for times, the others for counts.
      if (bound.isTime === (view === TIMED)) count(tallies, name, amount.is === "exact", isReached, spec);
    }
  }
  return outside;
}

function boundsOf(
  view: string,
  { pods, containerStarts, peak, end, deletedMs, statusBytes, podTime }: Forecast,
): Bound[] {
  const { toleranceMs } = end;
  const one = (
    name: string,
    amount: ForecastAmount,
    isMost: boolean,
    measured: Bound["measured"],
    tolerance = 0,
  ): Bound => ({ name: name + view, amount, isMost, measured, toleranceMs: tolerance, isTime: name.endsWith("Ms") });
  return [
    one("pods.least", pods.least, false, (seen) => seen.pods),
    one("pods.most", pods.most, true, (seen) => seen.pods),
    one("containerStarts.least", containerStarts.least, false, (seen) => seen.starts),
    one("containerStarts.most", containerStarts.most, true, (seen) => seen.starts),
    one("peak", peak, true, (seen) => seen.peak),
    one("statusBytes", statusBytes, true, (seen) => seen.statusBytes),
    one("end.earliestMs", end.earliestMs, false, (seen) => seen.endMs, toleranceMs),
    one("end.latestMs", end.latestMs, true, (seen) => seen.endMs, toleranceMs),
    one("deletedMs.earliestMs", deletedMs.earliestMs, false, (seen) => seen.deletedMs, toleranceMs),
    one("deletedMs.latestMs", deletedMs.latestMs, true, (seen) => seen.deletedMs, toleranceMs),
    one("podTime.mostMs", podTime.mostMs, true, (seen) => seen.podMs, toleranceMs * Math.max(1, pods.most.value ?? 1)),
  ];
}

function count(tallies: Map<string, Tally>, name: string, isExact: boolean, isReached: boolean, spec: object): void {
  let tally = tallies.get(name);
  if (tally === undefined) {
    tally = { bounds: 0, reachedBounds: 0, exact: 0, reachedExact: 0, missed: [] };
    tallies.set(name, tally);
  }
  if (isExact) {
    tally.exact++;
    if (isReached) tally.reachedExact++;
    else tally.missed.push(JSON.stringify(spec));
  } else {
    tally.bounds++;
    if (isReached) tally.reachedBounds++;
  }
}
