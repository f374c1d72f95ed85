/** What is a difference between two runs, and what is none: batching, small delays, the order of lines. */
import { describe, expect, test } from "vitest";
import { differencesOf } from "./compare.ts";
import { NOTHING } from "./nothing.ts";
import type { Milestone, Outcome } from "./outcome.ts";

const compare = (upstream: Partial<Outcome>, stint: Partial<Outcome>): string[] =>
  differencesOf({ ...NOTHING, ...upstream }, { ...NOTHING, ...stint }).map(({ aspect, text }) => `${aspect}: ${text}`);

const change = (what: string, write: number): Milestone => ({ what, write, isCounter: false, isPassing: false });
const counter = (what: string, write: number, isPassing = false): Milestone => ({
  what,
  write,
  isCounter: true,
  isPassing,
});

describe("differences", () => {
  test.each<[string, Partial<Outcome>, Partial<Outcome>, string[]]>([
    [
      "a counter",
      { status: { j: { succeeded: 1 } } },
      { status: { j: { succeeded: 2 } } },
      ["status: j.succeeded: upstream 1, Stint 2"],
    ],
    [
      "a field that only one has",
      { status: { j: { ready: 0 } } },
      { status: { j: {} } },
      ["status: j.ready: upstream 0, Stint none"],
    ],
    [
      "the order of conditions",
      { status: { j: { conditions: ["a", "b"] } } },
      { status: { j: { conditions: ["b", "a"] } } },
      ['status: j.conditions: upstream ["a","b"], Stint ["b","a"]'],
    ],
    ["a Job that is gone", { status: { j: "gone" } }, { status: { j: {} } }, ['status: j: upstream "gone", Stint {}']],
    [
      "the count of an event",
      { events: { "Normal Completed": 1 } },
      {},
      ["events: Normal Completed: upstream 1, Stint none"],
    ],
    [
      "the pods of an index",
      { podsCreated: { "0": 1 } },
      { podsCreated: { "0": 2 } },
      ["pods created: 0: upstream 1, Stint 2"],
    ],
    ["the pods at once", { podsAtOnce: 2 }, { podsAtOnce: 3 }, ["pods at once: the most: upstream 2, Stint 3"]],
    ["a pod that is left twice", { podsLeft: ["a"] }, { podsLeft: ["a", "a"] }, ["pods left: only Stint: a"]],
    [
      "what a pod is",
      { podContents: ["a"] },
      { podContents: ["b"] },
      ["pod contents: only upstream: a", "pod contents: only Stint: b"],
    ],
    [
      "a retry that is 3.1 s late",
      { gapsMs: { "-": [10_000] } },
      { gapsMs: { "-": [13_100] } },
      ["gaps: upstream 10.0 s, Stint 13.1 s"],
    ],
    [
      "a retry too many",
      { gapsMs: { "3": [10_000] } },
      { gapsMs: { "3": [10_000, 20_000] } },
      ["gaps: index 3: upstream 10.0 s, Stint 10.0, 20.0 s"],
    ],
    ["an object", { objects: ["w"] }, {}, ["objects: only upstream: w"]],
    [
      "a counter of Stint that goes back",
      {},
      { backwards: ["failed went from 2 to 1"] },
      ["status: Stint: failed went from 2 to 1"],
    ],
    ["a change that only one shows", { order: [change("Suspended", 1)] }, {}, ["order: only upstream: Suspended"]],
    [
      "two changes the other way round",
      { order: [change("a", 1), change("b", 2)] },
      { order: [change("b", 1), change("a", 2)] },
      ['order: "a" and then "b" with upstream, the other way round with Stint'],
    ],
    [
      "counters the other way round",
      { order: [counter("failed 1", 1, true), counter("succeeded 1", 2)] },
      { order: [counter("succeeded 1", 1), counter("failed 1", 2, true)] },
      ['order: "failed 1" and then "succeeded 1" with upstream, the other way round with Stint'],
    ],
  ])("%s", (_what, upstream, stint, expected) => {
    expect(compare(upstream, stint)).toEqual(expected);
  });

  test.each<[string, Partial<Outcome>, Partial<Outcome>]>([
    [
      "several changes in one write",
      { order: [change("a", 1), change("b", 1)] },
      { order: [change("b", 1), change("a", 2)] },
    ],
    [
      "a counter on its way that a batch leaves out",
      { order: [change("met", 1), counter("succeeded 1", 2, true), counter("succeeded 2", 2)] },
      { order: [counter("succeeded 1", 1, true), change("met", 2), counter("succeeded 2", 3)] },
    ],
    ["a retry 3 s sooner", { gapsMs: { "-": [13_000] } }, { gapsMs: { "-": [10_000] } }],
    ["lines in another order", { podsLeft: ["a", "b"] }, { podsLeft: ["b", "a"] }],
    [
      "a field that is undefined in one and absent in the other",
      { status: { j: { startTime: undefined } } },
      { status: { j: {} } },
    ],
  ])("none: %s", (_what, upstream, stint) => {
    expect(compare(upstream, stint)).toEqual([]);
  });

  test("aspects can be left out", () => {
    expect(differencesOf({ ...NOTHING, podsAtOnce: 1 }, NOTHING, ["pods at once"])).toEqual([]);
  });
});
