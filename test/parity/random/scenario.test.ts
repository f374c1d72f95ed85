/**
 * Random scenarios are Jobs that the API takes, of every kind, and that end by themselves: no API server is needed for
 * that.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseOutcome } from "../../../cluster/kubelet/simulation-outcome.ts";
import { isOver } from "../../kubernetes/conditions.ts";
import { VirtualCluster } from "../../host-node/virtual-cluster.ts";
import type { Scenario } from "../scenario.ts";
import { jobSpec } from "../play.ts";
import { randomScenario } from "./scenario.ts";

const SEEDS = Array.from({ length: 300 }, (_none, at) => at);
const JOBS = "/apis/batch/v1/namespaces/default/jobs";

const has =
  (text: string) =>
  (scenario: Scenario): boolean =>
    JSON.stringify(scenario).includes(text);

const specOf = ({ patchJob }: { patchJob: Record<string, unknown> }): Record<string, unknown> =>
  (patchJob["spec"] ?? {}) as Record<string, unknown>;

/** Its pods end differently, and nothing but the order of their starts says which of them does what. */
const unlike = ({ job, outcome }: Scenario): boolean =>
  job["completionMode"] !== "Indexed" && JSON.stringify(outcome).includes("exitCodes");

describe("random scenarios", () => {
  let cluster: VirtualCluster;
  beforeAll(async () => {
    cluster = await VirtualCluster.start();
  });
  afterAll(() => cluster.stop());

  test("the same seed makes the same scenario, but for its name", () => {
    const { name, ...again } = randomScenario(7, 2);
    expect(name).toBe("r7-2");
    expect({ ...again, name: "r7" }).toEqual(randomScenario(7));
    expect(randomScenario(8)).not.toEqual(randomScenario(7));
  });

  test("every kind of Job, and of what is done to it, comes up", () => {
    const scenarios = SEEDS.map((seed) => randomScenario(seed));
    const words = [
      "Indexed",
      "backoffLimitPerIndex",
      "podFailurePolicy",
      "successPolicy",
      "podReplacementPolicy",
      "OnFailure",
      "exitCodes",
      "ttlSecondsAfterFinished",
      "activeDeadlineSeconds",
      '"suspend":true',
      '"suspend":false',
      "deletePod",
      "evictPod",
      '"Orphan"',
      '"Foreground"',
      '"Background"',
      "ignoreSigterm",
      '"parallelism":0',
    ];
    for (const word of words) expect([word, scenarios.some(has(word))]).toEqual([word, true]);
    expect(scenarios.some(({ job }) => job["completions"] === undefined)).toBe(true);
  });

  test("no scenario leaves a Job suspended, or without pods, for good", () => {
    for (const seed of SEEDS) {
      const { job, actions = [] } = randomScenario(seed);
      const specs = [job, ...actions.map((action) => ("patchJob" in action ? specOf(action) : {}))];
      const last = (field: string): unknown => specs.findLast((spec) => spec[field] !== undefined)?.[field];
      expect([seed, last("suspend") ?? false, last("parallelism")]).not.toEqual([seed, true, expect.anything()]);
      expect(last("parallelism")).toBeGreaterThan(0);
    }
  });

  test("no scenario picks one of several pods that differ by nothing but their start", () => {
    const without = (word: string): boolean =>
      SEEDS.map((seed) => randomScenario(seed))
        .filter(unlike)
        .some(has(word));
    expect(["deletePod", "evictPod", '"parallelism":0'].filter(without)).toEqual([]);
    for (const { job, actions = [] } of SEEDS.map((seed) => randomScenario(seed)).filter(unlike)) {
      const sizes = actions.flatMap((action) => ("patchJob" in action ? [specOf(action)["parallelism"]] : []));
      const known = [job["parallelism"], ...sizes.filter((size) => size !== undefined)];
      expect(known).toEqual(known.toSorted());
    }
  });

  test("the API takes each scenario, and each ends without further actions, long before its time is over", () => {
    const scenarios = SEEDS.map((seed) => randomScenario(seed));
    for (const scenario of scenarios) {
      expect(() => parseOutcome(scenario.outcome, "outcome")).not.toThrow();
      cluster.api("POST", JOBS, {
        metadata: { name: scenario.name },
        spec: jobSpec(scenario, { ...scenario.job, suspend: false, ttlSecondsAfterFinished: null }),
      });
    }
    cluster.runUntil(() => false, scenarios[0]!.timeoutMs! / 2);
    expect(
      cluster
        .list(JOBS)
        .filter((job) => !isOver(job))
        .map(({ metadata }) => metadata.name),
    ).toEqual([]);
  });
});
