/**
 * The programs of examples/ are short, in every language: what takes more belongs into a binding. Those of
 * examples/testing are code that a user tests, and its tests.
 */
import { expect, test } from "vitest";
import { files, read } from "./sources.ts";

const PROGRAM = /^examples\/(?!testing\/).*\.(mjs|go|py)$/;
const MOST_LINES = { controller: 40, webhook: 60 } as const;
type Role = keyof typeof MOST_LINES;

interface Program {
  readonly file: string;
  readonly language: string;
  readonly role: string;
}

const programs: readonly Program[] = files
  .filter((file) => PROGRAM.test(file) && !file.endsWith("_test.go"))
  .map((file) => ({ file, language: file.split("/")[1]!, role: file.split("/")[2]!.split(".")[0]! }));

function tooLong({ file, role }: Program, text: string): string[] {
  const lines = text.trimEnd().split("\n").length;
  const most = MOST_LINES[role as Role];
  return most !== undefined && lines <= most ? [] : [`${file}: ${lines} lines, allowed are ${most ?? 0}`];
}

test("each language has an example of a controller and of a webhook", () => {
  const has = (language: string): string[] =>
    programs.filter((program) => program.language === language).map(({ role }) => role);
  for (const language of ["go", "js", "python"])
    expect(has(language).toSorted(), language).toEqual(["controller", "webhook"]);
});

test("the examples are short", () => {
  expect(programs.flatMap((program) => tooLong(program, read(program.file)))).toEqual([]);
});

test("the rule catches a long one, and one of a role without a limit", () => {
  const long = { file: "a.py", language: "python", role: "webhook" };
  expect(tooLong(long, "a\n".repeat(61))).toEqual(["a.py: 61 lines, allowed are 60"]);
  expect(tooLong({ ...long, role: "proxy" }, "a\n")).toEqual(["a.py: 1 lines, allowed are 0"]);
});
