/** What is left of an answer that is too long for an agent, and what is said of the rest. */
import { expect, it } from "vitest";
import { fitted, fittedText, MAX_ANSWER_LENGTH } from "../../../../host-node/cli/mcp/fitted.ts";

const finding = (id: number): object => ({ id, sentence: "x".repeat(1000) });

it("leaves an answer alone that fits", () => {
  const answer = { findings: [finding(1)], notes: ["a"] };
  expect(fitted(answer, ["findings"])).toBe(answer);
  expect(fittedText("x".repeat(MAX_ANSWER_LENGTH))).toHaveLength(MAX_ANSWER_LENGTH);
});

it("keeps the first items of the list, and says how many are left out", () => {
  const findings = Array.from({ length: 100 }, (_, id) => finding(id));
  const cut = fitted({ findings, jobs: 7, notes: ["a"] }, ["findings"]) as Record<string, any>;
  expect(JSON.stringify(cut).length).toBeLessThanOrEqual(MAX_ANSWER_LENGTH);
  expect(JSON.stringify(cut).length).toBeGreaterThan(MAX_ANSWER_LENGTH - 2000);
  expect(cut["findings"]).toEqual(findings.slice(0, cut["findings"].length));
  expect(cut["jobs"]).toBe(7);
  expect(cut["notes"]).toEqual([
    "a",
    `${100 - cut["findings"].length} of the 100 findings are left out: an answer has at most 65536 characters. Ask about less, such as one namespace, or run the command.`,
  ]);
});

it("cuts the next list only when the answer does not fit without the first", () => {
  const findings = Array.from({ length: 40 }, (_, id) => finding(id));
  const both = fitted({ decisions: findings, endedPods: findings, notes: [] }, ["decisions", "endedPods"]) as any;
  expect([both.decisions.length, both.endedPods.length]).toEqual([23, 40]);
  const more = [...findings, ...findings];
  const long = fitted({ decisions: findings, endedPods: more, notes: [] }, ["decisions", "endedPods"]) as any;
  expect([long.decisions.length, long.endedPods.length]).toEqual([0, 63]);
  expect(long.notes).toHaveLength(2);
  expect(JSON.stringify(long).length).toBeLessThanOrEqual(MAX_ANSWER_LENGTH);
});

it("refuses an answer that does not fit without its list", () => {
  const answer = { sentence: "x".repeat(MAX_ANSWER_LENGTH), decisions: [], notes: [] };
  expect(() => fitted(answer, ["decisions"])).toThrow(/^the answer has 655\d\d characters, and 65536 are allowed/);
});

it("cuts a text, and no character in two", () => {
  const cut = fittedText("😀".repeat(MAX_ANSWER_LENGTH));
  expect(cut.length).toBeLessThanOrEqual(MAX_ANSWER_LENGTH);
  expect(cut.isWellFormed()).toBe(true);
  expect(cut).toMatch(/\n… cut here: the text has 131072 characters, and an answer at most 65536\.$/);
});
