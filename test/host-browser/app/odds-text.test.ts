/** The odds of a scenario in words: shares, times, and what differs from those that are pinned. */
import { expect, test } from "vitest";
import { differenceText, oddsText } from "../../../host-browser/app/odds-text.ts";
import { type Odds, oddsOf } from "../../../host-browser/odds/odds.ts";
import type { SeedRun } from "../../../host-browser/odds/seed-run.ts";

/** So many complete, a second apart from `fromMs` on; so many fail, and never end. */
function odds(complete: number, failed = 0, open = 0, fromMs = 1000, pods = 3): Odds {
  const ends = [
    ...Array.from({ length: complete }, (_, i) => ["complete", fromMs + 1000 * i] as const),
    ...Array.from({ length: failed }, () => ["failed", 500] as const),
    ...Array.from({ length: open }, () => ["open", 9_000_000] as const),
  ];
  return oddsOf(ends.map(([end, endMs], seed): SeedRun => ({ seed, end, endMs, pods, podMs: 0 })));
}

test("say how many complete, by when, and what becomes of the others", () => {
  expect(oddsText(odds(90, 9, 1))).toBe(
    "90 % (83 to 94.5 %) of 100 runs complete. Half of these have completed by 45 s, nine in ten by 1 min 21 s. 9 % fail. 1 % never end.",
  );
});

test("say no time when no run completes", () => {
  expect(oddsText(odds(0, 20))).toBe("0 % (0 to 16 %) of 20 runs complete. 100 % fail.");
});

test("have a digit more near 0 and 100 %", () => {
  expect(oddsText(odds(497, 3))).toContain("99.4 % (98.3 to 99.8 %) of 500 runs complete.");
  expect(oddsText(odds(497, 3))).toContain("0.6 % fail.");
});

test.each([
  [odds(100), odds(100), "Nothing differs from A."],
  [odds(80, 20), odds(100), "Compared with A: 100 % of the runs complete instead of 80 %, half of them 10 s later."],
  [odds(100, 0, 0, 29_000), odds(100, 0, 0, 1000), "Compared with A: half of them 28 s earlier."],
  [odds(10, 0, 0, 0, 5), odds(10, 0, 0, 0, 4), "Compared with A: 1 pod fewer on average."],
  [odds(0, 10), odds(0, 10), "Nothing differs from A."],
])("say what differs: %#", (a, b, text) => {
  expect(differenceText(a, b)).toBe(text);
});
