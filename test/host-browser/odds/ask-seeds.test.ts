/** Seeds in several Workers: each is run once, and nothing is reported after the end. */
import { describe, expect, test } from "vitest";
import { askSeeds, SEEDS_A_QUESTION, type SeedWorker } from "../../../host-browser/odds/ask-seeds.ts";
import type { SeedAnswer, SeedQuestion } from "../../../host-browser/odds/seed-question.ts";
import type { SeedRun } from "../../../host-browser/odds/seed-run.ts";
import { DEFAULT_NODES, type Scenario } from "../../../cluster/simulation/scenario.ts";

const SCENARIO: Scenario = { yaml: "", seed: 9, nodes: DEFAULT_NODES, outcomes: [], inputs: [] };
const ENGINE = {} as WebAssembly.Module;

/** A Worker that answers when the test lets it. */
class FakeWorker implements SeedWorker {
  hear!: (answer: SeedAnswer) => void;
  fail!: (message: string | undefined) => void;
  isEnded = false;
  readonly asked: SeedQuestion[] = [];

  ask(question: SeedQuestion): void {
    this.asked.push(question);
  }

  listen(onAnswer: FakeWorker["hear"], onFault: FakeWorker["fail"]): void {
    this.hear = onAnswer;
    this.fail = onFault;
  }

  answer(): void {
    const runs = this.asked.at(-1)!.seeds.map((seed): SeedRun => ({
      seed,
      end: "complete",
      endMs: seed,
      pods: 1,
      podMs: 1,
    }));
    this.hear({ runs });
  }

  end(): void {
    this.isEnded = true;
  }
}

function ask(seeds: number, workers: number) {
  const fakes = Array.from({ length: workers }, () => new FakeWorker());
  const seen: number[] = [];
  const events: string[] = [];
  const stop = askSeeds(ENGINE, SCENARIO, seeds, fakes, {
    onRuns: (runs, isLast) => {
      seen.push(...runs.map(({ seed }) => seed));
      events.push(isLast ? "last" : "some");
    },
    onProblem: (problem) => events.push(problem),
  });
  return { fakes, seen, events, stop };
}

describe("askSeeds", () => {
  test("runs each seed once, from 1 on, whichever Worker is faster", () => {
    const { fakes, seen, events } = ask(2 * SEEDS_A_QUESTION + 1, 2);
    fakes[0]!.answer();
    fakes[0]!.answer();
    expect(events).toEqual(["some", "some"]);
    fakes[1]!.answer();
    expect(events).toEqual(["some", "some", "last"]);
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 2 * SEEDS_A_QUESTION + 1 }, (_, i) => i + 1));
    expect(fakes.every(({ isEnded }) => isEnded)).toBe(true);
  });

  test("asks no Worker for more seeds than there are", () => {
    const { fakes, events } = ask(2, 3);
    expect(fakes.map(({ asked }) => asked.map(({ seeds }) => seeds))).toEqual([[[1, 2]], [], []]);
    fakes[0]!.answer();
    expect(events).toEqual(["last"]);
  });

  test("reports nothing after it was stopped", () => {
    const { fakes, events, stop } = ask(20, 2);
    stop();
    fakes[0]!.answer();
    expect(events).toEqual([]);
    expect(fakes.every(({ isEnded }) => isEnded)).toBe(true);
  });

  test("ends with the first problem", () => {
    const { fakes, events } = ask(20, 2);
    fakes[1]!.hear({ problem: "the manifest has mistakes" });
    fakes[0]!.fail("out of memory");
    fakes[0]!.answer();
    expect(events).toEqual(["the manifest has mistakes"]);
    expect(fakes.every(({ isEnded }) => isEnded)).toBe(true);
  });

  test("says that a Worker could not be started", () => {
    const { fakes, events } = ask(20, 1);
    fakes[0]!.fail(undefined);
    expect(events).toEqual(["a Worker failed: it could not be started"]);
  });
});
