/** The reader of console blocks, and what it takes for the same output. */
import { describe, expect, it, test } from "vitest";
import { files, read } from "../tidy/sources.ts";
import { codeIn, type Command, commandsIn, isDocumented } from "./console-blocks.ts";
import { PAGES } from "./pages.ts";

const command = (...output: readonly string[]): Command => ({ line: 1, text: "a", output });

describe("console blocks", () => {
  it("are commands with their output", () => {
    const markdown = "```console\n$ a \\\n  b |\n  c\n1\n\n2\n$ cat <<'END'\n$ x\nEND\n$ d\n```\n\n```sh\n$ e\n```\n";
    expect(commandsIn("a.md", markdown)).toEqual([
      { line: 2, text: "a \\\n  b |\n  c", output: ["1", "", "2"] },
      { line: 8, text: "cat <<'END'\n$ x\nEND", output: [] },
      { line: 11, text: "d", output: [] },
    ]);
    expect(codeIn(markdown, "sh")).toEqual(["$ e\n"]);
    expect(() => commandsIn("a.md", "```console\nx\n```\n")).toThrow('a.md:2: a console block begins with "$ "');
  });

  it("show what is random by example", () => {
    const documented = command("[x7k2p] job a-x7k2p  waits, 5 s ago, since 12:39:17", "  0.1s  b  Complete in 2.0s");
    expect(
      isDocumented("[zzzzz] job a-bcdfg waits, 17 s ago, since 01:02:03\n\n 12.5s b Complete in 10.1s\n", documented),
    ).toBe(true);
    expect(
      isDocumented("[zzzzz] job b-bcdfg waits, 17 s ago, since 01:02:03\n 12.5s b Complete in 10.1s\n", documented),
    ).toBe(false);
  });

  it("leave lines and parts of lines out", () => {
    expect(isDocumented("a\nb\nc\n", command("a", "…", "c"))).toBe(true);
    expect(isDocumented("a\nc\n", command("a", "…", "c"))).toBe(true);
    expect(isDocumented("a\nb\n", command("…"))).toBe(true);
    expect(isDocumented("a (b) c\n", command("a (…) c"))).toBe(true);
    expect(isDocumented("a\nb\nc\n", command("a", "c"))).toBe(false);
    expect(isDocumented("a\n", command("a", "b"))).toBe(false);
    expect(isDocumented("a.b\n", command("a+b"))).toBe(false);
    expect(isDocumented("b\na\n", command("a", "…", "b"))).toBe(false);
    expect(isDocumented("b\na\n", command("a", "…", "b"), false)).toBe(true);
    expect(isDocumented("b\n", command("a", "…", "b"), false)).toBe(false);
  });
});

test.each(Object.entries(PAGES))("%s has the commands that are special in it", (page, specials) => {
  const commands = commandsIn(page, read(page));
  const tests = specials.flatMap(({ notRun }) => notRun?.match(/\btest\/[\w./-]*\w/g) ?? []);
  expect(tests.filter((name) => !files.some((file) => file === name || file.startsWith(`${name}/`)))).toEqual([]);
  for (const special of specials)
    expect(
      commands.some(({ text }) => text.startsWith(special.command)),
      special.command,
    ).toBe(true);
});

/** Files of examples that a document names in a command. */
const EXAMPLE = /(?<![\w/])examples\/[\w./-]*\w/g;

test("files of examples that documents name in code are there", () => {
  const named = files
    .filter((file) => file.endsWith(".md") && file !== "CHANGELOG.md")
    .flatMap((file) => ["console", "sh"].flatMap((language) => codeIn(read(file), language)))
    .flatMap((code) => code.match(EXAMPLE) ?? []);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !files.some((file) => file === name || file.startsWith(`${name}/`)))).toEqual([]);
});

const LANGUAGES = ["ts", "go", "python"];

test("code in the tutorials is code of examples/testing, which CI runs", () => {
  const examples = files.filter((file) => /^examples\/testing\/.*\.(ts|go|py)$/.test(file)).map(read);
  const tutorials = files.filter((file) => /^docs\/tutorials\/.*\.md$/.test(file)).map(read);
  const blocks = tutorials.flatMap((text) => LANGUAGES.flatMap((language) => codeIn(text, language)));
  expect(blocks.length).toBeGreaterThan(5);
  expect(blocks.filter((block) => !examples.some((example) => example.includes(block)))).toEqual([]);
});
