/** Plays rounds of hostile bytes for the engine in a separate thread. */
import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { modulePath } from "../../scripts/build-engine.ts";
import { Fuzzer } from "./fuzzer.ts";

export interface EngineTask {
  readonly seed: number;
  readonly first: number;
  readonly rounds: number;
  /** Rounds played, as the worker counts them. */
  readonly done: SharedArrayBuffer;
}

const { seed, first, rounds, done } = workerData as EngineTask;
const fuzzer = new Fuzzer(await WebAssembly.compile(readFileSync(modulePath("engine"))));
const counter = new Int32Array(done);
let failure = undefined;
for (let round = first; round < first + rounds && failure === undefined; round++) {
  failure = fuzzer.play(seed, round);
  if (failure === undefined) Atomics.add(counter, 0, 1);
}
parentPort!.postMessage(failure);
