/**
 * The generator's settings. `npm run site` gives it the source, the sidebar and the base by variables.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { anchorOf } from "../../scripts/anchor.ts";

const { STINT_SITE_SOURCE = "source", STINT_SITE_OUT = "out", STINT_SITE_BASE = "/" } = process.env;
const sidebar = JSON.parse(readFileSync(`${STINT_SITE_SOURCE}.json`, "utf8"));

/** About what search engines show. */
const MAX_DESCRIPTION = 160;

/** The first paragraph of a page as plain text, up to the end of a word; empty: it has none. */
function descriptionOf(markdown: string): string {
  const prose = markdown.replace(/^---\n[^]*?\n---\n/, "").replace(/^```[^]*?^```$/gm, "");
  const paragraph = prose.split(/\n\s*\n/).find((block) => /^\s*[^\s#>|<-]/.test(block)) ?? "";
  const text = paragraph
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, text.lastIndexOf(" ", MAX_DESCRIPTION))} …`;
}

export default defineConfig({
  title: "Stint",
  description: "Kubernetes Jobs, explained, checked, tested and run",
  lang: "en",
  base: STINT_SITE_BASE,
  srcDir: STINT_SITE_SOURCE,
  outDir: STINT_SITE_OUT,
  cacheDir: `${STINT_SITE_SOURCE}-cache`,
  // Any web server can serve them.
  cleanUrls: false,
  lastUpdated: false,
  metaChunk: true,
  // The playground is no page: the browser test follows those links.
  ignoreDeadLinks: [/playground\//],
  head: [["link", { rel: "icon", href: `${STINT_SITE_BASE}playground/icon.svg` }]],
  markdown: {
    // As GitHub shows the documents.
    html: false,
    anchor: { slugify: anchorOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: ({ renderer }) => {
      const text = renderer.rules.text!;
      renderer.rules.text = (...given) => text(...given).replaceAll("{{", "&#123;&#123;");
      const fence = renderer.rules.fence!;
      renderer.rules.fence = (tokens, i, ...rest) =>
        tokens[i]!.info === "lesson" ? "<LessonFrame />" : fence(tokens, i, ...rest);
    },
  },
  transformPageData: ({ filePath, description }, { siteConfig }) =>
    description === "" && filePath !== ""
      ? { description: descriptionOf(readFileSync(join(siteConfig.srcDir, filePath), "utf8")) }
      : {},
  themeConfig: {
    nav: [
      { text: "Documents", link: "/documents.md" },
      { text: "Lessons", link: "/lessons/index.md" },
      { text: "Playground", link: "/playground/index.html", target: "_self" },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: "local" },
    docFooter: { prev: false, next: false },
  },
});
