/** Durations of the command line: which texts are taken, and how lengths of time are written. */
import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../../../host-node/words/duration.ts";

describe("parseDuration", () => {
  it.each([
    ["30s", 30_000],
    ["1.5s", 1500],
    ["300ms", 300],
    ["1h30m", 5_400_000],
    ["2d", 172_800_000],
  ])("%s is %i ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(["", "5", "s", "-1s", "0s", "1s ", "1 s", "1s5", "soon", "4000d", "1e3s"])("refuses %j", (text) => {
    expect(() => parseDuration(text)).toThrow(
      /^a duration such as 500ms, 30s, 5m or 1h30m, more than 0 and at most 3650d/,
    );
  });
});

describe("a number alone", () => {
  it.each([
    ["5", "; 5 has no unit: 5s, 5m or 5h?"],
    ["0", ""],
    ["-5", ""],
    ["100000", ""],
  ])("%j: %s", (text, hint) => {
    expect(() => parseDuration(text)).toThrow(
      new Error(`a duration such as 500ms, 30s, 5m or 1h30m, more than 0 and at most 3650d${hint}`),
    );
  });
});

describe("formatDuration", () => {
  it.each([
    [-5, "0.0s"],
    [449, "0.4s"],
    [59_999, "59.9s"],
    [60_000, "1m00s"],
    [185_000, "3m05s"],
    [7_620_000, "2h07m"],
    [273_600_000, "3d04h"],
  ])("%i ms is %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
