/**
 * What a newcomer meets first: README.md is short, and docs/README.md, from which the site's sidebar is made, leads to
 * each document once.
 */
import { expect, test } from "vitest";
import { files, read } from "./sources.ts";

const MAX_README_LINES = 120;
const INDEX = "docs/README.md";
/** The kinds of documents, in their order: https://diataxis.fr. */
const KINDS = ["How-to guides", "Reference", "Explanation"];

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
