/** The panel that says who ended each pod: the engine that knows it comes after the first picture. */
import { describe, expect, test } from "vitest";
import { FIRST_LESSON } from "../../../host-browser/catalogue/first-lesson.ts";
import type { View } from "../../../host-browser/history/view.ts";
import { hasChromium } from "./chromium.ts";
import { addressOf } from "./open-page.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 60_000;

describe.skipIf(!hasChromium("test/host-browser/browser/account.e2e.test.ts"))("the panel Account", () => {
  const site = new Site();

  test("has a row for each pod, with its end and the way to its reason", { timeout: TIMEOUT_MS }, async () => {
    const opened = await site.open();
    const { nowMs, pods } = await opened.finished();
    const { page } = opened;
    await page.locator("#tab-account").press("Enter");
    const { account } = await page.evaluate<View>(`probe.seek(${nowMs})`);
    expect(account!.rows).toHaveLength(pods);
    const failed = account!.rows.find(({ endedBy }) => endedBy === "Exited")!;
    const row = page.locator("#panel tbody tr", { hasText: failed.pod });
    await expect.poll(() => row.locator(".message").innerText()).toBe(failed.sentence);
    await row.getByRole("button", { name: `Why: ${failed.pod}` }).press("Enter");
    await page.locator("#panel dt", { hasText: "Ended by" }).waitFor();
    expect(await page.locator("#panel .says").innerText()).toContain(failed.sentence.slice(1));
    await page.locator("#panel .back").press("Enter");
    await row.getByRole("button", { name: failed.pod, exact: true }).press("Enter");
    await page.locator('#tab-describe[aria-selected="true"]').waitFor();
    expect(await page.locator("#panel .prompt").innerText()).toContain(`kubectl describe pod ${failed.pod}`);
  });

  test("is in the address, and no reader of another panel waits for it", { timeout: TIMEOUT_MS }, async () => {
    const opened = await site.open();
    await opened.finished();
    expect(await opened.page.evaluate<View>("probe.seek(1000)")).not.toHaveProperty("account");
    const url = await addressOf(FIRST_LESSON.scenario, 4_000, "account");
    const again = await site.open(url);
    await again.page.locator('#tab-account[aria-selected="true"]').waitFor();
    await again.page.locator("#panel tbody tr").first().waitFor();
  });
});
