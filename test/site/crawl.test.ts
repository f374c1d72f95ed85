/** The follower of links finds those that lead nowhere. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { crawl } from "./crawl.ts";

const folder = mkdtempSync(path.join(tmpdir(), "stint-crawl-"));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("links to pages, anchors and files that are not there, or beside the base, are broken", () => {
  mkdirSync(path.join(folder, "playground"));
  writeFileSync(path.join(folder, "playground/index.html"), '<a href="nowhere">');
  writeFileSync(
    path.join(folder, "index.html"),
    '<h1 id="a"><a href="#a"> <a class="x" href="#b"> <a href="/s/b.html#c"> <a href="/b.html"> <img src="no.png">' +
      '<a href="/s/playground/index.html?embed=1#v1/x"> <a href="https://example.com/">',
  );
  writeFileSync(path.join(folder, "b.html"), '<h2 id="c"><a href="/s/#a"> <a href="./#c"> <a href="mailto:a@b">');
  expect(crawl(folder, "/s/")).toEqual({
    pages: ["index.html", "b.html"].toSorted(),
    links: 10,
    broken: ["b.html: ./#c", "b.html: mailto:a@b", "index.html: #b", "index.html: /b.html", "index.html: no.png"],
  });
});
