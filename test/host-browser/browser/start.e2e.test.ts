/** The start of the page: what it fetches, in which order, and what it does without some of it. */
import type { Page, Request } from "playwright-core";
import { describe, expect, test } from "vitest";
import { FIRST_LESSON } from "../../../host-browser/catalogue/first-lesson.ts";
import { readAddress } from "../../../host-browser/share/address.ts";
import { largeScenario } from "../../bench/playground/scenarios.ts";
import { BROWSER_TIMEOUT_MS, hasChromium } from "./chromium.ts";
import { addressOf } from "./open-page.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;
const PATIENT = { timeout: BROWSER_TIMEOUT_MS };
/** What the first picture needs. */
const NEEDED = ["", "chunk", "engine.wasm", "icon.svg", "main.css", "main.js", "start.js", "worker.js"];

/** Without the part of the name that is another one in each build. */
function fileOf(request: Request): string {
  return new URL(request.url()).pathname.slice(1).replace(/-\w{8}\.js$/, "");
}

const describeInBrowser = describe.skipIf(!hasChromium("test/host-browser/browser/start.e2e.test.ts"));

describeInBrowser("the first screen", { timeout: TIMEOUT_MS }, () => {
  const site = new Site();
  const clock = (page: Page) => page.locator(".clock b").textContent();

  test("says in one headline what it is, and plays to the end at once", async () => {
    const opened = await site.open("", { viewport: { width: 1440, height: 900 }, reducedMotion: "no-preference" });
    const { page } = opened;
    await page.getByRole("heading", { name: /Kubernetes Job controller/ }).waitFor();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.getByRole("button", { name: "Play" }).waitFor();
    expect(await clock(page)).toBe("58.010 s");
  });

  test("does not move where the reader wants no motion", async () => {
    const opened = await site.open();
    await opened.finished();
    await opened.page.locator(".panels").waitFor();
    expect(await clock(opened.page)).toBe("30.010 s");
    expect(await opened.page.getByRole("button", { name: "Play" }).count()).toBe(1);
  });

  test.each([
    ["Lose a node", "lose"],
    ["Kill the controller", "restart the controller"],
  ])("%s: while pods are at work, and what comes of it plays", async (label, flag) => {
    const opened = await site.open("", { viewport: { width: 1440, height: 900 }, reducedMotion: "no-preference" });
    const { page } = opened;
    const { run } = await opened.finished();
    await page.locator(".panels").waitFor();
    await page.getByRole("button", { name: "To the newest instant" }).click();
    await page.getByRole("button", { name: label }).click();
    await opened.finished(run);
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.locator(".ghost").waitFor();
    const inputs = page.getByRole("listitem").filter({ hasText: flag });
    await page.getByRole("tab", { name: "The world" }).click();
    await inputs.first().waitFor();
  });

  test("does not come with an address", async () => {
    const opened = await site.open();
    const { page } = opened;
    await opened.finished();
    const title = page.locator("#hero-title");
    await title.waitFor();
    await expect.poll(() => page.evaluate("location.hash"), PATIENT).not.toBe("");
    await page.reload();
    await opened.finished();
    expect(await title.count()).toBe(0);
  });
});

describeInBrowser("a start", { timeout: TIMEOUT_MS }, () => {
  const site = new Site();
  const open = (prepare: (page: Page) => Promise<void>) => site.open("", undefined, prepare);

  test("needs no other file for the first picture", async () => {
    const late: string[] = [];
    const picture = Promise.withResolvers<void>();
    const opened = await open(async (page) => {
      await page.route("**/*", async (route) => {
        const file = fileOf(route.request());
        if (!NEEDED.includes(file)) {
          late.push(file);
          await picture.promise;
        }
        await route.continue();
      });
    });
    await opened.finished();
    picture.resolve();
    await opened.page.locator(".panels").waitFor();
    expect(late).toContain("lazy-page");
  });

  test("asks for engine and Worker before the page's own code is there", async () => {
    const opened = await open(async (page) => {
      const [engine, worker] = ["engine.wasm", "worker.js"].map((file) => page.waitForRequest(`**/${file}`));
      await page.route("**/main.js", async (route) => {
        await Promise.all([engine, worker]);
        await route.continue();
      });
    });
    await opened.finished();
  });

  test("draws the page though the Worker is late", async () => {
    const opened = await open(async (page) => {
      await page.route("**/worker.js", async (route) => {
        await page.locator("canvas.canvas").waitFor();
        await route.continue();
      });
    });
    await opened.finished();
  });

  test("knows the engine though the page's own code comes after it", async () => {
    const opened = await open(async (page) => {
      await page.route("**/main.js", async (route) => {
        await expect.poll(() => page.evaluate("probe.heard.readyAtMs"), PATIENT).toBeGreaterThan(0);
        await route.continue();
      });
    });
    await opened.finished();
    await opened.page.getByRole("button", { name: "Share" }).click();
    const field = opened.page.getByRole("textbox", { name: "Address of this page" });
    await expect.poll(() => field.inputValue(), PATIENT).toContain("#v1/");
    const { hash } = new URL(await field.inputValue());
    const shared = await readAddress(hash, () => Promise.resolve(FIRST_LESSON.scenario));
    expect(shared?.engineVersion).not.toBe("");
  });

  test("without panels says so, and has its picture", async () => {
    const opened = await open(async (page) => {
      await page.route("**/lazy-page-*.js", (route) => route.abort());
    });
    await opened.finished();
    const fault = opened.page.getByRole("alert").getByText("Panels, editor and lessons cannot be loaded");
    await fault.waitFor();
    await opened.page.locator("canvas.canvas").waitFor();
    // Chromium tells of each file that it did not get.
    opened.faults.length = 0;
  });

  test("of a hundred thousand pods says how far it is, and can be stopped", async () => {
    const address = await addressOf(largeScenario(100_000, 5_000, [20_000, 60_000]));
    const opened = await site.open(address);
    const { page } = opened;
    await page.getByText(/· \d+ pods so far/).waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("button", { name: "Play" }).waitFor();
    expect((await opened.heard()).mode).toBe("paused");
  });

  test("without an engine says so", async () => {
    const opened = await open(async (page) => {
      await page.route("**/engine.wasm", (route) => route.fulfill({ status: 404 }));
    });
    await opened.page.getByRole("alert").getByText("engine.wasm: the server answered 404").waitFor();
    opened.faults.length = 0;
  });

  test.each([
    ["WebAssembly", "this browser has no WebAssembly"],
    ["Worker", "this browser has no Web Workers"],
    ["worker.js", "its script worker.js cannot be loaded"],
  ])("without %s says so, and what to do", async (what, message) => {
    const opened = await open(async (page) => {
      if (what === "worker.js") await page.route("**/worker.js", (route) => route.abort());
      else await page.addInitScript(`delete globalThis.${what}`);
    });
    const { page } = opened;
    const fault = page.getByRole("alert");
    await fault.getByText(`Stint cannot start: ${message}`).waitFor();
    expect(await fault.innerText()).toMatch(/Open the page in a current version|Load the page again/);
    expect(await page.getByText("The simulation starts").count()).toBe(0);
    // The next lesson does not wait for ever.
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await fault.getByText(message).waitFor();
    opened.faults.length = 0;
  });
});
