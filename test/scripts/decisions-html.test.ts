/** The page of decisions that the playground links to: an anchor for each code, and nothing but text of our own. */
import { describe, expect, test } from "vitest";
import { anchorOf } from "../../scripts/anchor.ts";
import { decisionsHtml, renderMarkdown } from "../../scripts/decisions-html.ts";
import { readDecisionRows } from "../../scripts/decision-rows.ts";
import { readFileSync } from "node:fs";
import path from "node:path";

const source = readFileSync(path.resolve(import.meta.dirname, "../../assembly/trace/decisions.ts"), "utf8");

describe("the page of decisions", () => {
  const html = decisionsHtml();
  const anchors = new Set([...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!));

  test("has an anchor for each decision", () => {
    const codes = readDecisionRows(source).map(({ name }) => name);
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !anchors.has(code.toLowerCase()))).toEqual([]);
  });

  test("links only to its own anchors, and to the playground", () => {
    const links = [...html.matchAll(/<a href="([^"]+)"/g)].map((match) => match[1]!);
    expect(links).toContain("./");
    expect(links.filter((link) => link !== "./" && !anchors.has(link.replace(/^#/, "")))).toEqual([]);
  });

  test("needs no script and no inline style", () => {
    expect(html).not.toMatch(/<script|<style| style=| on[a-z]+=/);
  });
});

describe("Markdown", () => {
  test("has GitHub's anchors", () => {
    expect(anchorOf("The Job waits: for `pods`, mostly")).toBe("the-job-waits-for-pods-mostly");
    expect(renderMarkdown("### Backoff\n")).toBe('<h3 id="backoff">Backoff</h3>\n');
  });

  test("keeps the words of links to files, and shows markup as text", () => {
    expect(renderMarkdown("See [ABI](../bindings/ABI.md#poll).")).toBe("<p>See ABI.</p>\n");
    expect(renderMarkdown("a <b>c</b>")).toBe("<p>a &lt;b&gt;c&lt;/b&gt;</p>\n");
  });
});
