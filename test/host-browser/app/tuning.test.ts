/** Turning numbers: one run at a time, the latest one always, and one shadow for all of a turning. */
import { signal } from "@preact/signals";
import { beforeEach, describe, expect, test } from "vitest";
import { Tuning } from "../../../host-browser/app/tuning.ts";
import type { Branch } from "../../../host-browser/app/session.ts";
import type { Mode } from "../../../host-browser/messages.ts";
import { DEFAULT_NODES, type Scenario } from "../../../cluster/simulation/scenario.ts";

function scenario(seed: number): Scenario {
  return { yaml: "", seed, nodes: DEFAULT_NODES, outcomes: [], inputs: [] };
}

/** A page whose runs are shown when the test says so. */
class FakePlayground {
  readonly session = {
    branch: signal<Branch | undefined>({ scenario: scenario(0) } as Branch),
    mode: signal<Mode>("finished"),
    revision: signal(0),
    isLoading: false,
  };
  /** Seeds of the runs, and of the runs behind them. */
  readonly tuned: (readonly [number, number])[] = [];
  #next: Scenario | undefined;

  tune(next: Scenario, before: Branch): void {
    this.tuned.push([next.seed, before.scenario.seed]);
    this.#next = next;
    this.session.isLoading = true;
    this.session.mode.value = "loading";
  }

  show(): void {
    this.session.isLoading = false;
    this.session.branch.value = { scenario: this.#next } as Branch;
    this.session.mode.value = "finished";
  }
}

let page: FakePlayground;
let tuning: Tuning;
beforeEach(() => {
  page = new FakePlayground();
  tuning = new Tuning(page);
});

describe("turning", () => {
  test("runs the first turn at once, and of those that come meanwhile the latest", () => {
    for (const seed of [1, 2, 3]) tuning.turn(scenario(seed));
    expect(page.tuned).toEqual([[1, 0]]);
    page.show();
    expect(page.tuned).toEqual([
      [1, 0],
      [3, 0],
    ]);
    expect(tuning.turned.value?.seed).toBe(3);
    page.show();
    expect(tuning.turned.value).toBeUndefined();
    expect(page.tuned).toHaveLength(2);
  });

  test("keeps the run before the first turn as the shadow, until the reader lets go", () => {
    tuning.turn(scenario(1));
    page.show();
    tuning.turn(scenario(2));
    tuning.rest();
    page.show();
    tuning.turn(scenario(3));
    expect(page.tuned).toEqual([
      [1, 0],
      [2, 0],
      [3, 2],
    ]);
  });

  test("keeps that shadow for a turn that still waits when the reader lets go", () => {
    tuning.turn(scenario(1));
    tuning.turn(scenario(2));
    tuning.rest();
    page.show();
    page.show();
    tuning.turn(scenario(3));
    expect(page.tuned).toEqual([
      [1, 0],
      [2, 0],
      [3, 2],
    ]);
  });

  test("runs nothing after its end", () => {
    tuning.turn(scenario(1));
    tuning.turn(scenario(2));
    tuning.end();
    page.show();
    expect(page.tuned).toEqual([[1, 0]]);
  });
});
