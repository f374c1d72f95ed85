/** Hostile bytes for the engine, in a thread, with a report. */
import { buildModule } from "../../scripts/build-engine.ts";
import type { EngineTask } from "./engine-worker.ts";
import { type Failure, INPUTS_A_ROUND } from "./fuzzer.ts";
import { runWatched } from "./watched-worker.ts";

/** A round takes milliseconds; one that takes this long has no end. */
const MAX_ROUND_MS = 60_000;
const PROGRESS_MS = 10_000;

/** @returns whether the engine bore them all */
export async function runEngine(task: Omit<EngineTask, "done">): Promise<boolean> {
  await buildModule("engine");
  const done = new SharedArrayBuffer(4);
  const counter = new Int32Array(done);
  const inputs = (rounds: number): string => (rounds * INPUTS_A_ROUND).toLocaleString("en-US");
  const end = await runWatched<Failure | undefined>(
    new URL("engine-worker.ts", import.meta.url),
    { ...task, done } satisfies EngineTask,
    counter,
    {
      maxIdleMs: MAX_ROUND_MS,
      progressMs: PROGRESS_MS,
      onProgress: (rounds) => console.log(`${inputs(rounds)} inputs of ${inputs(task.rounds)}: all borne`),
    },
  );
  const failure =
    "message" in end
      ? end.message
      : { seed: task.seed, round: task.first + Atomics.load(counter, 0), played: [], message: end.stopped };
  console.log(
    failure === undefined
      ? `${inputs(Atomics.load(counter, 0))} inputs of seed ${task.seed}: all borne`
      : report(failure),
  );
  return failure === undefined;
}

function report({ seed, round, played, message }: Failure): string {
  return [
    `round ${round} of seed ${seed} fails with ${played.at(-1) ?? "the start"} (input ${played.length} of the round):`,
    `  ${message}`,
    "to see it again:",
    `  npm run fuzz -- --seed ${seed} --round ${round}`,
  ].join("\n");
}
