/** A picture that is drawn news by news is, to the pixel, the picture that is drawn at once. */
import path from "node:path";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_TIMEOUT_MS, hasChromium, launchChromium } from "./chromium.ts";
import type { pixels } from "./picture-news.ts";

const TIMEOUT_MS = 120_000;
/** Adjacent marks of decisions may be counted from another one, since all was drawn last. */
const MAX_UNLIKE = 400;

describe.skipIf(!hasChromium("test/host-browser/browser/picture-news.e2e.test.ts"))("drawing news by news", () => {
  let browser: Browser;
  let script: string;

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [path.join(import.meta.dirname, "picture-news.ts")],
      bundle: true,
      write: false,
      format: "iife",
      globalName: "news",
    });
    script = outputFiles[0]!.text;
    browser = await launchChromium();
  }, BROWSER_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
  });

  test.each([
    [40, "rows"],
    [300, "thin rows"],
    [3_000, "a heat map"],
  ])("%d indexes, as %s", { timeout: TIMEOUT_MS }, async (count) => {
    const page = await browser.newPage();
    await page.addScriptTag({ content: script });
    const { unlike, all, colours } = await page.evaluate<ReturnType<typeof pixels>>(`news.pixels(${count})`);
    expect(all).toBeGreaterThan(300_000);
    // Something was drawn.
    expect(colours).toBeGreaterThan(8);
    expect(unlike).toBeLessThan(MAX_UNLIKE);
    await page.close();
  });
});
