/**
 * The generator's settings. `npm run site` gives it the source, the sidebar and the base by variables.
 */
import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { anchorOf } from "../../scripts/anchor.ts";

const { STINT_SITE_SOURCE = "source", STINT_SITE_OUT = "out", STINT_SITE_BASE = "/" } = process.env;
const sidebar = JSON.parse(readFileSync(`${STINT_SITE_SOURCE}.json`, "utf8"));

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
