/** Plays HTTP rounds in a separate thread, so that a request that never comes to an end is noticed by another. */
import { parentPort, workerData } from "node:worker_threads";
import { type Finding, HttpFuzzer, type HttpFailure, peakOf, REQUESTS_A_ROUND, stallOf } from "./fuzzer.ts";
import { processGauge } from "./gauge.ts";
import { Worst } from "./worst.ts";

export interface HttpTask {
  readonly seed: number;
  readonly first: number;
  readonly last: number;
  readonly maxStallMs: number;
  /** Of the request that is under way; the next of all when none is. */
  readonly at: SharedArrayBuffer;
}

export interface HttpOutcome {
  readonly stalls: readonly Finding[];
  readonly peaks: readonly Finding[];
  /** Requests that were accepted, with a status below 300. */
  readonly accepted: number;
  readonly failure: HttpFailure | undefined;
}

const { seed, first, last, maxStallMs, at } = workerData as HttpTask;
const counter = new Int32Array(at);
const fuzzer = new HttpFuzzer({
  gauge: processGauge,
  seed,
  maxStallMs,
  onRequest: (index) => void Atomics.store(counter, 0, index),
});
const [stalls, peaks] = [new Worst(stallOf), new Worst(peakOf)];
let accepted = 0;
let failure: HttpFailure | undefined;
for (let begin = first; begin <= last && failure === undefined; begin += REQUESTS_A_ROUND) {
  const played = await fuzzer.play(begin, Math.min(last, begin + REQUESTS_A_ROUND - 1));
  stalls.add(played.findings);
  peaks.add(played.findings);
  accepted += played.findings.filter(({ status }) => status < 300).length;
  ({ failure } = played);
}
parentPort!.postMessage({ stalls: stalls.findings, peaks: peaks.findings, accepted, failure } satisfies HttpOutcome);
