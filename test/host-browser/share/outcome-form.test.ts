/** The form for outcomes: rows become rules that the simulated kubelet takes, and come back. */
import { describe, expect, test } from "vitest";
import type { OutcomeRule } from "../../../cluster/simulation/scenario.ts";
import {
  ENDINGS,
  type FormRow,
  hasTime,
  mistakesIn,
  NEW_ROW,
  type OutcomeRow,
  rowsOf,
  rulesOf,
} from "../../../host-browser/share/outcome-form.ts";
import { readOutcomes } from "../../../host-browser/share/read-scenario.ts";

describe("rows of the form", () => {
  test.each(ENDINGS)("a container that %s becomes a rule, and the rule the same row", (ending) => {
    const rows: OutcomeRow[] = [
      { ...NEW_ROW, ending },
      { ...NEW_ROW, ending, index: 3, attempt: 1, percent: 100 },
      { ...NEW_ROW, ending, percent: 0.1, ...(hasTime(ending) ? { fromSeconds: 0.5, toSeconds: 0.5 } : {}) },
    ];
    for (const row of rows) expect(mistakesIn(row)).toEqual({});
    const rules = rulesOf(rows);
    expect(readOutcomes(rules, "outcomes")).toEqual(rules);
    expect(rowsOf(rules)).toEqual(rows);
  });

  test("5 % exit 137 after 20 to 60 s is what a new row says", () => {
    expect(rulesOf([NEW_ROW])).toEqual([{ share: 0.05, outcome: { runMs: [20_000, 60_000], exitCode: 137 } }]);
  });

  test("the first attempt is 1 for people and 0 for rules", () => {
    const [rule] = rulesOf([{ ...NEW_ROW, index: 2, attempt: 1, percent: 100, ending: "out-of-memory" }]);
    expect(rule).toEqual({
      match: { completionIndex: 2, attempt: 0 },
      outcome: { runMs: [20_000, 60_000], exitCode: 137, reason: "OOMKilled" },
    });
  });

  test.each<[OutcomeRule]>([
    [{ match: { container: "setup" }, outcome: { runMs: [1, 2] } }],
    [{ outcome: { runMs: [1, 2], exitCodes: [1, 0] } }],
    [{ outcome: { runMs: 5 } }],
    [{ outcome: { runMs: [1, 2], logs: ["a line"] } }],
    [{ outcome: { failReason: "InvalidImageName" } }],
  ])("a rule that no row can say stays as it is: %j", (rule) => {
    const rows: FormRow[] = rowsOf([rule]);
    expect(rows).toEqual([{ other: rule }]);
    expect(rulesOf(rows)).toEqual([rule]);
  });

  test.each<[Partial<OutcomeRow>, keyof OutcomeRow]>([
    [{ index: -1 }, "index"],
    [{ index: 1.5 }, "index"],
    [{ attempt: 0 }, "attempt"],
    [{ percent: 0 }, "percent"],
    [{ percent: 101 }, "percent"],
    [{ percent: NaN }, "percent"],
    [{ exitCode: 0 }, "exitCode"],
    [{ exitCode: 256 }, "exitCode"],
    [{ fromSeconds: -1 }, "fromSeconds"],
    [{ fromSeconds: 61 }, "toSeconds"],
    [{ toSeconds: NaN }, "toSeconds"],
  ])("%j is a mistake of one field, with what is allowed", (change, field) => {
    expect(Object.keys(mistakesIn({ ...NEW_ROW, ...change }))).toEqual([field]);
  });

  test("a field that the ending does not use is no mistake", () => {
    expect(mistakesIn({ ...NEW_ROW, ending: "hangs", exitCode: 999, fromSeconds: -1 })).toEqual({});
  });
});
