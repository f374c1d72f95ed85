/** When a wait is over, by what is waited for. */
import { expect, test } from "vitest";
import type { Verdict } from "../../../../bindings/js/engine.ts";
import { type Goal, outcomeOf } from "../../../../host-node/cli/wait/outcome.ts";

const isEnd = (verdict: string): boolean => verdict === "Succeeded" || verdict === "Failed";
const verdictOf = (verdict: string): Verdict => ({ verdict, isFinished: isEnd(verdict) }) as Verdict;

test.each<[Goal, string, string | undefined, boolean | undefined]>([
  ["finished", "Succeeded", "reached", true],
  ["finished", "Failed", "reached", false],
  ["succeeded", "Succeeded", "reached", true],
  ["succeeded", "Failed", "missed", false],
  ["failed", "Succeeded", "missed", false],
  ["failed", "Failed", "reached", true],
  ["suspended", "Suspended", "reached", true],
  ["suspended", "Succeeded", "missed", false],
  ["suspended", "Failed", "missed", false],
  ["suspended", "Running", undefined, undefined],
  ["finished", "Suspended", undefined, undefined],
  ...["Running", "Retrying", "Stuck", "Deleting"].map((verdict): [Goal, string, undefined, undefined] => [
    "finished",
    verdict,
    undefined,
    undefined,
  ]),
])("waiting for %s, a Job that is %s: %s", (goal, verdict, kind, isGood) => {
  expect(outcomeOf(verdictOf(verdict), goal)).toEqual(kind === undefined ? undefined : { kind, isGood });
});
