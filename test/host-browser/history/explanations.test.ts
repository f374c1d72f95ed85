/** What the engine said, as it reads later, and when it is asked. */
import { describe, expect, test } from "vitest";
import { Explanations, PODS_EXPLAINED_AT_ONCE } from "../../../host-browser/history/explanations.ts";
import { sentenceAt } from "../../../host-browser/history/sentences.ts";

describe("sentences", () => {
  test("what is left becomes less, and nothing else changes", () => {
    const sentence = "waiting 10 s before the next pod is created: 1 failure in a row, back-off 10 s since 00:00:05";
    const spoken = { sentence, numbers: { remainingMs: 10_000 }, deadlineMs: null, pods: [] };
    expect(sentenceAt(spoken, 5_000, 12_500)).toBe(sentence.replace("waiting 10 s", "waiting 3 s"));
  });

  test("on the next day, times of day get their date", () => {
    const spoken = { sentence: "it waits since 00:00:05", numbers: { sinceMs: 5_000 }, deadlineMs: null, pods: [] };
    expect(sentenceAt(spoken, 6_000, 7_000)).toBe("it waits since 00:00:05");
    expect(sentenceAt(spoken, 6_000, 90_000_000)).toBe("it waits since 1970-01-01 00:00:05");
  });
});

describe("explanations", () => {
  const said = (active: number, nextMs: number | null = null) => ({
    namespace: "n",
    job: "j",
    found: true,
    state: "Running",
    sentence: "waiting for pods",
    code: "WaitingForPods",
    nextMs,
    decisions: [],
    active,
    ready: 0,
    terminating: 0,
  });

  test("are asked for when something has changed, or the moment has come that the Job waited for", () => {
    const explanations = new Explanations(1_000);
    expect(explanations.isDue(1, 0)).toBe(true);
    explanations.add(said(1, 6_000), 0);
    expect(explanations.isDue(1, 10)).toBe(false);
    explanations.isTouched = true;
    expect(explanations.isDue(1, 10)).toBe(true);
    explanations.add(said(1, 6_000), 10);
    expect([explanations.isDue(1, 4_999), explanations.isDue(1, 5_000)]).toEqual([false, true]);
    explanations.add(said(1, 6_000), 5_000);
    expect(explanations.isDue(1, 5_001)).toBe(false);
  });

  test("of very many pods are asked for less often, but for what is urgent", () => {
    const explanations = new Explanations(0);
    explanations.add(said(1), 0);
    explanations.isTouched = true;
    expect(explanations.isDue(PODS_EXPLAINED_AT_ONCE, 1)).toBe(true);
    expect([999, 1_000].map((nowMs) => explanations.isDue(20_000, nowMs))).toEqual([false, true]);
    explanations.isUrgent = true;
    expect(explanations.isDue(20_000, 1)).toBe(true);
  });

  test("say what was said last, with the counts of that moment", () => {
    const explanations = new Explanations(0);
    explanations.add(said(1), 0);
    explanations.add(said(1), 5);
    explanations.add(said(2), 7);
    explanations.add(undefined, 9);
    expect([0, 6, 8].map((atMs) => explanations.at(atMs)!.counts!.active)).toEqual([1, 1, 2]);
    expect([0, 6, 8].map((atMs) => explanations.at(atMs)!.atMs)).toEqual([0, 0, 7]);
    expect(explanations.at(9)!.sentence).toBe("No controller is running: nothing acts on the Job.");
  });
});
