/** Pictures of terminals show the console blocks of the documents, in their words. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { blockOf, terminalPictures, terminalSvg } from "../../scripts/terminal-pictures.ts";

const root = path.resolve(import.meta.dirname, "../..");

test("the pictures of the repository are those of its documents; npm run pictures writes them", () => {
  const pictures = terminalPictures();
  expect(pictures.size).toBeGreaterThan(0);
  for (const [file, svg] of pictures) {
    expect(existsSync(path.join(root, file)), file).toBe(true);
    expect(readFileSync(path.join(root, file), "utf8"), file).toBe(svg);
  }
});

test("a block is found by its command, up to the next one", () => {
  const page = "```sh\n$ a\n```\n\n```console\n$ b\n1\n$ a\n2\n\n3\n$ c\n```\n";
  expect(blockOf(page, "a")).toBe("$ a\n2\n\n3");
  expect(blockOf(page, "d")).toBeUndefined();
});

test("a picture has every line as text, broken where it is long", () => {
  const svg = terminalSvg(`$ a <b>\n\n  ${"word ".repeat(30)}end`, "dark");
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!.trim());
  expect(texts.join(" ")).toBe(`$ a &lt;b&gt; ${"word ".repeat(30)}end`);
  expect(texts).toHaveLength(3);
});
