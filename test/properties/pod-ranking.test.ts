/**
 * The engine's deletion preference against the naive twin, and each of its rules alone (docs/spec/controller.md
 * M3).
 */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as naive from "../naive/pod-ranking.ts";
import { Leaves, type Pointer } from "./leaves.ts";
import { tries } from "../tries.ts";

const runs = { numRuns: tries(50_000), seed: 20_260_203 };
const T = 1_770_000_000_000;
const RANK_BYTES = 32;

let leaves: Leaves;
let a: Pointer;
let b: Pointer;
beforeAll(async () => {
  leaves = await Leaves.load();
  a = leaves.exports.allocate(RANK_BYTES);
  b = leaves.exports.allocate(RANK_BYTES);
});

// Few different values, so that pods are alike in the first rules and the last ones decide too.
const time = fc.option(
  fc.nat(2).map((ms) => T + ms),
  { nil: undefined },
);
const counts = fc.array(fc.nat(2), { maxLength: 2 });
const pod: fc.Arbitrary<naive.PodFacts> = fc.record({
  nodeName: fc.constantFrom("node-1", "node-1", "node-2", ""),
  phase: fc.constantFrom("Running", "Running", "Running", "Pending", "Unknown", ""),
  ready: fc.boolean(),
  readySinceMs: time,
  restartCounts: counts,
  sidecarRestartCounts: counts,
  creationMs: time,
  completionIndex: fc.integer({ min: -1, max: 2 }),
});

test("the ranking is that of the naive twin", () => {
  const decided = new Set<number>();
  fc.assert(
    fc.property(pod, pod, (left, right) => {
      const expected = naive.compareForDeletion(left, right);
      decided.add(expected);
      const actual = compare(left, right);
      if (actual !== expected || compare(right, left) + expected !== 0) expect(actual).toBe(expected);
    }),
    runs,
  );
  expect(decided).toEqual(new Set([-1, 0, 1]));
});

describe("the first of the two is deleted first", () => {
  const ready: naive.PodFacts = {
    nodeName: "node-1",
    phase: "Running",
    ready: true,
    readySinceMs: T,
    restartCounts: [1],
    sidecarRestartCounts: [1],
    creationMs: T,
    completionIndex: 1,
  };
  const notReady = { ...ready, ready: false };
  test.each<[string, naive.PodFacts, naive.PodFacts]>([
    ["1: no node", { ...ready, nodeName: "" }, { ...notReady, phase: "Pending" }],
    ["2: pending before unknown", { ...ready, phase: "Pending" }, { ...notReady, phase: "Unknown" }],
    ["2: unknown before running", { ...ready, phase: "Unknown" }, { ...notReady, phase: "Running" }],
    ["3: not ready", notReady, { ...ready, restartCounts: [9] }],
    ["4: ready later", { ...ready, readySinceMs: T + 1 }, { ...ready, restartCounts: [9] }],
    ["4: ready since zero time", { ...ready, readySinceMs: undefined }, { ...ready, restartCounts: [9] }],
    [
      "5: more restarts",
      { ...ready, restartCounts: [0, 3] },
      { ...ready, restartCounts: [2, 2], sidecarRestartCounts: [9] },
    ],
    ["5: more restarts of a sidecar", { ...ready, sidecarRestartCounts: [2] }, { ...ready, creationMs: T + 1 }],
    ["6: newer", { ...ready, creationMs: T + 1 }, ready],
    ["6: created at zero time", { ...ready, creationMs: undefined }, ready],
    ["6: newer, whatever the index", { ...ready, creationMs: T + 1, completionIndex: 2 }, ready],
    ["none: a lower completion index", { ...ready, completionIndex: 0 }, ready],
    ["none: no completion index", { ...ready, completionIndex: -1 }, { ...ready, completionIndex: 0 }],
  ])("rule %s", (_rule, first, second) => {
    expect(compare(first, second)).toBe(-1);
    expect(compare(second, first)).toBe(1);
  });

  test("the time of readiness is not looked at while not ready", () => {
    expect(compare({ ...notReady, readySinceMs: T + 1 }, notReady)).toBe(0);
  });
});

function compare(left: naive.PodFacts, right: naive.PodFacts): number {
  writeRank(a, left);
  writeRank(b, right);
  return leaves.exports.compareRanks(a, b);
}

function writeRank(at: Pointer, facts: naive.PodFacts): void {
  const view = leaves.view(at, RANK_BYTES);
  // Both ways to say zero time.
  view.setFloat64(0, facts.readySinceMs ?? NaN, true);
  view.setFloat64(8, facts.creationMs ?? 0, true);
  view.setInt32(16, Math.max(0, ...facts.restartCounts), true);
  view.setInt32(20, Math.max(0, ...facts.sidecarRestartCounts), true);
  view.setInt32(24, facts.completionIndex, true);
  view.setUint8(28, naive.phaseRank(facts.phase));
  view.setUint8(29, facts.nodeName === "" ? 0 : 1);
  view.setUint8(30, facts.ready ? 1 : 0);
}
