/**
 * Every lesson of the catalogue in a real browser, one after another with the button Next: each runs to its end, and is
 * the same run as in Node, to the last write.
 */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { LESSONS } from "../../../host-browser/catalogue/lessons.ts";
import { modulePath } from "../../../scripts/build-engine.ts";
import { runWhole } from "../catalogue/run-lesson.ts";
import { hasChromium } from "./chromium.ts";
import { Site } from "./site.ts";

const ALL_TIMEOUT_MS = 300_000;

describe.skipIf(!hasChromium("test/host-browser/browser/lessons.e2e.test.ts"))("the lessons", () => {
  const site = new Site();
  let engineModule: WebAssembly.Module;
  beforeAll(async () => {
    engineModule = await WebAssembly.compile(readFileSync(modulePath("core")));
  });

  test("follow each other, each to its end, with the digest that Node finds", { timeout: ALL_TIMEOUT_MS }, async () => {
    const opened = await site.open();
    const { page } = opened;
    const next = page.getByRole("button", { name: "Next", exact: true });
    let heard = await opened.finished();
    await page.locator("#catalogue li").nth(1).waitFor({ state: "attached" });
    for (const [i, lesson] of LESSONS.entries()) {
      expect(await page.locator("#lesson-title").innerText()).toBe(lesson.title);
      expect(heard.digest, lesson.id).toBe(runWhole(engineModule, lesson.scenario).digest);
      expect(
        await page
          .locator(".bookmarks")
          .getByRole("button", { name: lesson.bookmarks[1].label })
          .getAttribute("aria-current"),
      ).toBe("true");
      if (i === LESSONS.length - 1) break;
      const place = await next.boundingBox();
      await next.click();
      heard = await opened.finished(heard.run);
      // Next stays where it is, whatever the lesson says.
      expect(await next.boundingBox(), lesson.id).toEqual(place);
    }
  });
});
