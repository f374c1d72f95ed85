/**
 * What a newcomer meets first: README.md is short, and docs/README.md, from which the site's sidebar is made, leads to
 * each document once.
 */
import { expect, test } from "vitest";
import { withoutComments } from "./scanner.ts";
import { files, placesOf, read } from "./sources.ts";

const MAX_README_LINES = 120;
const INDEX = "docs/README.md";
/** The kinds of documents, in their order: https://diataxis.fr. */
const KINDS = ["Tutorials", "How-to guides", "Reference", "Explanation"];

/** The paths below docs/ that an index links to, in their order. */
function linked(index: string): string[] {
  return [...index.matchAll(/\]\(([^)#]+\.md)\)/g)].map(([, path]) => path!).filter((path) => !path.startsWith("../"));
}

test("README.md has at most 120 lines", () => {
  expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(MAX_README_LINES);
});

test("docs/README.md has each document once, under its kind", () => {
  const index = read(INDEX);
  const documents = files.filter((file) => /^docs\/.*\.md$/.test(file) && file !== INDEX);
  expect(linked(index).toSorted()).toEqual(documents.map((file) => file.slice("docs/".length)).toSorted());
  expect([...index.matchAll(/^## (.*)$/gm)].map(([, kind]) => kind)).toEqual(KINDS);
});

test("links of the index are found", () => {
  expect(linked("[a](a.md), [b](spec/b.md), [c](../C.md), [d](https://example.com/d)")).toEqual(["a.md", "spec/b.md"]);
});

/** The text of a program that names a document, and not by `document`. */
const NAMED = /(?<!document\([`"])docs\/[\w/-]+\.md/;

test("the commands name documents by document(), which knows the site; explain prints files", () => {
  const named = files
    .filter((file) => /^host-node\/.*\.ts$/.test(file) && file !== "host-node/cli/explain/command.ts")
    .flatMap((file) => placesOf(NAMED, file, withoutComments(read(file))));
  expect(named).toEqual([]);
  expect(placesOf(NAMED, "a.ts", 'f("see docs/lint.md");\nf(document("docs/lint.md#a"));')).toHaveLength(1);
});
