/**
 * Measures contenders against each other: rounds take turns, so that a slow moment of the machine hits all of them, and
 * the median round counts. What a contender counts itself (bytes, the length of one long run) is asked for once. Leaves
 * out judgement: nothing here passes or fails; an aim is a contender that does nothing, and a ratio of 1 or more says
 * that it is met.
 */

export interface Contender {
  readonly name: string;
  /**
   * Does the work of one run. Its result keeps the work from being optimised away; where contenders count themselves it
   * is the amount.
   */
  run(): unknown;
}

/** What is aimed at, in the place of a contender: milliseconds a run, or the amount. */
export interface Aim {
  readonly name: string;
  readonly amount: number;
}

export type Contenders = readonly [Contender, ...(Contender | Aim)[]];

/** One row of the table: the same work, done by everyone. */
export interface Bench {
  readonly title: string;
  /** How an amount is shown. */
  readonly unit: Unit;
  /** Sets them up, when it is their turn. The first is compared with each of the others. */
  contenders(): Contenders | Promise<Contenders>;
}

export type Unit =
  /** Throughput; more is better. */
  | { readonly kind: "MB/s"; readonly bytesPerRun: number }
  /** Time for one of several equal parts of a run, in microseconds; less is better. */
  | { readonly kind: "µs"; readonly per: string; readonly partsPerRun: number }
  /** Parts of a run in a second; more is better. */
  | { readonly kind: "/s"; readonly parts: string; readonly partsPerRun: number }
  /** Memory for one of something, as counted by the contender; less is better. */
  | { readonly kind: "bytes"; readonly per: string }
  /** Microseconds for one of something in a long run, as counted by the contender; less is better. */
  | { readonly kind: "long"; readonly per: string };

export interface Measurement {
  readonly name: string;
  /** Milliseconds a run, of the median round; or what the contender counted. */
  readonly amount: number;
}

/** How long it may take: rounds of each contender, and how much time each fills at least. */
export interface Effort {
  readonly rounds: number;
  readonly roundMs: number;
}

export const FULL: Effort = { rounds: 9, roundMs: 60 };
export const QUICK: Effort = { rounds: 3, roundMs: 20 };

const RUNS_MAX = 1_000_000;

/** Time per run, or what was counted, of each contender, in their order. */
export async function measure(bench: Bench, effort: Effort): Promise<Measurement[]> {
  const contenders = await bench.contenders();
  const { kind } = bench.unit;
  if (kind === "bytes" || kind === "long") {
    const measurements: Measurement[] = [];
    for (const contender of contenders)
      measurements.push(
        "run" in contender ? { name: contender.name, amount: (await contender.run()) as number } : contender,
      );
    return measurements;
  }
  // Also the warm-up: by then the compilers have done their best.
  const timed = contenders.flatMap((contender) =>
    "run" in contender ? [{ contender, runs: runsPerRound(contender, effort.roundMs), times: [] as number[] }] : [],
  );
  for (let round = 0; round < effort.rounds; round++) {
    for (const { contender, runs, times } of timed) times.push(timeRuns(contender, runs) / runs);
  }
  const medians = new Map(timed.map(({ contender, times }) => [contender.name, median(times)]));
  return contenders.map((contender) =>
    "run" in contender ? { name: contender.name, amount: medians.get(contender.name)! } : contender,
  );
}

/** How many runs fill a round; a single run may take longer than that. */
function runsPerRound(contender: Contender, roundMs: number): number {
  let runs = 1;
  for (;;) {
    const ms = timeRuns(contender, runs);
    if (ms >= roundMs || runs >= RUNS_MAX) return runs;
    runs = Math.min(RUNS_MAX, Math.ceil(runs * Math.min(10, (1.2 * roundMs) / Math.max(ms, 0.01))));
  }
}

function timeRuns(contender: Contender, runs: number): number {
  const start = performance.now();
  for (let i = 0; i < runs; i++) sink = contender.run();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

export let sink: unknown;
