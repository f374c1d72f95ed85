/** Where the commands send their readers: to the site, once its address is known, until then to a file. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { document, pageOf } from "../../../host-node/words/document.ts";
import { sitePages } from "../../../scripts/site/pages.ts";

const root = path.resolve(import.meta.dirname, "../../..");

it("a document is its file as long as the site has no address", () => {
  expect(document("docs/lint.md#stint-lint", undefined)).toBe("docs/lint.md#stint-lint");
});

it.each([
  ["docs/lint.md", "lint.html"],
  ["docs/upgrade-check.md#a-b", "upgrade-check.html#a-b"],
  ["bindings/ABI.md#lint", "bindings/abi.html#lint"],
])("%s is a page of the site", (file, page) => {
  for (const site of ["https://example.com/stint", "https://example.com/stint/"])
    expect(document(file, site)).toBe(`https://example.com/stint/${page}`);
});

it("the site has each document at one address", () => {
  const pages = sitePages(root);
  expect(pages.size).toBeGreaterThan(40);
  expect(new Set(pages.values()).size).toBe(pages.size);
  for (const [file, page] of pages) {
    expect(existsSync(path.join(root, file)), file).toBe(true);
    if (file !== "README.md") expect(pageOf(file)).toBe(page);
  }
});
