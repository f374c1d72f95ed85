/** When a shadow takes what it sees for late. */
import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../cluster/values/types.ts";
import { Stalls } from "../../../host-node/shadow/stalls.ts";

const WINDOW_MS = 10_000;
const START_MS = Date.UTC(2026, 0, 1);

let stalls: Stalls;
let told: number[];

beforeEach(() => {
  told = [];
  stalls = new Stalls(WINDOW_MS, (lengthMs) => told.push(lengthMs));
});

/** A pod that was created at the start, and last changed at that second. */
function pod(changedSecond: number): KubeObject {
  const timeAt = (second: number): string => new Date(START_MS + second * 1000).toISOString();
  const managedFields = [{ manager: "kubelet", time: timeAt(changedSecond) }];
  return { metadata: { name: "pi-1", uid: "1", creationTimestamp: timeAt(0), managedFields } } as unknown as KubeObject;
}

/** A watch shows the pod as of one second at another one; `before` is its state until then. */
function see(changedSecond: number, seenSecond: number, before?: KubeObject): KubeObject {
  const version = pod(changedSecond);
  stalls.changed(before, version, version, START_MS + seenSecond * 1000);
  return version;
}

const touches = (second: number): boolean => stalls.touch(START_MS + second * 1000);

describe("a timer", () => {
  it("that fires late by less than half a window reports no stall", () => {
    stalls.timerFired(START_MS, START_MS + 5_000);
    expect(told).toEqual([]);
    expect(touches(0)).toBe(false);
  });

  it("that fires later reports a stall, which touches what was seen a window before and after", () => {
    stalls.timerFired(START_MS + 20_000, START_MS + 26_000);
    expect(told).toEqual([6_000]);
    expect([9, 10, 20, 26, 36, 37].map(touches)).toEqual([false, true, true, true, true, false]);
  });
});

describe("a watch", () => {
  it("reports no stall while it keeps up, whatever the clock of the server says", () => {
    let before = see(0, 100);
    for (let second = 1; second < 60; second++) before = see(second, second + 101, before);
    expect(told).toEqual([]);
  });

  it("reports a stall when it shows late what was changed long before", () => {
    const before = see(0, 0);
    see(1, 20, before);
    expect(told).toEqual([19_000]);
    expect([15, 31].map(touches)).toEqual([true, false]);
  });

  it("reports no stall for an old object that a list shows, nor for a change without a time", () => {
    see(0, 0);
    const listed = pod(0);
    stalls.listed(listed, listed);
    see(0, 300, listed);
    expect(told).toEqual([]);
  });

  it("reports one stall, however much it shows late", () => {
    let before = see(0, 0);
    for (const second of [1, 2, 3]) before = see(second, 20, before);
    expect(told).toHaveLength(1);
  });

  it("compares the clocks again, when one of them was set", () => {
    let before = see(0, 0);
    for (let second = 1; second < 1_000; second++) before = see(second, second + 60, before);
    expect(touches(500)).toBe(true);
    expect(touches(1_000)).toBe(false);
  });
});
