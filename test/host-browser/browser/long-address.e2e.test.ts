/** An address that gets too long for some programs: it is said where it happens, and a file takes its place. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hasChromium } from "./chromium.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;
/** Text that nothing can squeeze: the digits of the powers of 3. */
const NOISE = Array.from({ length: 60 }, (_, i) => `# ${(3n ** BigInt(300 + i)).toString(36)}`).join("\n");

describe.skipIf(!hasChromium("test/host-browser/browser/long-address.e2e.test.ts"))("a long address", () => {
  const site = new Site();

  test(
    "is noticed when it changes, and the scenario is saved and opened as a file",
    { timeout: TIMEOUT_MS },
    async () => {
      const opened = await site.open();
      const { run } = await opened.finished();
      const { page } = opened;
      const notice = page.locator(".notice");
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+Home");
      await page.keyboard.insertText(`${NOISE}\n`);
      expect(await notice.count()).toBe(0);
      await page.keyboard.press("Control+Enter");
      const { digest } = await opened.finished(run);
      await notice.waitFor();
      const told = Number(/is (\d+) characters long/.exec(await notice.innerText())![1]);
      expect(told).toBe(page.url().length);
      expect(told).toBeGreaterThan(2_000);

      const waiting = page.waitForEvent("download");
      await notice.getByRole("button", { name: "Download the scenario" }).press("Enter");
      const file = await (await waiting).path();
      expect(JSON.parse(readFileSync(file, "utf8")).scenario.yaml).toContain(NOISE);
      await notice.getByRole("button", { name: "Close this notice" }).press("Enter");
      await notice.waitFor({ state: "detached" });
      expect(await page.evaluate("document.activeElement.id")).toBe("tab-status");

      const other = await site.open();
      const first = await other.finished();
      await other.page.getByRole("button", { name: "Import" }).click();
      const buffer = readFileSync(file);
      const upload = { name: "stint-scenario.json", mimeType: "application/json", buffer };
      await other.page.locator("dialog input[type=file]").setInputFiles(upload);
      expect((await other.finished(first.run)).digest).toBe(digest);
      await other.page.getByRole("heading", { name: "Your own scenario" }).waitFor();
      await other.page.locator(".notice").waitFor();
    },
  );
});
