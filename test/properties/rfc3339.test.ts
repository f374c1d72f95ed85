/**
 * The engine's timestamps against the naive twin and the platform's calendar.
 */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as naive from "../naive/rfc3339.ts";
import { Leaves } from "./leaves.ts";
import { tries } from "../tries.ts";

const runs = { numRuns: tries(50_000), seed: 20_260_204 };
const TIME_MS_MIN = Date.parse("0001-01-01T00:00:00Z");
const TIME_MS_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

let leaves: Leaves;
beforeAll(async () => {
  leaves = await Leaves.load();
});

describe("against the naive twin", () => {
  const instant = fc.integer({ min: TIME_MS_MIN, max: TIME_MS_MAX });

  test("writing, and reading what was written", () => {
    fc.assert(
      fc.property(instant, (ms) => {
        expectSame(writeTime(ms), naive.formatTime(ms));
        expectSame(writeMicroTime(ms), naive.formatMicroTime(ms));
        expectSame(parse(writeMicroTime(ms)), ms);
        expectSame(parse(writeTime(ms)), Math.floor(ms / 1000) * 1000);
      }),
      runs,
    );
  });

  test("reading, of texts that are almost right too", () => {
    const field = (max: number) =>
      fc.oneof({ weight: 9, arbitrary: fc.nat(max) }, { weight: 1, arbitrary: fc.nat(99) });
    const two = (max: number) => field(max).map((value) => `${value}`.padStart(2, "0"));
    const year = fc
      .oneof(fc.nat(9999), fc.constantFrom(0, 1, 1900, 1970, 2000, 2024, 2100, 9999))
      .map((value) => `${value}`.padStart(4, "0"));
    const fraction = fc.oneof(
      fc.constant(""),
      fc.array(fc.nat(9), { maxLength: 9 }).map((digits) => `.${digits.join("")}`),
    );
    const offset = fc.oneof(
      { weight: 4, arbitrary: fc.constant("Z") },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom("+", "-"), two(23), two(59))
          .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
      },
      { weight: 1, arbitrary: fc.constantFrom("", "z", "+", "+1:00", "+0100", "ZZ", "+01:00Z", "Z ") },
    );
    const wellFormed = fc
      .tuple(year, two(12), two(31), two(23), two(59), two(59), fraction, offset)
      .map(
        ([y, month, day, hour, minute, second, rest, zone]) =>
          `${y}-${month}-${day}T${hour}:${minute}:${second}${rest}${zone}`,
      );
    // One character replaced or left out.
    const damaged = fc
      .tuple(wellFormed, fc.nat(30), fc.constantFrom("", "0", "-", ":", "T", "t", ".", " ", "/", "é"))
      .map(([text, at, character]) => text.slice(0, at) + character + text.slice(at + 1));
    let valid = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 2, arbitrary: wellFormed }, { weight: 1, arbitrary: damaged }), (text) => {
        const expected = naive.parseTime(text);
        if (!Number.isNaN(expected)) valid++;
        expectSame(parse(text), expected);
      }),
      runs,
    );
    expect(valid).toBeGreaterThan(runs.numRuns / 10);
  });

  test("every day of a 400-year cycle", () => {
    const start = Date.UTC(1899, 1, 27);
    for (let day = 0; day < 146_100; day++) {
      const ms = start + day * 86_400_000;
      expectSame(parse(writeTime(ms)), ms);
      expectSame(writeTime(ms), naive.formatTime(ms));
    }
  });
});

test.each([
  ["1970-01-01T00:00:00Z", 0],
  ["1969-12-31T23:59:59.9999Z", -1],
  ["2000-02-29T12:34:56Z", Date.UTC(2000, 1, 29, 12, 34, 56)],
  ["2026-01-02T03:04:05.123456Z", Date.UTC(2026, 0, 2, 3, 4, 5, 123)],
  ["2026-01-02T03:04:05.9+05:30", Date.UTC(2026, 0, 1, 21, 34, 5, 900)],
  ["0001-01-01T00:00:00Z", -62_135_596_800_000],
  ["9999-12-31T23:59:59Z", TIME_MS_MAX - 999],
  ["0001-01-01T00:00:00+00:01", NaN],
  ["0000-12-31T00:00:00Z", NaN],
  ["1900-02-29T00:00:00Z", NaN],
  ["2026-01-02T03:04:60Z", NaN],
  ["2026-01-02T24:00:00Z", NaN],
  ["2026-01-02t03:04:05Z", NaN],
  ["2026-01-02T03:04:05", NaN],
  ["2026-01-02T03:04:05.Z", NaN],
  ["", NaN],
])("%s is %d", (text, expected) => {
  expect(parse(text)).toBe(expected);
});

test("a time that is out of range or no time is never written: it traps and says so", async () => {
  for (const ms of [NaN, TIME_MS_MIN - 1, TIME_MS_MAX + 1]) {
    const fresh = await Leaves.load();
    expect(() => fresh.exports.writeTime(ms, fresh.output)).toThrow(WebAssembly.RuntimeError);
    expect(fresh.trapMessage()).toMatch(
      /^a time to write lies outside the years 0001 to 9999 \(assembly\/time\/rfc3339\.ts:\d+\)$/,
    );
  }
});

function parse(text: string): number {
  return leaves.exports.parseTime(leaves.input, leaves.write(text));
}

function writeTime(ms: number): string {
  return leaves.read(leaves.output, leaves.exports.writeTime(ms, leaves.output) - leaves.output);
}

function writeMicroTime(ms: number): string {
  return leaves.read(leaves.output, leaves.exports.writeMicroTime(ms, leaves.output) - leaves.output);
}

function expectSame(actual: string | number, expected: string | number): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected);
}
