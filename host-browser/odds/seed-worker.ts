/**
 * The entry of a Worker that runs seeds. A separate bundle, which the page fetches when the reader opens the odds.
 * The page ends it to stop a run.
 */
import type { SeedAnswer, SeedQuestion } from "./seed-question.ts";
import { seedRun } from "./seed-run.ts";

/** What is used of a Worker's global scope; the DOM types describe a window. */
interface WorkerScope {
  postMessage(answer: SeedAnswer): void;
  addEventListener(type: "message", listener: (event: { readonly data: SeedQuestion }) => void): void;
}
const scope = globalThis as unknown as WorkerScope;

scope.addEventListener("message", ({ data: { engine, scenario, seeds } }) => {
  try {
    scope.postMessage({ runs: seeds.map((seed) => seedRun(engine, scenario, seed)) });
  } catch (error) {
    scope.postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
