/**
 * The page for people without a mouse, with a screen reader, on a phone: axe-core finds nothing at three sizes
 * in both themes, and one whole lesson goes by keys alone.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { describe, expect, test } from "vitest";
import { PANEL_NAMES } from "../../../build/panel-names.ts";
import { hasChromium } from "./chromium.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = [
  { width: 1440, height: 900 },
  { width: 900, height: 1100 },
  { width: 360, height: 740 },
];

describe.skipIf(!hasChromium("test/host-browser/browser/access.e2e.test.ts"))(
  "the page",
  { timeout: TIMEOUT_MS },
  () => {
    const site = new Site();

    test.each(
      SIZES.flatMap((viewport) =>
        (["light", "dark"] as const).map((colorScheme) => [viewport.width, colorScheme, viewport] as const),
      ),
    )("has no fault for anybody at %i px in %s", async (_width, colorScheme, viewport) => {
      const opened = await site.open("", { viewport, colorScheme });
      const { page } = opened;
      await opened.finished();
      await page.locator(".cm-content").waitFor({ state: "attached" });
      await page.locator("textarea.editor-field").waitFor({ state: "detached" });
      await page.evaluate(axe);
      const look = async (part = "document"): Promise<string[]> => {
        const { violations } = await page.evaluate<AxeResults>(`axe.run(${part})`);
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
      };
      expect(await look()).toEqual([]);
      await page.getByText("The picture as a table").click();
      for (const panel of PANEL_NAMES) {
        await page.locator(`#tab-${panel}`).click();
        await page.locator("#panel", { hasNotText: "The engine is asked." }).waitFor();
        expect(await look("'#panel'"), panel).toEqual([]);
      }
      // Beside a run that was changed, so that there is a shadow, too.
      const { run } = await opened.heard();
      await page.getByRole("tab", { name: "The world" }).click();
      await page.getByRole("button", { name: "Add a group" }).click();
      expect(await look("'.workbench'"), "the world").toEqual([]);
      await page.getByRole("button", { name: "Break it" }).click();
      await page.getByRole("menu").waitFor();
      expect(await look("'.menu'"), "the menu").toEqual([]);
      await page.getByRole("menuitem").first().click();
      await opened.finished(run);
      await page.locator(".ghost").waitFor();
      expect(await look("'.stage'"), "a shadow").toEqual([]);
      // A phone has no files.
      for (const dialog of ["Keys and help", "Share", ...(viewport.width < 640 ? [] : ["Export", "Import"])]) {
        await page.getByRole("button", { name: dialog, exact: true }).click();
        await page.getByRole("dialog").waitFor();
        expect(await look("'dialog'"), dialog).toEqual([]);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
      await page.getByRole("button", { name: "Lessons", exact: true }).click();
      await page.locator(".catalogue.is-open").waitFor();
      expect(await look("'.catalogue'"), "the drawer of lessons").toEqual([]);
    });

    test("on a phone has targets of 24 pixels, but for links in a text", async () => {
      const opened = await site.open("", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
      const { page } = opened;
      await opened.finished();
      await page.locator(".cm-content").waitFor({ state: "attached" });
      const small = await page.evaluate<string[]>(`[...document.querySelectorAll("button, a, input, select, summary")]
        .filter((part) => part.checkVisibility() && !part.matches(".link, .skip, p a, .unseen *"))
        .map((part) => [part.textContent || part.ariaLabel, part.getBoundingClientRect()])
        .filter(([, { width, height }]) => Math.min(width, height) < 24)
        .map(([name, { width, height }]) => name + " " + width + " × " + height)`);
      expect(small).toEqual([]);
    });

    test("on paper has picture and status, and nothing to press", async () => {
      const opened = await site.open();
      const { page } = opened;
      await opened.finished();
      await page.locator(".cm-content").waitFor();
      await page.emulateMedia({ media: "print" });
      for (const part of [".canvas", ".legend", ".says", ".yaml", ".editor"]) await page.locator(part).waitFor();
      const pressed = page.locator("button:visible").filter({ hasNotText: /:/ });
      expect(await pressed.locator("xpath=self::*[not(@role='tab')]").allTextContents()).toEqual([
        "the first failure",
        "waiting for 20 seconds",
        "the last index succeeds",
      ]);
      expect(await page.locator(".transport").isVisible()).toBe(false);
    });

    test("the documentation of decisions has its landmarks", async () => {
      const opened = await site.open("decisions.html");
      await opened.page.evaluate(axe);
      const { violations } = await opened.page.evaluate<AxeResults>("axe.run()");
      expect(violations.map(({ id }) => id)).toEqual([]);
    });

    test("takes a whole lesson by keys alone, and never loses the focus", async () => {
      const opened = await site.open();
      const { page } = opened;
      const before = await opened.finished();
      const instant = async (): Promise<number> =>
        Number(await page.getByRole("slider", { name: "Instant" }).inputValue());
      const focus = (): Promise<string> =>
        page.evaluate("document.activeElement === document.body ? '' : document.activeElement.textContent.trim()");
      const tabTo = async (text: string): Promise<void> => {
        for (let i = 0; i < 60; i++) {
          await page.keyboard.press("Tab");
          if ((await focus()).startsWith(text)) return;
        }
        throw new Error(`no Tab leads to ${text}`);
      };
      // Through time: to the start, decision by decision to the end, and back.
      await page.keyboard.press("Home");
      expect(await instant()).toBe(0);
      const visited: number[] = [];
      for (let i = 0; i < 40 && (await instant()) < before.nowMs; i++) {
        await page.keyboard.press("n");
        visited.push(await instant());
      }
      expect(visited.length).toBeGreaterThan(5);
      expect(visited).toEqual([...visited].sort((a, b) => a - b));
      await page.keyboard.press("p");
      expect(await instant()).toBeLessThan(visited.at(-1)!);
      // The answer, and a bookmark.
      await tabTo("Show the answer");
      await page.keyboard.press("Enter");
      await page.getByText("Each index is counted separately").waitFor();
      await tabTo("the first failure");
      await page.keyboard.press("Enter");
      expect(await instant()).toBe(12_842);
      // Break it, by its key; Escape gives the focus back.
      const held = await focus();
      await page.keyboard.press("b");
      await page.getByRole("menu").waitFor();
      await page.keyboard.press("Escape");
      expect(await focus()).toBe(held);
      await page.keyboard.press("b");
      await page.getByRole("menu").waitFor();
      await page.keyboard.press("Enter");
      const after = await opened.finished(before.run);
      expect(after.digest).not.toBe(before.digest);
      expect(await focus()).not.toBe("");
      // Why.
      await page.keyboard.press("w");
      await page.locator('#tab-why[aria-selected="true"]').waitFor();
      // The next lesson.
      await page.keyboard.press("Home");
      await tabTo("Next");
      await page.keyboard.press("Enter");
      await opened.finished(after.run);
      expect(await page.locator("#lesson-title").innerText()).toBe("The smallest Job");
      expect(await focus()).toContain("Next");
    });
  },
);
