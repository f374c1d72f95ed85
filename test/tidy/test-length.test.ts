/**
 * No function of a test is too long to read at once. A describe is split by what it is about, with the hooks and
 * helpers of the file; a table is `test.each`, and what a command prints is a transcript. What a source may have is in
 * function-length.test.ts.
 */
import { expect, it } from "vitest";
import { longFunctionsOf } from "./function-length.ts";
import { files, read } from "./sources.ts";

/** In lines. */
const LONG = 150;

it(`no function of a test has more than ${LONG} lines`, () => {
  const sources = files.filter((file) => file.startsWith("test/") && /\.(ts|tsx)$/.test(file));
  expect(sources.length).toBeGreaterThan(500);
  const long = sources.flatMap((file) => longFunctionsOf(file, read(file)));
  // Helpers and tests of 71 to 150 lines are there, so the counting works.
  expect(long.length).toBeGreaterThan(0);
  const tooLong = long.filter(({ lines }) => lines > LONG);
  expect(tooLong.map(({ file, line, lines }) => `${file}:${line} has ${lines} lines`)).toEqual([]);
});
