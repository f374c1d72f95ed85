/**
 * docs/security.md says of each attempt of the red team what stops it. Every row names a test that is there, and every
 * such test has a row.
 */
import { describe, expect, test } from "vitest";
import { files, read } from "./sources.ts";

const FOLDER = "test/host-node/runtime/red-team/";
const page = read("docs/security.md");

interface Row {
  readonly attempt: string;
  readonly stoppedBy: string;
  /** `file.test.ts: name` */
  readonly test: string;
}

/** The rows of the table that begins with these words. */
function rowsOf(markdown: string): Row[] {
  const table = markdown.slice(markdown.indexOf("| Attempt | What stops it | Test |")).split("\n\n")[0]!;
  return [...table.matchAll(/^\| (.+?) \| (.+?) \| `(.+?)` \|$/gm)].map(([, attempt, stoppedBy, name]) => ({
    attempt: attempt!,
    stoppedBy: stoppedBy!,
    test: name!,
  }));
}

/** The names of the tests of a source, as written in it. */
function testsOf(source: string): string[] {
  // Either on the line of `it` or of the end of its cases, or alone on the next.
  const openings = /^ {2}(?:it\b|\](?: as const)?\)).*?\((?:\n {4})?"((?:[^"\\]|\\.)+)",\s+(?:async )?\(/gm;
  return [...source.matchAll(openings)].map((match) => match[1]!);
}

const existing = files
  .filter((file) => file.startsWith(FOLDER) && file.endsWith(".test.ts"))
  .flatMap((file) => testsOf(read(file)).map((name) => `${file.slice(FOLDER.length)}: ${name}`));

describe("docs/security.md", () => {
  test("names a test for each attempt, and there is one", () => {
    expect(rowsOf(page).filter((row) => !existing.includes(row.test))).toEqual([]);
  });

  test("has each test of the red team in one row", () => {
    const named = rowsOf(page).map((row) => row.test);
    expect(existing.filter((name) => named.filter((other) => other === name).length !== 1)).toEqual([]);
    expect(existing.length).toBeGreaterThan(60);
  });

  test("the rules catch what they forbid", () => {
    const table =
      "| Attempt | What stops it | Test |\n|---|---|---|\n| a | b | `files.e2e.test.ts: no such` |\n| a | b | `files.e2e.test.ts: reads a file in /tmp` |\n\n| c | d | `e` |";
    expect(rowsOf(table).map((row) => existing.includes(row.test))).toEqual([false, true]);
    expect(
      testsOf(
        '  it("a", async () => {\n  it.each(["x"])("b %s", (y) => {\n  it.skipIf(!z)("c", async () => {\n  ])("d", async (_, e) => {\n  ])(\n    "e",\n    async () => {\n    it("not", () => {',
      ),
    ).toEqual(["a", "b %s", "c", "d", "e"]);
  });
});
