/**
 * The page as people set up their screen: a phone with its transport at the bottom, large type for a projector, forced
 * colours, and no motion.
 */
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasChromium } from "./chromium.ts";
import { lessonAddress } from "./open-page.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;
const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

const describeInBrowser = describe.skipIf(!hasChromium("test/host-browser/browser/looks.e2e.test.ts"));
const site = new Site();

const fitsSideways = (page: Page): Promise<boolean> =>
  page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");

/** Its parts are on a line when their middles are. */
function transportLines(page: Page): Promise<number> {
  return page.evaluate<number>(`new Set([...document.querySelectorAll(".transport > *")].map((part) => {
    const { top, bottom } = part.getBoundingClientRect();
    return Math.round((top + bottom) / 20);
  })).size`);
}

describeInBrowser("the page", { timeout: TIMEOUT_MS }, () => {
  test("on a phone keeps the transport at the bottom of the screen, wherever the page is scrolled to", async () => {
    const opened = await site.open("", PHONE);
    const { page } = opened;
    await opened.finished();
    await page.locator(".cm-content").waitFor({ state: "attached" });
    const height = await page.evaluate<number>("document.documentElement.scrollHeight");
    expect(height).toBeGreaterThan(2 * 740);
    for (const share of [0, 0.5, 1]) {
      await page.evaluate(`scrollTo(0, ${share * height})`);
      const box = (await page.getByRole("toolbar", { name: "Time" }).boundingBox())!;
      expect(Math.round(box.y + box.height), `at ${share}`).toBe(740);
      expect([box.x, box.width]).toEqual([0, 360]);
    }
    // It hides nothing for good: at the end the last part of the page is above it.
    const last = (await page.locator(".columns > :last-child").boundingBox())!;
    const transport = (await page.getByRole("toolbar", { name: "Time" }).boundingBox())!;
    expect(last.y + last.height).toBeLessThanOrEqual(transport.y);
    // And all of its buttons can be reached.
    for (const button of await page.getByRole("toolbar", { name: "Time" }).getByRole("button").all()) {
      const { x, width } = (await button.boundingBox())!;
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(360);
    }
    // The picture comes first, and nothing is scrolled sideways.
    await page.evaluate("scrollTo(0, 0)");
    const picture = (await page.locator("canvas.canvas").boundingBox())!;
    const title = (await page.locator("#lesson-title").boundingBox())!;
    expect(picture.y).toBeLessThan(title.y);
    expect(picture.y + picture.height).toBeLessThan(740);
    expect(await fitsSideways(page)).toBe(true);
    await page.getByRole("button", { name: "Play" }).tap();
    await page
      .getByRole("button", { name: "Pause" })
      .or(page.getByRole("button", { name: "Play" }))
      .waitFor();
  });

  test("in a small frame keeps the transport in sight", async () => {
    const opened = await site.open("?embed=1", { viewport: { width: 360, height: 420 } });
    await opened.finished();
    const { page } = opened;
    await page.locator(".legend canvas").first().waitFor();
    expect(await page.evaluate<number>("document.documentElement.scrollHeight")).toBe(420);
    const box = (await page.getByRole("toolbar", { name: "Time" }).boundingBox())!;
    const stage = (await page.locator(".stage").boundingBox())!;
    expect(stage.height).toBeGreaterThan(120);
    expect(box.y).toBeGreaterThanOrEqual(stage.y + stage.height);
    expect(box.y + box.height).toBeLessThanOrEqual(420);
    expect(await fitsSideways(page)).toBe(true);
  });

  test.each([1440, 900, 360])("at %i px has room for large type, and remembers that it is wanted", async (width) => {
    const opened = await site.open("", { viewport: { width, height: 900 } });
    const { page } = opened;
    await opened.finished();
    await page.locator(".cm-content").waitFor({ state: "attached" });
    const sizes = (): Promise<readonly number[]> =>
      page.evaluate(`[...document.querySelectorAll("#lesson-title, .says, #tab-status")].map((part) =>
        parseFloat(getComputedStyle(part).fontSize))`);
    const pictureHeight = async (): Promise<number> => (await page.locator("canvas.canvas").boundingBox())!.height;
    const [before, heightBefore] = [await sizes(), await pictureHeight()];
    await page.getByRole("button", { name: "Large type" }).click();
    const factor = width === 1440 ? "1.50" : "1.35";
    expect((await sizes()).map((size, i) => (size / before[i]!).toFixed(2))).toEqual([factor, factor, factor]);
    await expect.poll(pictureHeight).toBeGreaterThan(heightBefore * 1.1);
    expect(await fitsSideways(page)).toBe(true);
    if (width === 1440) {
      expect(await transportLines(page)).toBe(2);
      await page.getByText("Speed").waitFor();
    }
    await page.reload();
    await opened.finished();
    expect(await page.getByRole("button", { name: "Large type" }).getAttribute("aria-pressed")).toBe("true");
    expect(await page.evaluate("document.documentElement.dataset.type")).toBe("large");
  });

  test("with forced colours tells what is chosen from what is not, without its own colours", async () => {
    const opened = await site.open("", { viewport: { width: 1700, height: 1000 }, forcedColors: "active" });
    const { page } = opened;
    await opened.finished();
    await page.locator(".cm-content").waitFor();
    await page.locator(".catalogue [aria-current]").waitFor();
    /** What is seen of an element: where colours are forced, its own background is not. */
    const seen = (selector: string): Promise<string> =>
      page.evaluate(`(() => {
        const style = getComputedStyle(document.querySelector(${JSON.stringify(selector)}));
        const { borderColor, borderWidth, outlineStyle, textDecorationLine } = style;
        const ground = style.forcedColorAdjust === "none" ? style.backgroundColor : "";
        return JSON.stringify({ borderColor, borderWidth, outlineStyle, textDecorationLine, ground });
      })()`);
    /** The contrast of its text to its own ground, as WCAG reckons it. */
    const readable = (selector: string): Promise<number> =>
      page.evaluate(`(() => {
        const { color, backgroundColor } = getComputedStyle(document.querySelector(${JSON.stringify(selector)}));
        const light = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
          .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
          .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0.05);
        const [dark, bright] = [light(color), light(backgroundColor)].sort((a, b) => a - b);
        return bright / dark;
      })()`);
    for (const [chosen, other] of [
      ["#catalogue li button[aria-current]", "#catalogue li button:not([aria-current])"],
      [".panels [role=tab][aria-selected=true]", ".panels [role=tab][aria-selected=false]"],
      [".workbench [role=tab][aria-selected=true]", ".workbench [role=tab][aria-selected=false]"],
      [".bookmarks .chip[aria-current=true]", ".bookmarks .chip:not([aria-current=true])"],
    ] as const) {
      expect(await seen(chosen), chosen).not.toBe(await seen(other));
      expect(await readable(chosen), chosen).toBeGreaterThan(4.5);
    }
    const isFolded = await seen(".tools [aria-pressed]");
    await page.getByRole("button", { name: /Fold idle time/ }).click();
    await expect.poll(() => seen(".tools [aria-pressed]")).not.toBe(isFolded);
    // A line that has changed is marked, and a button has an edge.
    await page.evaluate("probe.seek(12832)");
    await page.locator(".yaml .changed").first().waitFor();
    expect(JSON.parse(await seen(".yaml .changed"))).not.toEqual(JSON.parse(await seen(".yaml button:not(.changed)")));
    const { borderWidth } = JSON.parse(await seen(".break")) as { readonly borderWidth: string };
    expect(borderWidth).toBe("1px");
  });

  test("moves nothing automatically for a user who prefers reduced motion", async () => {
    const opened = await site.open("", { viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    const { page } = opened;
    await opened.finished();
    await page.locator(".cm-content").waitFor();
    const moving = `[...document.querySelectorAll("*")].filter((part) => {
      const { transitionDuration, animationName } = getComputedStyle(part);
      return animationName !== "none" || transitionDuration.split(", ").some((text) => parseFloat(text) > 0);
    }).map((part) => part.className)`;
    expect(await page.evaluate(moving)).toEqual([]);
    expect(await page.evaluate("getComputedStyle(document.documentElement).scrollBehavior")).toBe("auto");
    await page.getByRole("button", { name: "Break it" }).click();
    await page.getByRole("menu").waitFor();
    expect(await page.evaluate(moving)).toEqual([]);
    // Time moves when it is asked to: that is what the page is for.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Home");
    await page.keyboard.press("n");
    expect(Number(await page.getByRole("slider", { name: "Instant" }).inputValue())).toBeGreaterThan(0);
  });
});

describeInBrowser("a window", { timeout: TIMEOUT_MS }, () => {
  test.each(["", "thousand"])(
    "on a desk shows picture, sentence, status and manifest at once: lesson '%s'",
    async (id) => {
      const opened = await site.open(id === "" ? "" : await lessonAddress(id, 20_000));
      await opened.finished();
      const { page } = opened;
      await page.locator(".cm-content").waitFor();
      expect(await page.evaluate("document.documentElement.scrollHeight")).toBe(900);
      const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
      const transport = await boxOf(".transport");
      const bottoms: Record<string, number> = { ".transport": 0, ".says": 0, ".yaml": 0, "#tab-why": 0, ".run-bar": 0 };
      for (const selector of Object.keys(bottoms)) {
        const { y, height } = await boxOf(selector);
        bottoms[selector] = y + height;
      }
      for (const [selector, bottom] of Object.entries(bottoms)) expect(bottom, selector).toBeLessThanOrEqual(900);
      // The transport covers nothing of the picture.
      const canvas = await boxOf("canvas.canvas");
      expect(canvas.y + canvas.height).toBeLessThanOrEqual(transport.y);
      const scroll = await boxOf(".scroll");
      expect(scroll.y + scroll.height).toBeLessThanOrEqual(transport.y);
    },
  );

  test("at 200 % leaves the window to the picture: the transport is one line", async () => {
    const opened = await site.open("", { viewport: { width: 720, height: 450 } });
    await opened.finished();
    expect(await transportLines(opened.page)).toBe(1);
    expect((await opened.page.locator(".transport").boundingBox())!.height).toBeLessThan(50);
    expect(await fitsSideways(opened.page)).toBe(true);
  });
});
