/**
 * The focus is never lost: whatever is opened, closed, removed or asked for by keys alone, something that can be seen
 * has the focus afterwards, and it is what the reader would expect.
 */
import { describe, expect, test } from "vitest";
import type { Scenario } from "../../../cluster/simulation/scenario.ts";
import { FIRST_LESSON } from "../../../host-browser/catalogue/first-lesson.ts";
import { hasChromium } from "./chromium.ts";
import { addressOf, type PlaygroundPage } from "./open-page.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;
const NARROW = { viewport: { width: 1000, height: 900 } };

/** What has the focus: its label, its text or its tag; empty: nothing that can be seen. */
const FOCUSED = `(() => {
  const { activeElement: it } = document;
  if (it === null || it === document.body || it.getClientRects().length === 0) return "";
  return it.getAttribute("aria-label") ?? (it.id.startsWith("tab-") ? it.id : it.textContent.trim() || it.localName);
})()`;

const describeInBrowser = describe.skipIf(!hasChromium("test/host-browser/browser/focus.e2e.test.ts"));
const site = new Site();

const focused = ({ page }: PlaygroundPage): Promise<string> => page.evaluate<string>(FOCUSED);
const stays = (opened: PlaygroundPage, where: string): Promise<void> =>
  expect.poll(() => focused(opened), { message: `after ${where}` }).not.toBe("");

describeInBrowser("the focus after a dialog, a menu or a drawer", { timeout: TIMEOUT_MS }, () => {
  test.each([
    ["Import", "Escape"],
    ["Export", "Escape"],
    ["Share", "Escape"],
    ["Keys and help", "Escape"],
    ["Import", "Close"],
    ["Export", "Close"],
    ["Share", "Close"],
    ["Keys and help", "Close"],
  ])("goes back to “%s” when its dialog is closed by %s", async (name, how) => {
    const opened = await site.open();
    await opened.finished();
    const { page } = opened;
    await page.getByRole("button", { name, exact: true }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true);
    if (how === "Escape") await page.keyboard.press("Escape");
    else await dialog.getByRole("button", { name: "Close" }).press("Enter");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => focused(opened)).toBe(name);
  });

  test("goes from one dialog to the next, and back to where the first was asked for", async () => {
    const opened = await site.open();
    await opened.finished();
    const { page } = opened;
    await page.getByRole("button", { name: "Share", exact: true }).press("Enter");
    await page.getByRole("button", { name: "Export a file" }).press("Enter");
    await page.getByRole("heading", { name: "Export" }).waitFor();
    expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => focused(opened)).toBe("Share");
  });

  test("goes to the page when a dialog was asked for by a key alone", async () => {
    const opened = await site.open();
    await opened.finished();
    const { page } = opened;
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await stays(opened, "the keys were closed");
    await page.keyboard.press("b");
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("Escape");
    await stays(opened, "the menu was closed");
  });

  test("goes back from the drawer of lessons, also when one is chosen there", async () => {
    const opened = await site.open("", NARROW);
    const { run } = await opened.finished();
    const { page } = opened;
    await page.getByRole("button", { name: "Lessons", exact: true }).press("Enter");
    await page.getByRole("button", { name: "The smallest Job" }).press("Enter");
    await opened.finished(run);
    await expect.poll(() => focused(opened)).toBe("Lessons");
    await page.getByRole("button", { name: "Lessons", exact: true }).press("Enter");
    await page.locator(".catalogue").getByRole("button", { name: "Close" }).press("Enter");
    await expect.poll(() => focused(opened)).toBe("Lessons");
  });
});

