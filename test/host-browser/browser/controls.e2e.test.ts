/** Where the focus is, what an embedded page says, and what an address does to an open page, in a real browser. */
import { describe, expect, test } from "vitest";
import { DEFAULT_NODES } from "../../../cluster/simulation/scenario.ts";
import { hasChromium } from "./chromium.ts";
import { addressOf, type PlaygroundPage } from "./open-page.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;
const NARROW = { viewport: { width: 1000, height: 800 } };
const JOB = `apiVersion: batch/v1
kind: Job
metadata: { name: mine }
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: busybox }]
`;

const describeInBrowser = describe.skipIf(!hasChromium("test/host-browser/browser/controls.e2e.test.ts"));
const site = new Site();

const focused = ({ page }: PlaygroundPage): Promise<string> =>
  page.evaluate("document.activeElement.className || document.activeElement.localName");

describeInBrowser("the page", { timeout: TIMEOUT_MS }, () => {
  test("that is embedded says that its address cannot be opened", async () => {
    const { page } = await site.open("?embed=1#v1/nonsense");
    await page.getByRole("alert").getByText("This address cannot be opened").waitFor();
  });

  test("gives the focus back when the drawer of lessons is closed", async () => {
    const opened = await site.open("", NARROW);
    await opened.finished();
    const { page } = opened;
    const button = page.getByRole("button", { name: "Lessons", exact: true });
    await button.click();
    await page.locator(".catalogue [aria-current]").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(opened)).toContain("lessons-button");
  });

  test("shows a line of the manifest while the world is open, with the cursor in it", async () => {
    const opened = await site.open();
    await opened.finished();
    const { page } = opened;
    await page.locator(".editor").waitFor();
    await opened.enterRows();
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: "The world" }).click();
    await page
      .getByRole("tabpanel")
      .getByRole("button", { name: /^line / })
      .first()
      .click();
    await expect.poll(() => focused(opened)).toBe("editor");
    await page.getByRole("tab", { name: "The world" }).click();
    await page.getByRole("tab", { name: "The Job" }).click();
    await page.locator(".editor").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("pane-manifest");
  });

  test("opens an address that replaces the current one, and its skip link leaves the address alone", async () => {
    const opened = await site.open();
    const { run } = await opened.finished();
    const { page } = opened;
    await page.waitForURL(/#lesson\/one-fails/);
    await page.locator("a.skip").press("Enter");
    await expect.poll(() => focused(opened)).toBe("canvas");
    expect(page.url()).toContain("#lesson/one-fails");
    const scenario = { yaml: JOB, seed: 1, nodes: DEFAULT_NODES, outcomes: [], inputs: [] };
    await page.evaluate(`location.hash = ${JSON.stringify(await addressOf(scenario))}`);
    await opened.finished(run);
    await page.getByRole("heading", { name: "Your own scenario" }).waitFor();
    await page.getByText("job/mine").waitFor();
  });

  test("stops a run that would never end, says so, and shows it up to there", async () => {
    const yaml = `${JOB}  backoffLimit: 2147483647\n`.replace(
      "    spec:\n",
      `    metadata: { annotations: { stint.dev/simulate: '{"exitCode": 1}' } }\n    spec:\n`,
    );
    const scenario = { yaml, seed: 1, nodes: DEFAULT_NODES, outcomes: [], inputs: [] };
    const opened = await site.open(await addressOf(scenario));
    const { page } = opened;
    const { nowMs, pods } = await opened.finished();
    await page.getByText(/The run was stopped here: it would never end\. For 3 days pods have failed/).waitFor();
    expect(pods).toBeGreaterThan(300);
    expect(nowMs).toBeGreaterThan(3 * 86_400_000);
    await page.getByRole("button", { name: /To the newest instant/ }).click();
    expect(Number(await page.getByRole("slider", { name: "Instant" }).inputValue())).toBe(Math.round(nowMs));
    await page.getByText("The picture as a table").click();
    await page.locator(".picture-table tbody tr").first().waitFor();
  });

  test("keeps the focus near a control that goes away when it is pressed", async () => {
    const opened = await site.open();
    const { run } = await opened.finished();
    const { page } = opened;
    await page.getByRole("tab", { name: "The world" }).click();
    await page.getByLabel("Count of group 1").fill("2x");
    expect(await page.getByLabel("Count of group 1").inputValue()).toBe("2");
    await page.getByRole("button", { name: "Run with these" }).press("Enter");
    await opened.finished(run);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Add a group");
    await page.getByRole("button", { name: "Forget the shadow" }).press("Enter");
    await page.locator(".ghost").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Fold idle time");
  });
});

describeInBrowser("the picture", { timeout: TIMEOUT_MS }, () => {
  test("takes its tip away with Escape and when it loses the focus", async () => {
    const opened = await site.open();
    await opened.finished();
    const { page } = opened;
    const canvas = page.locator("canvas.canvas");
    await opened.enterRows();
    await page.keyboard.press("Escape");
    await page.locator("#hover").waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await page.locator("#hover").waitFor();
    await canvas.blur();
    await page.locator("#hover").waitFor({ state: "detached" });
  });

  test("takes its tip away when a click goes nearer", async () => {
    const yaml = JOB.replace("spec:\n", "spec:\n  completionMode: Indexed\n  completions: 90\n  parallelism: 90\n");
    const scenario = { yaml, seed: 1, nodes: DEFAULT_NODES, outcomes: [], inputs: [] };
    const opened = await site.open(await addressOf(scenario));
    await opened.finished();
    const { page } = opened;
    await page.locator(".picture-table").waitFor();
    const { x, y } = (await page.locator("canvas.canvas").boundingBox())!;
    await page.mouse.move(x + 300, y + 200);
    await page.locator("#hover").waitFor();
    await page.mouse.click(x + 300, y + 200);
    await page.getByRole("button", { name: "All indexes" }).waitFor();
    await page.locator("#hover").waitFor({ state: "detached" });
  });

  test("shows the reason of what is picked in it, also below the window, and marks whole lines", async () => {
    const opened = await site.open();
    await opened.finished();
    const { page } = opened;
    await page.locator("#tab-status").waitFor();
    // Each line is below the one before.
    const tops = await page.evaluate<number[]>(
      "[...document.querySelectorAll('#panel .yaml > *')].map((line) => line.getBoundingClientRect().top)",
    );
    expect(tops.length).toBeGreaterThan(5);
    expect(tops.filter((top, i) => i > 0 && top <= tops[i - 1]!)).toEqual([]);
    await page.evaluate("scrollTo(0, 0)");
    await opened.enterRows();
    await page.keyboard.press("Enter");
    const says = page.locator("#panel .says");
    await says.waitFor();
    const isSeen = "document.querySelector('#panel .says').getBoundingClientRect().bottom < innerHeight";
    await expect.poll(() => page.evaluate(isSeen)).toBe(true);
  });

  test("does not scroll the page while a menu is opened in it, whose object the menu knows", async () => {
    const opened = await site.open();
    await opened.finished();
    const { page } = opened;
    await page.locator("#tab-status").waitFor();
    // The bar of the second attempt, in a window that is not high enough for a reason.
    await page.locator("canvas.canvas").click({ button: "right", position: { x: 465, y: 250 } });
    await page.getByRole("group", { name: /^Pod one-fails-4-/ }).waitFor();
    expect(await page.evaluate("scrollY")).toBe(0);
    expect(await page.locator("#tab-status").getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("Escape");
    await page.keyboard.press("w");
    await page
      .locator("#panel .says")
      .getByText(/^Pod one-fails-4-/)
      .waitFor();
  });
});
