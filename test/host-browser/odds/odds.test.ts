/** What many runs say together. */
import { describe, expect, test } from "vitest";
import { binsOf, completeBy, oddsOf } from "../../../host-browser/odds/odds.ts";
import type { SeedRun } from "../../../host-browser/odds/seed-run.ts";

const HOUR_MS = 3_600_000;

function runs(...ends: readonly (readonly [SeedRun["end"], number])[]): SeedRun[] {
  return ends.map(([end, endMs], seed) => ({ seed, end, endMs, pods: 2 + seed, podMs: HOUR_MS }));
}

describe("odds", () => {
  test("are shares of the ends, and times of those that complete alone", () => {
    const ten = Array.from({ length: 10 }, (_, i) => ["complete", 1000 * (i + 1)] as const);
    const odds = oddsOf(runs(...ten, ["failed", 1], ["failed", 99_000], ["open", 500_000]));
    expect(odds.runs).toBe(13);
    expect(odds.complete.value).toBeCloseTo(10 / 13);
    expect(odds.failed.value).toBeCloseTo(2 / 13);
    expect(odds.open.value).toBeCloseTo(1 / 13);
    expect(odds.completeByMs).toEqual({ half: 5000, nineTenths: 9000 });
    expect(odds.pods).toEqual({ mean: 8, most: 14 });
    expect(odds.podHours).toBeCloseTo(1);
  });

  test("have no times when no run completes", () => {
    expect(oddsOf(runs(["failed", 5])).completeByMs).toBeUndefined();
  });

  // Wilson's interval for 0 of 10, 5 of 10 and 450 of 500, as any table of it says.
  test.each([
    [0, 10, 0, 0.2775],
    [5, 10, 0.2366, 0.7634],
    [450, 500, 0.8705, 0.9234],
  ])("are bounded: %i of %i lies between %f and %f", (count, all, low, high) => {
    const { complete } = oddsOf(
      runs(...Array.from({ length: all }, (_, i) => [i < count ? "complete" : "failed", i] as const)),
    );
    expect(complete.low).toBeCloseTo(low, 3);
    expect(complete.high).toBeCloseTo(high, 3);
  });

  test("of a deadline count runs that complete at that instant", () => {
    const some = runs(["complete", 1000], ["complete", 2000], ["complete", 3000], ["failed", 500]);
    expect(completeBy(some, 2000).value).toBe(0.5);
    expect(completeBy(some, 999).value).toBe(0);
  });
});

describe("bins", () => {
  test("hold every run once, the last end too", () => {
    const some = runs(["complete", 0], ["failed", 9], ["complete", 10], ["open", 20]);
    const bins = binsOf(some, 0, 20, 2);
    expect(bins.map(({ complete, failed, open }) => [complete, failed, open])).toEqual([
      [1, 1, 0],
      [1, 0, 1],
    ]);
  });

  test("of ends at one instant are not empty", () => {
    const bins = binsOf(runs(["complete", 7], ["complete", 7]), 7, 7, 4);
    expect(bins.reduce((sum, { complete }) => sum + complete, 0)).toBe(2);
  });
});