describeInBrowser("the focus while the page changes", { timeout: TIMEOUT_MS }, () => {
  test("stays when the past is changed from the menu, and branches are switched and forgotten", async () => {
    const opened = await site.open();
    const { run } = await opened.finished();
    const { page } = opened;
    await page.getByRole("button", { name: "Break it" }).press("Enter");
    await page.getByRole("menuitem").first().press("Enter");
    const forked = await opened.finished(run);
    await expect.poll(() => focused(opened)).toBe("Break it");
    await page.getByRole("button", { name: "Switch" }).press("Enter");
    await opened.finished(forked.run);
    await stays(opened, "the branches were switched");
    await page.getByRole("button", { name: "Forget the shadow" }).press("Enter");
    await stays(opened, "the shadow was forgotten");
  });

  test("goes to the neighbour when what was done is undone, and to the heading in the end", async () => {
    const { scenario } = FIRST_LESSON;
    const inputs: Scenario["inputs"] = [
      { atMs: 1_000, action: { kind: "cordon", node: "node-1" } },
      { atMs: 2_000, action: { kind: "cordon", node: "node-2" } },
      { atMs: 3_000, action: { kind: "uncordon", node: "node-1" } },
    ];
    const opened = await site.open(await addressOf({ ...scenario, inputs }));
    let { run } = await opened.finished();
    const { page } = opened;
    await page.getByRole("tab", { name: "The world" }).press("Enter");
    const undo = async (name: string): Promise<void> => {
      await page.getByRole("button", { name: `Undo: ${name}` }).press("Enter");
      ({ run } = await opened.finished(run));
    };
    await undo("cordon node/node-1");
    await expect.poll(() => focused(opened)).toBe("Undo: cordon node/node-2");
    await undo("uncordon node/node-1");
    await expect.poll(() => focused(opened)).toBe("Undo: cordon node/node-2");
    await undo("cordon node/node-2");
    await expect.poll(() => focused(opened)).toBe("What was done to it");
  });

  test("goes to the panel that opens when something in another one is pressed", async () => {
    const opened = await site.open();
    await opened.finished();
    const { page } = opened;
    // There the Job has conditions.
    await page.keyboard.press("End");
    const press = async (tab: string, control: string): Promise<void> => {
      await page.locator(`#tab-${tab}`).press("Enter");
      await page.locator(`#panel ${control}`).first().press("Enter");
    };
    for (const [tab, control, to] of [
      ["status", ".changed", "why"],
      ["status", ".yaml button:not(.changed)", "why"],
      ["conditions", ".chip", "why"],
      ["events", ".chip", "why"],
      ["decisions", ".chip", "why"],
      ["requests", ".chip", "why"],
      ["get", "table:last-of-type button.link", "describe"],
    ] as const) {
      await press(tab, control);
      await page.locator(`#tab-${to}[aria-selected="true"]`).waitFor();
      await stays(opened, `${control} of ${tab}`);
      expect(await focused(opened)).toBe(`tab-${to}`);
      if (to !== "why") continue;
      await page.locator("#panel .back").press("Enter");
      await page.locator(`#tab-${tab}[aria-selected="true"]`).waitFor();
      await expect.poll(() => page.evaluate("document.activeElement.closest('#panel') !== null")).toBe(true);
      await stays(opened, `the way back to ${tab}`);
    }
    await page.getByRole("button", { name: "the Job instead" }).press("Enter");
    await stays(opened, "the Job instead");
    // An instant in a row of each list, and in the reason.
    for (const tab of ["conditions", "events", "decisions", "requests", "why"]) {
      await press("decisions", ".chip");
      await page.keyboard.press("End");
      await press(tab, ".time");
      await page.evaluate("probe.rest()");
      await stays(opened, `an instant of ${tab}`);
    }
  });

  test("stays in the world when groups and lines are added and removed", async () => {
    const opened = await site.open();
    await opened.finished();
    const { page } = opened;
    await page.getByRole("tab", { name: "The world" }).press("Enter");
    for (const [add, remove] of [
      ["Add a group", "Remove group"],
      ["Add a line", "Remove line"],
    ] as const) {
      await page.getByRole("button", { name: add }).press("Enter");
      await page.getByRole("button", { name: add }).press("Enter");
      const buttons = page.getByRole("button", { name: new RegExp(`^${remove}`) });
      while ((await buttons.count()) > 0) {
        const before = await buttons.count();
        await buttons.first().press("Enter");
        await expect.poll(() => buttons.count()).toBe(before - 1);
        await stays(opened, `${remove}, with ${before - 1} left`);
      }
    }
  });

  test("stays in the text when the editor takes the place of the field", async () => {
    const opened = await site.open();
    const { page } = opened;
    await page.locator("textarea.editor-field, .cm-content").first().focus();
    await page.locator(".cm-content").waitFor();
    await opened.finished();
    await stays(opened, "the editor came");
  });
});
