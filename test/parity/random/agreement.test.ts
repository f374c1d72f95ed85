/** A difference counts only where each controller agrees with itself; how a run fails is compared, too. */
import { describe, expect, test } from "vitest";
import { NOTHING } from "../nothing.ts";
import type { Outcome } from "../outcome.ts";
import { type Ending, verdictOf } from "./agreement.ts";

const created = (count: number, others: Partial<Outcome> = {}): Outcome => ({
  ...NOTHING,
  podsCreated: { "0": count },
  ...others,
});
const problem: Ending = { problem: "the end of the Job did not come" };

describe("a verdict", () => {
  test.each<[string, readonly [Ending, Ending], readonly [Ending, Ending], readonly string[], readonly string[]]>([
    ["all agree", [created(1), created(1)], [created(1), created(1)], [], []],
    [
      "each agrees with itself",
      [created(1), created(1)],
      [created(2), created(2)],
      ["pods created: 0: upstream 1, Stint 2"],
      [],
    ],
    ["upstream does not", [created(1), created(2)], [created(2), created(2)], [], ["pods created"]],
    [
      "only Stint does not",
      [created(1), created(1)],
      [created(1), created(2)],
      ["pods created: only Stint leaves it to chance: 0: once 1, once 2"],
      ["pods created"],
    ],
    [
      "Stint does not in what hangs on moments",
      [NOTHING, NOTHING],
      [NOTHING, { ...NOTHING, podsAtOnce: 1 }],
      [],
      ["pods at once"],
    ],
    ["neither does", [created(1), created(3)], [created(1), created(2)], [], ["pods created"]],
    [
      "another aspect than the one that is undecided",
      [created(1), created(2, { podsAtOnce: 0 })],
      [created(1, { podsAtOnce: 3 }), created(1, { podsAtOnce: 3 })],
      ["pods at once: the most: upstream 0, Stint 3"],
      ["pods created"],
    ],
    [
      "a counter of Stint that goes back in both runs",
      [NOTHING, NOTHING],
      [
        { ...NOTHING, backwards: ["failed went from 2 to 1"] },
        { ...NOTHING, backwards: ["failed went from 2 to 1"] },
      ],
      ["status: Stint: failed went from 2 to 1"],
      [],
    ],
    [
      "only Stint comes to no end",
      [NOTHING, NOTHING],
      [problem, problem],
      ["status: upstream: came to an end; Stint: the end of the Job did not come"],
      [],
    ],
    [
      "one run of upstream comes to no end",
      [NOTHING, problem],
      [NOTHING, NOTHING],
      [],
      ["status", "order", "events", "pods created", "pods at once", "pods left", "pod contents", "gaps", "objects"],
    ],
    [
      "no run comes to an end",
      [problem, problem],
      [problem, problem],
      ["status: upstream: the end of the Job did not come; Stint: the end of the Job did not come"],
      [],
    ],
    [
      "gaps that differ by less than they may, one after the other",
      [
        { ...NOTHING, gapsMs: { "-": [10_000] } },
        { ...NOTHING, gapsMs: { "-": [11_400] } },
      ],
      [
        { ...NOTHING, gapsMs: { "-": [11_700] } },
        { ...NOTHING, gapsMs: { "-": [11_700] } },
      ],
      [],
      [],
    ],
  ])("%s", (_what, upstream, stint, differences, undecided) => {
    const verdict = verdictOf(upstream, stint);
    expect(verdict.differences.map(({ aspect, text }) => `${aspect}: ${text}`)).toEqual(differences);
    expect(verdict.undecided).toEqual(undecided);
  });
});
