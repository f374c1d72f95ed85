/** Outcomes without code: rules of a scenario, by index and attempt, for a share of the pods, and for whole pods. */
import { describe, expect, test } from "vitest";
import type { Scenario } from "../../../cluster/simulation/scenario.ts";
import { jobYaml, run, type Ran } from "./harness.ts";

const runWith = (outcomes: Scenario["outcomes"], spec: string): Ran =>
  run(jobYaml(spec).replace(/ {4}metadata:\n {6}annotations:\n.*\n/, ""), [], { outcomes });
const INDEXED = "completions: 4\nparallelism: 4\ncompletionMode: Indexed\n";

describe("rules for containers", () => {
  test("by index and attempt", () => {
    const { recorder } = runWith(
      [{ match: { completionIndex: 2, attempt: 0 }, outcome: { exitCode: 137, reason: "OOMKilled", runMs: 700 } }],
      INDEXED,
    );
    const failed = recorder.phases.filter(({ phase }) => phase === "Failed");
    expect(failed.map(({ pod }) => pod.slice(0, 5))).toEqual(["pi-2-"]);
    expect(recorder.condition()).toMatch(/^Complete/);
  });

  test("for a share of them, which the seed draws", () => {
    const outcomes = [{ share: 0.05, outcome: { exitCode: 137, runMs: [20_000, 60_000] } }];
    const { recorder } = runWith(
      outcomes,
      "completions: 400\nparallelism: 300\ncompletionMode: Indexed\nbackoffLimit: 400",
    );
    const failed = recorder.phases.filter(({ phase }) => phase === "Failed").length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(45);
  });
});

describe("rules for whole pods", () => {
  test("never scheduled: the pod stays Pending, and says why", () => {
    const { world, recorder } = runWith(
      [{ match: { completionIndex: 1 }, outcome: {}, pod: { kind: "never-scheduled" } }],
      INDEXED,
    );
    expect(recorder.job()["status"]).toMatchObject({ succeeded: 3, active: 1 });
    expect(world.endNote()).toMatch(/^Nothing is left to happen: pod pi-1-\w+ has no node \(0\/3 nodes are available/);
  });

  test("evicted some time after it began to run, and only the first attempt", () => {
    const { recorder } = runWith(
      [
        {
          match: { completionIndex: 3, attempt: 0 },
          outcome: { runMs: "forever" },
          pod: { kind: "evicted", afterMs: [5_000, 5_000] },
        },
      ],
      INDEXED,
    );
    const ofIndex = recorder.phases.filter(({ pod }) => pod.startsWith("pi-3-"));
    const [began, ended] = [
      ofIndex.find(({ phase }) => phase === "Running"),
      ofIndex.find(({ phase }) => phase === "Failed"),
    ];
    expect(ended!.atMs - began!.atMs).toBe(5_000);
    expect(recorder.condition()).toMatch(/^Complete/);
    expect(recorder.phases.filter(({ phase }) => phase === "Failed")).toHaveLength(1);
  });

  test("whichever rule of all comes first decides, also one about containers", () => {
    const evicted = { outcome: { runMs: "forever" }, pod: { kind: "evicted", afterMs: [5_000, 5_000] } } as const;
    const { recorder } = runWith(
      [{ match: { completionIndex: 0 }, outcome: {} }, evicted],
      `${INDEXED}backoffLimitPerIndex: 0`,
    );
    const failed = recorder.phases.filter(({ phase }) => phase === "Failed").map(({ pod }) => pod.slice(0, 5));
    expect(failed.toSorted()).toEqual(["pi-1-", "pi-2-", "pi-3-"]);
    expect(recorder.phases.find(({ phase }) => phase === "Succeeded")?.pod).toMatch(/^pi-0-/);
  });

  test("a share goes to one rule, and the others continue, whatever the rules are about", () => {
    const { recorder } = runWith(
      [
        { share: 0.5, outcome: { exitCode: 7 } },
        { outcome: { runMs: "forever" }, pod: { kind: "evicted", afterMs: [5_000, 5_000] } },
      ],
      "completions: 40\nparallelism: 40\ncompletionMode: Indexed\nbackoffLimitPerIndex: 0",
    );
    const failed = recorder.phases.filter(({ phase }) => phase === "Failed");
    expect(failed).toHaveLength(40);
    // The eviction API deletes its pods.
    const kept = recorder.pods();
    expect(kept.length).toBeGreaterThan(8);
    expect(kept.length).toBeLessThan(32);
    for (const pod of kept) expect(pod["status"].containerStatuses[0].state.terminated).toMatchObject({ exitCode: 7 });
  });

  test("a pod that has ended by then is left alone", () => {
    const { recorder } = runWith([{ outcome: {}, pod: { kind: "evicted", afterMs: [9_000, 9_000] } }], INDEXED);
    expect(recorder.pods()).toHaveLength(4);
    expect(recorder.condition()).toMatch(/^Complete/);
  });
});
