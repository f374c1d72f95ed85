/**
 * Runs seeds, one after the other in this thread or several at once in separate threads. A run shares nothing with
 * another, so the outcome of a seed is the same in every lane. Leaves out what is said about it, which is main.ts.
 */
import { Worker } from "node:worker_threads";
import { type Outcome, type RunOptions, shrink, simulate } from "./run.ts";

export interface Task {
  readonly seed: number;
  readonly steps: number;
}

export interface Lane {
  /** Runs a seed; one that fails is run again with fewer steps that fail alike. */
  run(task: Task): Promise<Outcome>;
  close(): void;
}

/** @param print is given every line of the trace; nothing is shrunk then */
export function laneHere(print?: RunOptions["print"]): Lane {
  return {
    async run(task) {
      const outcome = await simulate({ ...task, ...(print === undefined ? {} : { print }) });
      return outcome.failure === undefined || print !== undefined ? outcome : shrink(outcome);
    },
    close() {},
  };
}

export function laneInThread(): Lane {
  const worker = new Worker(new URL("./lane-thread.ts", import.meta.url));
  return {
    run: (task) =>
      new Promise((resolve, reject) => {
        worker.once("message", (outcome: Outcome) => {
          worker.off("error", reject);
          resolve(outcome);
        });
        worker.once("error", reject);
        worker.postMessage(task);
      }),
    close: () => void worker.terminate(),
  };
}

/** Runs every seed on whichever lane is free, and tells each outcome as it comes. */
export async function runOn(
  lanes: readonly Lane[],
  tasks: Iterable<Task>,
  told: (outcome: Outcome) => void,
): Promise<void> {
  const queue = tasks[Symbol.iterator]();
  try {
    await Promise.all(
      lanes.map(async (lane) => {
        for (let next = queue.next(); next.done !== true; next = queue.next()) told(await lane.run(next.value));
      }),
    );
  } finally {
    for (const lane of lanes) lane.close();
  }
}
