/**
 * What differs once in three performances passes; what comes again, has no end, or differs in many scenarios does not.
 */
import { describe, expect, test } from "vitest";
import { differedOnce, hasFailed, MAX_SUSPECTS, playAgain } from "./again.ts";
import type { Result } from "./run.ts";
import type { Scenario } from "./scenario.ts";

type Play = "same" | "differs" | "problem";

const ONCE: readonly Play[] = ["differs", "same", "same"];

function scenarios(count: number): Scenario[] {
  return Array.from({ length: count }, (_none, at) => ({ name: `s${at}`, rows: [], job: {} }));
}

function resultOf(scenario: Scenario, play: Play): Result {
  const differences = play === "differs" ? [{ aspect: "gaps" as const, text: "upstream 10.0 s, Stint 20.0 s" }] : [];
  return {
    scenario,
    seconds: 1,
    differences,
    excused: [],
    excuses: [],
    ...(play === "problem" ? { problem: "no end" } : {}),
  };
}

/** Each scenario is played as its list says, which must be used up. @returns verdict of each */
async function verdicts(...lists: readonly (readonly Play[])[]): Promise<string[]> {
  const all = scenarios(lists.length);
  const left = lists.map((list) => [...list]);
  const playOne = (scenario: Scenario): Result => resultOf(scenario, left[all.indexOf(scenario)]!.shift()!);
  const performances = await playAgain(all.map(playOne), async (some) => some.map(playOne).toReversed());
  expect(left.flat()).toEqual([]);
  return performances.map((each) => (hasFailed(each) ? "failed" : differedOnce(each) ? "differed once" : "passed"));
}

describe("a scenario", () => {
  test.each<[readonly Play[], string]>([
    [["same"], "passed"],
    [ONCE, "differed once"],
    [["differs", "differs"], "failed"],
    [["differs", "same", "differs"], "failed"],
    [["problem"], "failed"],
    [["differs", "problem"], "failed"],
    [["differs", "same", "problem"], "failed"],
  ])("that is played %j has %s", async (plays, verdict) => {
    expect(await verdicts(plays)).toEqual([verdict]);
  });

  test("is played again beside the others that differ, and those alone", async () => {
    const plays: (readonly Play[])[] = [["same"], ONCE, ["problem"], ["differs", "differs"], ["same"]];
    expect(await verdicts(...plays)).toEqual(["passed", "differed once", "failed", "failed", "passed"]);
  });
});

test("too many that differ have failed, and are not played again", async () => {
  const many = (count: number, plays: readonly Play[]) => Array.from({ length: count }, () => plays);
  expect(new Set(await verdicts(...many(MAX_SUSPECTS, ONCE)))).toEqual(new Set(["differed once"]));
  expect(new Set(await verdicts(...many(MAX_SUSPECTS + 1, ["differs"])))).toEqual(new Set(["failed"]));
});
