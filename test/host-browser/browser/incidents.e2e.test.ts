/** The incidents of the page: found by words, played, explained and repaired; by keys, and on a phone. */
import { describe, expect, test } from "vitest";
import { axeFaults, GRAVE } from "./axe.ts";
import { hasChromium } from "./chromium.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
];

describe.skipIf(!hasChromium("test/host-browser/browser/incidents.e2e.test.ts"))(
  "the incidents",
  { timeout: TIMEOUT_MS },
  () => {
    const site = new Site();

    test.each(SIZES.map((viewport) => [viewport.width, viewport] as const))(
      "are found, played and repaired by keys, at %i px",
      async (width, viewport) => {
        const opened = await site.open("", { viewport });
        const { page } = opened;
        const { run } = await opened.finished();
        await page.locator(".lessons-button").press("Enter");
        await page.getByRole("button", { name: "Incidents", exact: true }).press("Enter");
        await page.getByRole("searchbox", { name: "Search" }).fill("memory 137");
        await expect.poll(() => page.locator("#incident-list [role=status]").innerText()).toMatch(/^[1-9] of \d\d$/);
        expect(await axeFaults(page, GRAVE)).toEqual([]);
        await page.getByRole("button", { name: /^The memory limit is below/ }).press("Enter");
        const broken = await opened.finished(run);
        expect(await page.locator("#lesson-title").innerText()).toBe(
          "The memory limit is below what the program needs",
        );
        await page.locator('#tab-account[aria-selected="true"]').waitFor();
        const ofJob = page.locator("#panel .account-of-job");
        await expect.poll(() => ofJob.innerText()).toContain("was killed for want of memory");
        expect(await ofJob.innerText()).toMatch(/To do: raise/);
        await page.getByRole("button", { name: "Show the cause" }).press("Enter");
        expect(await page.locator(".answer").innerText()).toMatch(/^OutOfMemory: container ffmpeg\. Raise the limit/);
        expect(await axeFaults(page, GRAVE)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        await page.getByRole("button", { name: "Apply the remedy and run again" }).press("Enter");
        await opened.finished(broken.run);
        await expect.poll(() => ofJob.innerText()).toContain("The Job has succeeded");
        await page.getByRole("button", { name: "Run it again without the remedy" }).waitFor();
      },
    );

    test("say what plays those that the page has no room for, and go when a lesson is opened", async () => {
      const opened = await site.open();
      const { page } = opened;
      await opened.finished();
      await page.locator(".lessons-button").click();
      await page.getByRole("button", { name: "Incidents", exact: true }).click();
      await page.getByRole("searchbox", { name: "Search" }).fill("no such words");
      await page.getByText("No incident has these words.").waitFor();
      await page.getByRole("searchbox", { name: "Search" }).fill("cron-suspended");
      await page.getByRole("button", { name: /^The CronJob is suspended/ }).click();
      await page.getByText("stint incident cron-suspended").waitFor();
      expect(await page.getByRole("button", { name: /remedy/ }).count()).toBe(0);
      await page.locator(".lessons-button").click();
      await page.getByRole("button", { name: "The smallest Job" }).click();
      await expect.poll(() => page.locator("#lesson-title").innerText()).toBe("The smallest Job");
    });
  },
);
