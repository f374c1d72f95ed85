/** Warnings as lines for people: how they are printed, and how wide they are. */
import { describe, expect, it } from "vitest";
import { styleFor } from "../../../../host-node/words/style.ts";
import { warningLines } from "../../../../host-node/cli/output/warning-events.ts";

const NOW_MS = Date.UTC(2026, 0, 2, 10, 2, 30);
const plain = styleFor(false, {});
const warning = {
  object: "job/pi",
  reason: "FailedCreate",
  message: "one two three four five six",
  count: 14,
  lastMs: NOW_MS - 12_000,
};

describe("warningLines", () => {
  it("has a line each, since when and how often it was seen, and none for none", () => {
    expect(warningLines([], NOW_MS, plain)).toEqual([]);
    expect(
      warningLines(
        [warning, { ...warning, object: "pod/pi-a", reason: "BackOff", count: 1, lastMs: null }],
        NOW_MS,
        plain,
      ),
    ).toEqual([
      "  LAST SEEN           WARNING",
      "  12 s ago, 14 times  job/pi FailedCreate: one two three four five six",
      "                      pod/pi-a BackOff: one two three four five six",
    ]);
  });

  it("breaks at the width of the terminal, in yellow on one", () => {
    expect(warningLines([warning], NOW_MS, plain, 62)).toEqual([
      "  LAST SEEN           WARNING",
      "  12 s ago, 14 times  job/pi FailedCreate: one two three four",
      "                      five six",
    ]);
    expect(warningLines([warning], NOW_MS, styleFor(true, {}), 62).at(-1)).toBe(
      `${" ".repeat(22)}\u001b[33mfive six\u001b[0m`,
    );
  });

  it("shows what comes from the API without its control characters", () => {
    expect(
      warningLines([{ ...warning, object: "pod/\u001b[2J", reason: "a\u0007", message: "b\nc" }], NOW_MS, plain).join(
        "\n",
      ),
    ).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});
