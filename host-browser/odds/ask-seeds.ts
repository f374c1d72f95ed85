/**
 * Runs a scenario with many seeds, in several Workers at once.
 *
 * Invariant: each seed is run once, and after `stop`, a problem or the last seed no Worker is left and nothing more is
 * reported. Leaves out what a run is (seed-run.ts).
 */
import type { Scenario } from "../../cluster/simulation/scenario.ts";
import type { SeedAnswer, SeedQuestion } from "./seed-question.ts";
import type { SeedRun } from "./seed-run.ts";

/** Seeds of one question: the page hears of progress often enough, and messages cost nothing beside the runs. */
export const SEEDS_A_QUESTION = 5;

/** A Worker that runs seeds (seed-worker.ts). */
export interface SeedWorker {
  ask(question: SeedQuestion): void;
  /** Called before the first question. @param onFault with the message of the error, if there is one */
  listen(onAnswer: (answer: SeedAnswer) => void, onFault: (message: string | undefined) => void): void;
  /** Ends it, whatever it does. */
  end(): void;
}

export interface SeedListener {
  /** Some seeds have been run; `isLast`: all have. */
  onRuns(runs: readonly SeedRun[], isLast: boolean): void;
  onProblem(problem: string): void;
}

/**
 * @param seeds how many; they are 1, 2, 3…, so that two scenarios are compared by the same chances
 * @param workers as many as there are processors for
 * @returns stops everything
 */
export function askSeeds(
  engine: WebAssembly.Module,
  scenario: Scenario,
  seeds: number,
  workers: readonly SeedWorker[],
  { onRuns, onProblem }: SeedListener,
): () => void {
  let next = 1;
  let left = seeds;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    for (const worker of workers) worker.end();
  };
  const fail = (problem: string): void => {
    if (isOver) return;
    stop();
    onProblem(problem);
  };
  const ask = (worker: SeedWorker): void => {
    const count = Math.min(SEEDS_A_QUESTION, seeds + 1 - next);
    if (count <= 0) return;
    worker.ask({ engine, scenario, seeds: Array.from({ length: count }, (_, i) => next + i) });
    next += count;
  };
  for (const worker of workers) {
    const hear = (answer: SeedAnswer): void => {
      if (isOver) return;
      if ("problem" in answer) return fail(answer.problem);
      left -= answer.runs.length;
      if (left === 0) stop();
      else ask(worker);
      onRuns(answer.runs, left === 0);
    };
    worker.listen(hear, (message) => fail(`a Worker failed: ${message ?? "it could not be started"}`));
    ask(worker);
  }
  return stop;
}
