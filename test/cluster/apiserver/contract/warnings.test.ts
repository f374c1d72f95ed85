/**
 * The Warning headers of an answer (docs/spec/api.md section 3.7): once each, within a budget, and no header that
 * cannot be sent.
 */
import { expect, test } from "vitest";
import { Warnings } from "../../../../cluster/apiserver/contract/warnings.ts";

function headersOf(...texts: string[]): readonly string[] {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headers();
}

test("a warning header has each text once, with quotes and backslashes escaped", () => {
  expect(headersOf('unknown field "a\\b"', "ü€😀", 'unknown field "a\\b"', "")).toEqual([
    '299 - "unknown field \\"a\\\\b\\""',
    '299 - "ü€😀"',
  ]);
});

test.each(["\n", "\0", "\u007f", "\u0085", "\u009f"])(
  "a text with the control character %j is not sent",
  (character) => {
    expect(headersOf(`a${character}b`, "c")).toEqual(['299 - "c"']);
  },
);

test("warning headers that are too long together are each cut, and those beyond the budget are left out", () => {
  expect(headersOf("x".repeat(4096))).toEqual([`299 - "${"x".repeat(4096)}"`]);
  const long = Array.from({ length: 30 }, (_, n) => `${n} ${"😀".repeat(300)}`);
  const headers = headersOf(...long);
  expect(headers).toHaveLength(16);
  expect(headers.map((header) => [...header].length)).toEqual(headers.map(() => 256 + '299 - ""'.length));
});
