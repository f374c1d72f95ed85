/**
 * Functions of tests that are too long to read at once, counted. The count only falls: a describe whose tests need no
 * shared variable is two, a table is `test.each`, and what a command prints is a transcript. What a source may have is
 * in function-length.test.ts.
 */
import { expect, it } from "vitest";
import { longFunctionsOf } from "./function-length.ts";
import { files, read } from "./sources.ts";

/** In lines. */
const LONG = 150;

/** How many there are at most. Lower it when you have split some; it never rises. */
const MOST = 2;

it(`functions of tests with more than ${LONG} lines are no more than before`, () => {
  const sources = files.filter((file) => file.startsWith("test/") && /\.(ts|tsx)$/.test(file));
  expect(sources.length).toBeGreaterThan(500);
  const long = sources.flatMap((file) => longFunctionsOf(file, read(file))).filter(({ lines }) => lines > LONG);
  const shown = long.map(({ file, line, lines }) => `${file}:${line} has ${lines} lines`).join("\n");
  expect(long.length, `split one, or give less to one of these:\n${shown}`).toBeLessThanOrEqual(MOST);
  expect(long.length, "lower MOST").toBe(MOST);
});
