/**
 * Measures contenders against each other: rounds take turns, so that a slow moment of the machine hits all of them,
 * and the median round counts. What is counted in bytes is asked for once. Leaves out judgement: nothing here passes or fails.
 */

export interface Contender {
  readonly name: string;
  /** Does the work of one run. Its result keeps the work from being optimised away; where bytes are counted it is their number. */
  run(): unknown;
}

export type Contenders = readonly [Contender, ...Contender[]];

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
  /** Memory for one of something; less is better. */
  | { readonly kind: "bytes"; readonly per: string };

export interface Measurement {
  readonly name: string;
  /** Milliseconds a run, of the median round; or bytes. */
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

/** Time per run, or bytes, of each contender, in their order. */
export async function measure(bench: Bench, effort: Effort): Promise<Measurement[]> {
  const contenders = await bench.contenders();
  if (bench.unit.kind === "bytes") return contenders.map(({ name, run }) => ({ name, amount: run() as number }));
  // Also the warm-up: by then the compilers have done their best.
  const runs = contenders.map((contender) => runsPerRound(contender, effort.roundMs));
  const times: number[][] = contenders.map(() => []);
  for (let round = 0; round < effort.rounds; round++) {
    contenders.forEach((contender, i) => times[i]!.push(timeRuns(contender, runs[i]!) / runs[i]!));
  }
  return contenders.map((contender, i) => ({ name: contender.name, amount: median(times[i]!) }));
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
