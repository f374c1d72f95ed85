/** A list longer than a page, by keys alone: how many rows there are is said, and each can be reached. */
import { describe, expect, test } from "vitest";
import type { View } from "../../../host-browser/history/view.ts";
import { DEFAULT_NODES } from "../../../cluster/simulation/scenario.ts";
import { hasChromium } from "./chromium.ts";
import { addressOf } from "./open-page.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;
const JOB = `apiVersion: batch/v1
kind: Job
metadata: { name: many }
spec:
  completions: 150
  parallelism: 50
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: busybox }]
`;

describe.skipIf(!hasChromium("test/host-browser/browser/lists.e2e.test.ts"))("a long list", () => {
  const site = new Site();

  test("has pages, and the focus stays on the way through them", { timeout: TIMEOUT_MS }, async () => {
    const scenario = { yaml: JOB, seed: 1, nodes: DEFAULT_NODES, outcomes: [], inputs: [] };
    const opened = await site.open(await addressOf(scenario));
    const { nowMs } = await opened.finished();
    const { page } = opened;
    await page.locator("#tab-events").press("Enter");
    const { eventCount: count } = await page.evaluate<View>(`probe.seek(${nowMs})`);
    expect(count).toBeGreaterThan(400);
    const pager = page.getByRole("navigation", { name: "Pages of the Events" });
    const shown = async (): Promise<readonly number[]> =>
      /(\d+)–(\d+) of (\d+)/
        .exec(await pager.innerText())!
        .slice(1)
        .map(Number);
    await expect.poll(shown).toEqual([1, 200, count]);
    expect(await page.locator("#tab-events .count").innerText()).toBe(String(count));
    const press = (name: string): Promise<void> => pager.getByRole("button", { name, exact: true }).press("Enter");
    const rows = page.locator("#panel tbody tr");
    await press("Older");
    await expect.poll(shown).toEqual([201, 400, count]);
    await press("Oldest");
    await expect.poll(shown).toEqual([401, count, count]);
    expect(await rows.count()).toBe(count - 400);
    await press("Older");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Older");
    expect(await pager.getByRole("button", { name: "Older" }).getAttribute("aria-disabled")).toBe("true");
    await press("Newest");
    await expect.poll(shown).toEqual([1, 200, count]);
    // Another instant has a separate list.
    await press("Older");
    await expect.poll(shown).toEqual([201, 400, count]);
    await rows.first().locator(".time button").press("Enter");
    await expect.poll(async () => (await shown())[0]).toBe(1);
  });
});
