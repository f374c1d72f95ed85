/**
 * `npm run fuzz`: hostile bytes for every entry of the engine that takes any, by the million, from one seed. Rounds are played by
 * a worker, so that a round that does not come to an end is noticed, and named like any other failure.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { toolArguments, wholeNumber } from "../arguments.ts";
import { buildModule, modulePath } from "../../scripts/build-engine.ts";
import { type Failure, Fuzzer, INPUTS_A_ROUND } from "./fuzzer.ts";

const HELP = `Gives the engine hostile bytes: mutated objects of a real API server, through every entry that takes bytes.

usage: npm run fuzz -- [--inputs N] [--seed N] [--round N]

  --inputs N  how many, in rounds of ${INPUTS_A_ROUND}; 100000 unless given
  --seed N    what they are drawn from; 1 unless given
  --round N   plays this round alone
  --help      prints this

Exit status: 0 when the engine bore them all, 1 when it did not, 2 for arguments that make no sense.
`;
const MAX_NUMBER = 999_999_999;
/** A round takes milliseconds; one that takes this long has no end. */
const MAX_ROUND_MS = 60_000;
const PROGRESS_MS = 10_000;
const CHECK_MS = 500;

interface Task {
  readonly seed: number;
  readonly first: number;
  readonly rounds: number;
  /** Rounds played, as the worker counts them. */
  readonly done: SharedArrayBuffer;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Omit<Task, "done"> | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: { inputs: { type: "string", default: "100000" }, seed: { type: "string", default: "1" }, round: { type: "string" }, help: { type: "boolean", default: false } },
  });
  if (values.help) return undefined;
  const seed = wholeNumber("seed", values.seed, 0, MAX_NUMBER);
  if (values.round !== undefined) return { seed, first: wholeNumber("round", values.round, 0, MAX_NUMBER), rounds: 1 };
  return { seed, first: 0, rounds: Math.ceil(wholeNumber("inputs", values.inputs, 0, MAX_NUMBER) / INPUTS_A_ROUND) };
}

function report({ seed, round, played, message }: Failure): string {
  return [`round ${round} of seed ${seed} fails with ${played.at(-1) ?? "the start"} (input ${played.length} of the round):`, `  ${message}`, "to see it again:", `  npm run fuzz -- --seed ${seed} --round ${round}`].join("\n");
}

async function runInWorker(task: Omit<Task, "done">): Promise<Failure | undefined> {
  await buildModule("engine");
  const done = new SharedArrayBuffer(4);
  const counter = new Int32Array(done);
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...task, done } satisfies Task });
  const { promise, resolve, reject } = Promise.withResolvers<Failure | undefined>();
  worker.on("message", resolve);
  worker.on("error", reject);
  let [last, lastMs, shownMs] = [-1, Date.now(), Date.now()];
  const inputs = (): string => (Atomics.load(counter, 0) * INPUTS_A_ROUND).toLocaleString("en-US");
  const timer = setInterval(() => {
    const now = Date.now();
    const rounds = Atomics.load(counter, 0);
    if (rounds !== last) [last, lastMs] = [rounds, now];
    if (now - lastMs > MAX_ROUND_MS) resolve({ seed: task.seed, round: task.first + rounds, played: [], message: `the round has not come to an end in ${MAX_ROUND_MS / 1000} s` });
    if (now - shownMs < PROGRESS_MS) return;
    shownMs = now;
    console.log(`${inputs()} inputs of ${(task.rounds * INPUTS_A_ROUND).toLocaleString("en-US")}: all borne`);
  }, CHECK_MS);
  try {
    const failure = await promise;
    console.log(failure === undefined ? `${inputs()} inputs of seed ${task.seed}: all borne` : report(failure));
    return failure;
  } finally {
    clearInterval(timer);
    await worker.terminate();
  }
}

async function main(): Promise<void> {
  const task = toolArguments(readArguments, HELP);
  if (task !== undefined && (await runInWorker(task)) !== undefined) process.exitCode = 1;
}

async function work({ seed, first, rounds, done }: Task): Promise<void> {
  const fuzzer = new Fuzzer(await WebAssembly.compile(readFileSync(modulePath("engine"))));
  const counter = new Int32Array(done);
  for (let round = first; round < first + rounds; round++) {
    const failure = fuzzer.play(seed, round);
    if (failure !== undefined) {
      parentPort!.postMessage(failure);
      return;
    }
    Atomics.add(counter, 0, 1);
  }
  parentPort!.postMessage(undefined);
}

if (isMainThread) await main();
else await work(workerData as Task);
