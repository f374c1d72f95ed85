/** What differs on an earlier version is excused there alone, and has to be seen there. */
import { expect, test } from "vitest";
import { canPlay, changesSeen, excusedOn, isKnownBreach, unseenChanges } from "./by-version.ts";
import type { Scenario } from "./scenario.ts";

const scenario: Scenario = {
  name: "j",
  rows: [],
  job: {},
  differences: [{ row: "a row", excuses: ["events"] }],
  shows: [
    { change: "deadline-of-a-suspended-job", aspects: ["order", "status"] },
    { change: "hostname-override", field: "spec" },
  ],
};

test("a change excuses what it changes, on versions before it", () => {
  expect([...excusedOn(scenario, "1.35")]).toEqual(["events", "order", "status"]);
  expect(changesSeen(scenario, "1.34")).toEqual(["deadline-of-a-suspended-job"]);
  expect([...excusedOn(scenario, "1.36")]).toEqual(["events"]);
  expect(changesSeen(scenario, "1.36")).toEqual([]);
});

test("a change that is not seen before it is a difference", () => {
  expect(unseenChanges(scenario, "1.35", [{ aspect: "status", text: "" }])).toEqual([]);
  expect(unseenChanges(scenario, "1.36", [])).toEqual([]);
  expect(unseenChanges(scenario, "1.35", [{ aspect: "events", text: "" }])).toEqual([
    { aspect: "order", text: "none, though Kubernetes 1.35 is before the change deadline-of-a-suspended-job" },
  ]);
});

test("gangs are played where there are any", () => {
  expect(canPlay({ ...scenario, gang: true }, "1.36")).toBe(false);
  expect(canPlay({ ...scenario, gang: true }, "1.37")).toBe(true);
  expect(canPlay(scenario, "1.32")).toBe(true);
});

test("a scenario is left out on versions before its first", () => {
  expect(canPlay({ ...scenario, since: "1.33" }, "1.32")).toBe(false);
  expect(canPlay({ ...scenario, since: "1.33" }, "1.33")).toBe(true);
});

test("a breach is known by its rule, its words and the version", () => {
  const rule = "no status is refused as invalid";
  const breach = "status.ready: Invalid value: 1: cannot set more ready pods than active";
  expect(isKnownBreach({ rule, breach }, "1.35")).toBe(true);
  expect(isKnownBreach({ rule, breach }, "1.36")).toBe(false);
  expect(isKnownBreach({ rule, breach: "status.ready: Invalid value" }, "1.35")).toBe(false);
  expect(isKnownBreach({ rule: "another", breach }, "1.35")).toBe(false);
});
