/** The runs that the odds show: of one scenario alone, and what is pinned stays. */
import { describe, expect, test } from "vitest";
import { OddsState } from "../../../host-browser/app/odds-state.ts";
import type { SeedWorker } from "../../../host-browser/odds/ask-seeds.ts";
import type { SeedAnswer, SeedQuestion } from "../../../host-browser/odds/seed-question.ts";
import { DEFAULT_NODES, type Scenario } from "../../../cluster/simulation/scenario.ts";

function scenario(yaml: string, seed = 1): Scenario {
  return { yaml, seed, nodes: DEFAULT_NODES, outcomes: [], inputs: [] };
}

/** A Worker that answers each question when the test says so. */
class FakeWorker implements SeedWorker {
  hear!: (answer: SeedAnswer) => void;
  readonly asked: SeedQuestion[] = [];
  isEnded = false;

  ask(question: SeedQuestion): void {
    this.asked.push(question);
  }

  listen(onAnswer: FakeWorker["hear"]): void {
    this.hear = onAnswer;
  }

  end(): void {
    this.isEnded = true;
  }

  answer(): void {
    const { scenario, seeds } = this.asked.at(-1)!;
    const endMs = scenario.yaml.length;
    this.hear({ runs: seeds.map((seed) => ({ seed, end: "complete", endMs, pods: 1, podMs: 1 })) });
  }
}

function setUp(loadEngine = () => Promise.resolve({} as WebAssembly.Module)) {
  const workers: FakeWorker[] = [];
  const state = new OddsState({
    loadEngine,
    startWorkers: () => {
      workers.push(new FakeWorker());
      return [workers.at(-1)!];
    },
  });
  const ends = () => state.runs.value.map(({ endMs }) => endMs);
  return { state, workers, ends };
}

const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

describe("the odds", () => {
  test("are asked once for a scenario, whatever its seed", async () => {
    const { state, workers, ends } = setUp();
    state.ask(scenario("ab"), 2);
    state.ask(scenario("ab", 7), 2);
    await turn();
    expect(workers).toHaveLength(1);
    workers[0]!.answer();
    expect(ends()).toEqual([2, 2]);
    expect(state.status.value).toBe("done");
    state.ask(scenario("ab", 8), 2);
    await turn();
    expect(workers).toHaveLength(1);
  });

  test("of another scenario replace those that are under way", async () => {
    const { state, workers, ends } = setUp();
    state.ask(scenario("ab"), 2);
    await turn();
    state.ask(scenario("abc"), 2);
    expect(ends()).toEqual([]);
    await turn();
    expect(workers[0]!.isEnded).toBe(true);
    workers[0]!.answer();
    workers[1]!.answer();
    expect(ends()).toEqual([3, 3]);
  });

  test("that are replaced while the engine loads start no Worker", async () => {
    const { state, workers } = setUp();
    state.ask(scenario("a"), 2);
    state.ask(scenario("b"), 2);
    await turn();
    expect(workers).toHaveLength(1);
  });

  test("stop where the reader stops them, and begin again after the reader has left", async () => {
    const { state, workers, ends } = setUp();
    state.ask(scenario("ab"), 20);
    await turn();
    workers[0]!.answer();
    state.stop();
    expect([state.status.value, ends().length, workers[0]!.isEnded]).toEqual(["stopped", 5, true]);
    state.ask(scenario("ab"), 20);
    expect(state.status.value).toBe("stopped");
    state.leave();
    state.ask(scenario("ab"), 20);
    expect(state.status.value).toBe("running");
  });

  test("are pinned when all are there, once", async () => {
    const { state, workers } = setUp();
    state.ask(scenario("ab"), 2);
    await turn();
    state.pinDone();
    expect(state.pinned.value).toEqual([]);
    workers[0]!.answer();
    state.pinDone();
    expect(state.pinned.value.map(({ endMs }) => endMs)).toEqual([2, 2]);
    state.ask(scenario("abc"), 2);
    await turn();
    workers[1]!.answer();
    state.pinDone();
    expect(state.pinned.value.map(({ endMs }) => endMs)).toEqual([2, 2]);
    state.unpin();
    expect(state.pinned.value).toEqual([]);
  });

  test("say why no seeds are run", async () => {
    let answers = 0;
    const engine = () =>
      answers++ === 0 ? Promise.reject(new Error("engine.wasm: 404")) : Promise.resolve({} as WebAssembly.Module);
    const { state, workers } = setUp(engine);
    state.ask(scenario("a"), 2);
    await turn();
    expect(state.problem.value).toBe("Error: engine.wasm: 404");
    expect(state.status.value).toBe("stopped");
    // Again, and then once for all.
    for (const yaml of ["b", "c"]) {
      state.ask(scenario(yaml), 2);
      await turn();
    }
    expect([answers, workers.length, state.status.value]).toEqual([2, 2, "running"]);
  });
});
