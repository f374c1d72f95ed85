/** Equal scenarios are equal runs, and the first part of a fork is that of its original. */
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../cluster/values/types.ts";
import type { Input, Scenario } from "../../../cluster/simulation/scenario.ts";
import { Digest } from "../../../cluster/simulation/digest.ts";
import { create, jobYaml, run, runTo, scenarioOf } from "./harness.ts";

const YAML = jobYaml(
  "completions: 6\nparallelism: 3\ncompletionMode: Indexed\nbackoffLimit: 20",
  '{ "runMs": [500, 5000], "exitCodes": [1, 0] }',
);
/** Without an annotation, which would win over rules. */
const PLAIN = jobYaml("completions: 6\nparallelism: 3\ncompletionMode: Indexed\nbackoffLimit: 20").replace(
  / {4}metadata:\n {6}annotations:\n.*\n/,
  "",
);
const OUTCOMES: Scenario["outcomes"] = [
  { match: { attempt: 0 }, share: 0.5, outcome: { runMs: [500, 5000], exitCode: 137 } },
];

describe("the digest", () => {
  test("is equal for two runs of one scenario, with chance and inputs in it", () => {
    const inputs: Input[] = [{ atMs: 3_000, action: { kind: "drain", node: "node-1" } }];
    const first = run(PLAIN, inputs, { outcomes: OUTCOMES, seed: 7 });
    const again = run(PLAIN, inputs, { outcomes: OUTCOMES, seed: 7 });
    const failed = first.recorder.phases.filter(({ phase }) => phase === "Failed");
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBeLessThan(9);
    expect(first.recorder.flags).toEqual([expect.not.objectContaining({ problem: expect.anything() })]);
    expect(again.world.digest).toBe(first.world.digest);
    expect(again.recorder.phases).toEqual(first.recorder.phases);
    expect(first.world.digest).toMatch(/^[0-9a-f]{16}$/);
  });

  test("differs with the seed, and after one more input", () => {
    const { digest } = run(YAML).world;
    expect(run(YAML, [], { seed: 2 }).world.digest).not.toBe(digest);
    expect(run(YAML, [{ atMs: 3_000, action: { kind: "cordon", node: "node-1" } }]).world.digest).not.toBe(digest);
  });

  test("differs with what a container ended with, though all else is equal", () => {
    const digestOf = (outcome: Scenario["outcomes"][number]["outcome"]): string =>
      run(PLAIN, [], { outcomes: [{ match: { attempt: 0 }, outcome: { runMs: 700, ...outcome } }] }).world.digest;
    const digest = digestOf({ exitCode: 1 });
    expect(digestOf({ exitCode: 1 })).toBe(digest);
    expect(digestOf({ exitCode: 2 })).not.toBe(digest);
    expect(digestOf({ exitCode: 1, reason: "OOMKilled" })).not.toBe(digest);
  });

  test("of a fork equals that of the original up to the instant of the change", () => {
    const original = create(scenarioOf(YAML));
    const digests = new Map<number, string>();
    while (!original.world.isFinished()) {
      original.world.runNext();
      if (original.world.nextAt() > original.world.now()) digests.set(original.world.now(), original.world.digest);
    }
    const instants = [...digests.keys()].filter((atMs) => atMs > 0);
    const atMs = instants[Math.floor(instants.length / 2)]!;
    const fork = create(scenarioOf(YAML, { inputs: [{ atMs, action: { kind: "drain", node: "node-2" } }] }));
    let compared = 0;
    while (fork.world.nextAt() < atMs) {
      fork.world.runNext();
      if (fork.world.nextAt() <= fork.world.now()) continue;
      expect(fork.world.digest).toBe(digests.get(fork.world.now()));
      compared++;
    }
    expect(compared).toBeGreaterThan(5);
    runTo(fork.world, Infinity);
    expect(fork.world.digest).not.toBe(original.world.digest);
    expect(fork.recorder.phases.filter((phase) => phase.atMs < atMs)).toEqual(
      original.recorder.phases.filter((phase) => phase.atMs < atMs),
    );
  });

  test("of something done live equals that of the scenario with it", () => {
    const live = create(scenarioOf(YAML));
    runTo(live.world, 2_345);
    live.world.advanceTo(2_345);
    live.world.act({ kind: "suspend", namespace: "default", name: "pi" });
    runTo(live.world, 9_000);
    live.world.advanceTo(9_000);
    live.world.act({ kind: "resume", namespace: "default", name: "pi" });
    runTo(live.world, Infinity);
    const { inputs } = live.world.scenario;
    expect(inputs.map(({ atMs }) => atMs)).toEqual([2_345, 9_000]);
    expect(run(YAML, inputs).world.digest).toBe(live.world.digest);
  });
});

test("what happens to one index does not change how long the others run", () => {
  const first = (inputs: readonly Input[]): (readonly [string, number])[] => {
    const { phases } = run(YAML, inputs).recorder;
    return phases
      .filter(({ pod, phase }) => /^pi-[12]-/.test(pod) && phase === "Failed")
      .map(({ pod, atMs }) => [pod.slice(0, 4), atMs] as const)
      .slice(0, 2);
  };
  const pod = create(scenarioOf(YAML));
  runTo(pod.world, 100);
  const { name } = pod.recorder.pods().find(({ metadata }) => metadata.name.startsWith("pi-0-"))!.metadata;
  expect(first([{ atMs: 100, action: { kind: "delete-pod", namespace: "default", name } }])).toEqual(first([]));
});

test("a digest is the same number for ever: addresses that people share have it", () => {
  const digest = new Digest();
  const statuses: KubeObject["status"][] = [
    ...[undefined, {}],
    {
      phase: "Running",
      conditions: [
        { type: "a", status: "True" },
        { type: "b", status: "False", reason: "x" },
      ],
      containerStatuses: [
        { restartCount: 3, state: { terminated: { exitCode: 137, reason: "OOM" } } },
        { restartCount: 0, state: { running: {} } },
        { restartCount: 1 },
      ],
    },
    { active: 3, ready: 0, failed: 1234567, conditions: [{ type: "é", status: "", reason: null }] },
  ];
  const write = (status: KubeObject["status"], spec: object | undefined, nowMs: number): void => {
    const object = { metadata: { name: "a" }, spec, status } as unknown as KubeObject;
    digest.write({ resource: "pods", type: "ADDED", revision: 5, object, stored: { key: "a" } }, nowMs);
  };
  for (const status of statuses) write(status, { nodeName: "n" }, 7);
  write({ phase: null }, undefined, 1);
  expect(digest.hex()).toBe("4eec164b6f25ef40");
});
