/** A run of one seed: what is remembered is what the page would show of this run. */
import { describe, expect, test } from "vitest";
import { seedRun } from "../../../host-browser/odds/seed-run.ts";
import type { Write } from "../../../cluster/apiserver/server.ts";
import { DEFAULT_NODES, type Scenario } from "../../../cluster/simulation/scenario.ts";
import { World } from "../../../cluster/simulation/world.ts";
import { endOf } from "../../../cluster/values/job-conditions.ts";
import { engineModule } from "../../bindings/js/vector-files.ts";
import { allTools } from "../../cluster/simulation/tools.ts";
import { TestRecorder } from "../../cluster/simulation/harness.ts";

/** What the page's recorder sees: when a Job ended. */
class EndRecorder extends TestRecorder {
  endMs: number | undefined;

  override onWrite(write: Write, nowMs: number): void {
    super.onWrite(write, nowMs);
    if (write.resource === "jobs" && endOf(write.object) !== undefined) this.endMs ??= nowMs;
  }
}

function scenario(spec: string, outcomes: Scenario["outcomes"] = [], inputs: Scenario["inputs"] = []): Scenario {
  const yaml = `
apiVersion: batch/v1
kind: Job
metadata: { name: j }
spec:
  ${spec}
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: c, image: x }]
`;
  return { yaml, seed: 1, nodes: DEFAULT_NODES, outcomes, inputs };
}
const TEN_SECONDS = { outcome: { runMs: 10_000 } };
const run = (of: Scenario, seed = 1) => seedRun(engineModule, of, seed);

describe("a seed", () => {
  test("has an end, its pods, and the time that they held nodes", () => {
    const { endMs, podMs, ...rest } = run(scenario("completions: 4\n  parallelism: 2", [TEN_SECONDS]));
    expect(rest).toEqual({ seed: 1, end: "complete", pods: 4 });
    // Two after two; starting and counting take less than a second each.
    expect(endMs).toBeGreaterThan(20_000);
    expect(endMs).toBeLessThan(24_000);
    expect(podMs).toBeGreaterThanOrEqual(40_000);
    expect(podMs).toBeLessThan(44_000);
  });

  test("is the run of the page, to the millisecond", () => {
    const chance = [{ share: 0.4, outcome: { exitCode: 1, runMs: [100, 9000] } }, TEN_SECONDS];
    const of = scenario("completions: 6\n  parallelism: 3", chance);
    const seeds = [3, 4, 5];
    const shown = seeds.map((seed) => {
      const recorder = new EndRecorder();
      const world = new World(engineModule, { ...of, seed }, recorder, allTools);
      while (!world.isFinished()) world.runNext();
      return recorder.endMs;
    });
    expect(seeds.map((seed) => run(of, seed).endMs)).toEqual(shown);
    expect(new Set(shown).size).toBe(3);
  });

  test("fails when a Job fails, at that instant", () => {
    const { end, endMs, pods } = run(scenario("backoffLimit: 0", [{ outcome: { exitCode: 1, runMs: 5000 } }]));
    expect({ end, pods }).toEqual({ end: "failed", pods: 1 });
    expect(endMs).toBeLessThan(8000);
  });

  test("stays open when a Job never ends; a pod that runs for ever holds its node", () => {
    const { end, pods, podMs } = run(scenario("backoffLimit: 0", [{ outcome: { runMs: "forever" } }]));
    expect({ end, pods }).toEqual({ end: "open", pods: 1 });
    expect(podMs).toBeGreaterThanOrEqual(0);
  });

  test("counts the pods that replace those of a lost node", () => {
    const lost = { atMs: 5000, action: { kind: "lose-node", node: "node-1" } } as const;
    const { end, pods, podMs } = run(scenario("completions: 3\n  parallelism: 3", [TEN_SECONDS], [lost]));
    expect({ end, pods }).toEqual({ end: "complete", pods: 4 });
    // The pod of the lost node holds its place until it is collected, 40 s later.
    expect(podMs).toBeGreaterThan(70_000);
  });

  test("of a manifest with mistakes is an error", () => {
    expect(() => run({ ...scenario("completions: -1") })).toThrow("the manifest has mistakes");
  });
});
