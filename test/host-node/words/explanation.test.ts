/** An explanation as lines: how wide they are, and what pods look like. */
import { describe, expect, it } from "vitest";
import type { Decision, Explanation } from "../../../bindings/js/engine.ts";
import { decisionText, explanationLines } from "../../../host-node/words/explanation.ts";
import { styleFor } from "../../../host-node/words/style.ts";

const NOW_MS = Date.UTC(2026, 0, 2, 10, 2, 30);
const plain = styleFor(false, {});
const counts = { parallelism: 2, completions: 5, active: 2, ready: 0, terminating: 1, succeeded: 3, failed: 1 };
const explanation: Explanation = {
  namespace: "team",
  job: "pi",
  found: true,
  state: "Running",
  sentence: "one two three four five six seven eight nine ten",
  nextMs: null,
  decisions: [],
  ...counts,
};

describe("explanationLines", () => {
  it("breaks the sentence at the width of the terminal, and nowhere without one", () => {
    expect(explanationLines(explanation, NOW_MS, plain, { columns: 34 }).slice(0, 3)).toEqual([
      "job team/pi  Running",
      "  one two three four five six",
      "    seven eight nine ten",
    ]);
    expect(explanationLines(explanation, NOW_MS, plain)[1]).toBe(`  ${explanation.sentence}`);
  });

  it("breaks the counts between two of them", () => {
    expect(explanationLines(explanation, NOW_MS, plain, { columns: 40 }).slice(3, 6)).toEqual([
      "  succeeded 3/5   failed 1   active 2",
      "    ready 0   terminating 1",
      "    parallelism 2",
    ]);
  });

  it("has what comes next, the last failure and remarks as they are given, these dim and broken too", () => {
    const lines = explanationLines(explanation, NOW_MS, plain, {
      columns: 40,
      next: "when it acts",
      lastFailure: { pod: "pi-a", failure: "no disk", endedBy: "Exited", log: ["\u001b[31mfull\u0007"] },
      remarks: ["from its objects: no Event was found on\u001b[2J"],
    });
    expect(lines.slice(6)).toEqual([
      "  next: when it acts",
      "  last failure: pod pi-a: no disk",
      "  │ full^G",
      "  from its objects: no Event was found",
      "    on^[[2J",
    ]);
    expect(explanationLines(explanation, NOW_MS, styleFor(true, {}), { remarks: ["known"] }).at(-1)).toBe(
      "\u001b[2m  known\u001b[0m",
    );
  });

  it("ends with where to read more of the rule that holds the Job, unless there is none or the Job is complete", () => {
    const held = { ...explanation, code: "Back\u001boff" };
    expect(explanationLines(held, NOW_MS, plain, { remarks: ["known"] }).slice(-2)).toEqual([
      "  known",
      "  more: stint explain Back^[off",
    ]);
    expect(explanationLines(held, NOW_MS, styleFor(true, {})).at(-1)).toMatch(/^\u001b\[2m {2}more: /);
    const last = (change: object): string | undefined => explanationLines({ ...held, ...change }, NOW_MS, plain).at(-1);
    expect(last({ code: undefined })).not.toContain("more:");
    expect(last({ state: "Complete" })).not.toContain("more:");
    expect(last({ state: "Failed", code: "Failed" })).toBe("  more: stint explain Failed");
  });

  it("leaves words whole that are wider than the terminal, and a narrow terminal alone", () => {
    const long = { ...explanation, sentence: `a ${"x".repeat(50)} b` };
    expect(explanationLines(long, NOW_MS, plain, { columns: 3 }).slice(1, 4)).toEqual([
      "  a",
      `    ${"x".repeat(50)}`,
      "    b",
    ]);
  });

  it("names who manages a Job that is left to another controller, for which nothing comes next here", () => {
    const foreign = {
      ...explanation,
      state: "Foreign",
      sentence: "not run: spec.managedBy says that example.com/queue manages this Job",
    };
    const lines = explanationLines(foreign, NOW_MS, plain);
    expect(lines[0]).toBe("job team/pi  Managed by example.com/queue");
    expect(lines.join("\n")).not.toContain("next:");
    expect(explanationLines(explanation, NOW_MS, plain)).toContain("  next: when the Job or a pod changes");
  });

  it("has a table of the pods, those in trouble in yellow", () => {
    const pods = [
      { reason: "ImagePullBackOff", count: 12, pod: "pi-abcde", sinceMs: NOW_MS - 19_000, message: "no such image" },
      { reason: "Terminating", count: 1, pod: "pi-xyz", sinceMs: null, graceMs: 30_000 },
    ];
    const lines = explanationLines({ ...explanation, pods }, NOW_MS, plain);
    expect(lines.slice(-4)).toEqual([
      "",
      "  PODS  STATE OR REASON   THE OLDEST  SINCE (UTC)",
      "    12  ImagePullBackOff  pi-abcde    10:02:11, for 19 s",
      "     1  Terminating       pi-xyz",
    ]);
    const coloured = explanationLines({ ...explanation, pods }, NOW_MS, styleFor(true, {}));
    expect(coloured.at(-2)).toMatch(/^\u001b\[33m {4}12 /);
    expect(coloured.at(-1)).toBe(lines.at(-1));
  });

  it("shows what comes from the API without its control characters", () => {
    const pods = [{ reason: "Bad\u001b[2J", count: 1, pod: "p\u0007", sinceMs: null }];
    expect(explanationLines({ ...explanation, sentence: "a\u001b[31m", pods }, NOW_MS, plain).join("\n")).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f]/,
    );
  });
});

describe("decisionText", () => {
  const decision: Decision = {
    atMs: NOW_MS,
    namespace: "default",
    job: "pi",
    uid: "u",
    code: "Creating",
    message: "creating 1 pod",
    nextMs: NOW_MS + 90_000,
    numbers: { pods: 1 },
  };

  it("says what comes next unless the sentence does", () => {
    expect(decisionText(decision, NOW_MS)).toBe("job pi: creating 1 pod; next: in 90 s");
    expect(decisionText({ ...decision, nextMs: null }, NOW_MS)).toBe("job pi: creating 1 pod");
    expect(decisionText({ ...decision, code: "Backoff", numbers: { remainingMs: 90_000 } }, NOW_MS)).toBe(
      "job pi: creating 1 pod",
    );
    expect(decisionText({ ...decision, code: "WaitingForPods" }, NOW_MS)).toBe(
      "job pi: creating 1 pod; deadline in 90 s",
    );
  });

  it("fills the name up", () =>
    expect(decisionText({ ...decision, nextMs: null }, NOW_MS, 5)).toBe("job pi:    creating 1 pod"));
});
