/**
 * The site of `npm run site`, built for two addresses and read in Chromium: every link leads somewhere, no page asks
 * another origin, pages of each kind have no fault that axe finds, and they fit a phone. Needs the registry of npm, for
 * the generator.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FolderServer, serveFolder } from "../../scripts/serve-folder.ts";
import { buildSite } from "../../scripts/site/build-site.ts";
import { BROWSER_TIMEOUT_MS, hasChromium, launchChromium } from "../host-browser/browser/chromium.ts";
import { crawl } from "./crawl.ts";

const TIMEOUT_MS = 120_000;
const SETUP_TIMEOUT_MS = 400_000;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const BASES = ["/", "/docs/of/stint/"] as const;
/** One of each kind, by its path. */
const PAGES = {
  "home": "index.html",
  "list of documents": "documents.html",
  "tutorial": "tutorials/why-did-my-job-fail.html",
  "how-to guide": "why.html",
  "reference": "lint.html",
  "explanation": "how-it-works.html",
  "pictures": "playground.html",
  "list of lessons": "lessons/index.html",
  "lesson": "lessons/one-fails.html",
  "wide tables": "differences.html",
  "tables of two columns": "controller.html",
  "code without a language": "bindings/go.html",
  "no such page": "404.html",
} as const;

describe.skipIf(!hasChromium("test/site/site.e2e.test.ts")).each(BASES)("the site at %s", (base) => {
  const scratch = mkdtempSync(path.join(tmpdir(), "stint-site-"));
  const out = path.join(scratch, "out");
  let server: FolderServer;
  let browser: Browser;

  beforeAll(async () => {
    await buildSite({ out, base, files: undefined });
    server = await serveFolder(out, 0, { base, policy: "site" });
    browser = await launchChromium();
  }, SETUP_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  /** Calls `look` with an opened page; afterwards nothing may have failed, or have come from elsewhere. */
  async function visit(
    name: string,
    options: BrowserContextOptions,
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext({ reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(BROWSER_TIMEOUT_MS);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith("data:")) faults.push(request.url());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("response", (response) => {
      if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(server.url + name, { waitUntil: "networkidle" });
    await look(page);
    await context.close();
    expect(faults).toEqual([]);
  }

  test("has no link that leads nowhere", () => {
    const { pages, links, broken } = crawl(out, base);
    expect(broken).toEqual([]);
    expect(pages).toEqual(expect.arrayContaining(Object.values(PAGES)));
    expect(pages.length).toBeGreaterThan(80);
    expect(links).toBeGreaterThan(5_000);
  });

  test("has a title and a description for each page", () => {
    const { pages } = crawl(out, base);
    const heads = pages
      .filter((page) => page !== "404.html")
      .map((page) => {
        const html = readFileSync(path.join(out, page), "utf8");
        const [title, description] = [/<title>([^<]*)</, /<meta name="description" content="([^"]*)"/].map(
          (pattern) => pattern.exec(html)?.[1] ?? "",
        );
        return { page, title: title!, description: description! };
      });
    expect(heads.filter(({ title, description }) => title === "" || description.length < 20)).toEqual([]);
    for (const key of ["title", "description"] as const) {
      const counts = Map.groupBy(heads, (one) => one[key]);
      expect([...counts].filter(([, same]) => same.length > 1).map(([text, same]) => [text, same.length])).toEqual([]);
    }
  });

  // What a page shows is the same at each address.
  describe.skipIf(base !== BASES[0])("as a page", () => {
    test.each(Object.entries(PAGES))("has no fault for anybody: %s", { timeout: TIMEOUT_MS }, async (_kind, name) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await visit(name, { viewport: { width: 1280, height: 900 }, colorScheme }, async (page) => {
          await page.evaluate(axe);
          const { violations } = await page.evaluate<AxeResults>("axe.run(document, { iframes: false })");
          const faults = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" "))[0]}`);
          expect(faults, colorScheme).toEqual([]);
        });
      }
    });

    test.each(Object.entries(PAGES))("fits a phone: %s", { timeout: TIMEOUT_MS }, async (_kind, name) => {
      await visit(name, { viewport: { width: 360, height: 740 } }, async (page) => {
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
      });
    });

    test.each(["differences", "install", "conformance", "testing"])(
      "shows whole tables on a large screen: %s",
      { timeout: TIMEOUT_MS },
      async (name) => {
        await visit(`${name}.html`, { viewport: { width: 1440, height: 900 } }, async (page) => {
          const tables = page.locator(".vp-doc table");
          expect(await tables.count()).toBeGreaterThan(0);
          const cut = await tables.evaluateAll(
            (all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length,
          );
          expect(cut).toBe(0);
        });
      },
    );
  });

  test("finds a page by a word in it", { timeout: TIMEOUT_MS }, async () => {
    await visit("index.html", {}, async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("searchbox").fill("RetriesPastDeadline");
      await page
        .getByRole("option", { name: /RetriesPastDeadline/ })
        .first()
        .click();
      await page.waitForURL(/lint\.html/);
    });
  });

  test("shows the run of a lesson in its page, and in the playground", { timeout: TIMEOUT_MS }, async () => {
    await visit("lessons/one-fails.html", {}, async (page) => {
      const frame = page.frameLocator(".lesson iframe");
      await page.locator(".lesson iframe").scrollIntoViewIfNeeded();
      await frame.locator("canvas").first().waitFor();
      await page.getByRole("link", { name: "Open it in the playground" }).click();
      await page.waitForURL(/playground\/index\.html#lesson\/one-fails$/);
      await page.locator("canvas").first().waitFor();
      expect(await page.title()).toContain("Stint");
    });
  });
});
