/** Links of documents that go into the npm package: kept where they lead to something in it, and else not dead. */
import { expect, test } from "vitest";
import { deadLinks, withMovedLinks } from "../../../scripts/release/npm-links.ts";

const packed = new Map([
  ["bindings/js/README.md", "README.md"],
  ["docs/lint.md", "docs/lint.md"],
]);
const moved = (markdown: string, files?: string): string =>
  withMovedLinks({ markdown, from: "bindings/js/README.md", to: "README.md", packed, files });

test("a link to what comes along leads to its place in the package", () => {
  expect(moved("see [lint](../../docs/lint.md#rules), [this](README.md)")).toBe(
    "see [lint](docs/lint.md#rules), [this](README.md)",
  );
});

test("a link from a folder of the package leads up", () => {
  const document = { markdown: "[home](../bindings/js/README.md)", from: "docs/lint.md", to: "docs/lint.md" };
  expect(withMovedLinks({ ...document, packed, files: undefined })).toBe("[home](../README.md)");
});

test("every other link leads to the repository, or is text where that is not known", () => {
  const markdown = "in [ABI.md](../ABI.md#poll) and ![a [picture]](../../docs/a.png)";
  expect(moved(markdown, "https://example.com/stint/blob/v1.0.0")).toBe(
    "in [ABI.md](https://example.com/stint/blob/v1.0.0/bindings/ABI.md#poll) and " +
      "![a [picture]](https://example.com/stint/blob/v1.0.0/docs/a.png)",
  );
  expect(moved(markdown)).toBe("in ABI.md and a [picture]");
});

test("addresses, anchors and code are left alone", () => {
  const markdown = "[a](https://example.com/a) [b](#b) `[c](d.md)`\n```js\n[e](f.md)\n```\n";
  expect(moved(markdown)).toBe(markdown);
});

test("a dead link is found", () => {
  const paths = new Set(["README.md", "docs/lint.md"]);
  const markdown = "[a](../README.md) [b](lint.md#c) [d](../docs/e.md) [f](https://example.com/) `[g](h.md)`";
  expect(deadLinks("docs/lint.md", markdown, paths)).toEqual(["docs/lint.md: ../docs/e.md"]);
});
