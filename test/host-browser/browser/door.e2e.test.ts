/**
 * The door in a browser: a pasted text is explained, its remedy tried, a dropped file taken; by keys, on a phone; and
 * nothing leaves the page.
 */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { played, printed } from "../door/played.ts";
import { axeFaults, GRAVE } from "./axe.ts";
import { hasChromium } from "./chromium.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
];
let failed: string;

/** Drops a file of this text on the page, as a browser does. */
async function dropFile(page: Page, text: string, name: string): Promise<boolean> {
  return page.evaluate(
    `(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
      const made = (type) => new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true });
      const over = made("dragover");
      document.querySelector("main").dispatchEvent(over);
      document.querySelector("main").dispatchEvent(made("drop"));
      return over.defaultPrevented;
    })()`,
  );
}

describe.skipIf(!hasChromium("test/host-browser/browser/door.e2e.test.ts"))("the door", { timeout: TIMEOUT_MS }, () => {
  const site = new Site();
  beforeAll(async () => {
    failed = printed((await played("memory-limit"))!, "yaml");
  }, TIMEOUT_MS);

  test.each(SIZES.map((viewport) => [viewport.width, viewport] as const))(
    "explains a failed Job and tries its remedy, by keys, at %i px",
    async (width, viewport) => {
      const opened = await site.open("", { viewport });
      const { page } = opened;
      const { run } = await opened.finished();
      const requests: string[] = [];
      page.on("request", (request) =>
        requests.push(`${request.method()} ${request.url()} ${request.postData() ?? ""}`),
      );
      await page.getByRole("button", { name: "Explain your Job" }).press("Enter");
      const text = page.getByRole("textbox", { name: "Text", exact: true });
      await text.fill(failed);
      expect(await axeFaults(page, GRAVE)).toEqual([]);
      await page.getByRole("dialog").getByRole("button", { name: "Explain", exact: true }).press("Enter");
      const lines = page.locator(".answer-lines");
      await expect.poll(() => lines.innerText()).toContain("container ffmpeg was killed for want of memory");
      expect(await page.locator("#lesson-title").innerText()).toBe("convert: Failed");
      expect(await lines.innerText()).toContain("BackoffLimit is 2, and 3 pods have failed.");
      await page.getByText(/^Reconstructed: /).waitFor();
      const first = await opened.finished(run);
      expect(await axeFaults(page, GRAVE)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      await page.getByRole("button", { name: "Show the change" }).press("Enter");
      expect(await page.locator(".diff").textContent()).toMatch(/added: \+ +memory: "1024Mi"/);
      expect(await axeFaults(page, GRAVE)).toEqual([]);
      await page.getByRole("button", { name: "Run with this change" }).press("Enter");
      await opened.finished(first.run);
      await page.getByText("The pods are taken to succeed with it").waitFor();
      await page.getByRole("button", { name: "Run without it again" }).waitFor();
      // Of the page's own files alone, and without a body.
      const foreign = requests.filter(
        (request) => !request.startsWith(`GET ${site.server.url}`) || !request.endsWith(" "),
      );
      expect(foreign).toEqual([]);
      expect(requests.filter((request) => /[?&]/.test(request))).toEqual([]);
    },
  );

  test("takes a dropped file, and refuses with one sentence what it cannot read", async () => {
    const opened = await site.open();
    const { page } = opened;
    await opened.finished();
    expect(await dropFile(page, failed, "incident.yaml")).toBe(true);
    await expect.poll(() => page.locator("#lesson-title").innerText()).toBe("convert: Failed");
    expect(await dropFile(page, "NAME   STATUS   COMPLETIONS\npi     Failed   0/1\n", "jobs.txt")).toBe(true);
    const alert = page.locator("dialog [role=alert]");
    await expect
      .poll(() => alert.innerText())
      .toBe(
        "jobs.txt cannot be explained: this is the table that kubectl get prints; add `-o yaml`: `kubectl get job,pods,events -o yaml`.",
      );
    await page.keyboard.press("Escape");
    expect(await page.locator("#lesson-title").innerText()).toBe("convert: Failed");
  });

  test("ten megabytes are refused, and the page goes on meanwhile", async () => {
    const opened = await site.open();
    const { page } = opened;
    await opened.finished();
    await page.getByRole("button", { name: "Explain your Job" }).click();
    await page.getByRole("textbox", { name: "Text", exact: true }).waitFor();
    const longest = await page.evaluate<number>(
      `(async () => {
        const text = "apiVersion: batch/v1\\nkind: Job\\n" + "# filler\\n".repeat(1_200_000);
        const data = new DataTransfer();
        data.setData("text/plain", text);
        let last = performance.now(), longest = 0, isOver = false;
        const watch = () => { const now = performance.now(); longest = Math.max(longest, now - last); last = now;
          if (!isOver) setTimeout(watch, 0); };
        watch();
        document.querySelector(".door-text textarea").dispatchEvent(
          new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        while (document.querySelector("dialog [role=alert]") === null) await new Promise((done) => setTimeout(done, 10));
        isOver = true;
        return longest;
      })()`,
    );
    expect(await page.locator("dialog [role=alert]").innerText()).toContain("allowed are 4194304");
    expect(longest).toBeLessThan(2_000);
  });
});
