/**
 * Back, Forward, reload and titles in a real browser: each lesson and each recording is an own page, and what is
 * opened again is what was shown.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { View } from "../../../host-browser/history/view.ts";
import { main } from "../../../host-node/cli/program.ts";
import { RecordingConsole } from "../../host-node/cli/recording-console.ts";
import { job, JOBS } from "../../host-node/controlled-cluster.ts";
import { startRecorded } from "../../host-node/flight-recorder/recorded-controller.ts";
import { hasChromium } from "./chromium.ts";
import type { Heard, PlaygroundPage } from "./open-page.ts";
import { Site } from "./site.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const TIMEOUT_MS = 120_000;
const describeInBrowser = describe.skipIf(!hasChromium("test/host-browser/browser/history.e2e.test.ts"));
const site = new Site();

const hashOf = ({ page }: PlaygroundPage): Promise<string> => page.evaluate("location.hash");
const titleOf = ({ page }: PlaygroundPage): Promise<string> => page.locator("#lesson-title").innerText();

describeInBrowser("lessons", { timeout: TIMEOUT_MS }, () => {
  test("are walked with Back and Forward, and name themselves in title and address", async () => {
    const opened = await site.open();
    const { page } = opened;
    await opened.finished();
    await expect.poll(() => hashOf(opened)).toBe("#lesson/one-fails");
    const next = page.getByRole("button", { name: "Next", exact: true });
    // Without waiting: the reader turns pages faster than runs are made.
    await next.click();
    await next.click();
    await expect.poll(() => hashOf(opened)).toBe("#lesson/one-pod");
    expect(await page.title()).toBe("One pod that has to succeed once – Stint playground");
    await page.goBack();
    await expect.poll(() => titleOf(opened)).toBe("The smallest Job");
    expect(await page.title()).toBe("The smallest Job – Stint playground");
    await page.goBack();
    await expect.poll(() => titleOf(opened)).toBe("One piece fails, and is tried again");
    await page.goForward();
    await expect.poll(() => titleOf(opened)).toBe("The smallest Job");
    await expect.poll(() => hashOf(opened)).toBe("#lesson/hello");
    await page.reload();
    await opened.finished();
    expect(await titleOf(opened)).toBe("The smallest Job");
  });

  test("have bookmarks that are reached when the simulation gets there", async () => {
    const opened = await site.open("#lesson/thousand");
    const { page } = opened;
    const last = page.getByRole("button", { name: /^all are done/ });
    await last.click();
    await opened.finished();
    await expect.poll(() => page.getByRole("slider", { name: "Instant" }).inputValue()).toBe("300942");
    expect(await last.getAttribute("aria-current")).toBe("true");
    expect(await last.innerText()).toBe("all are done");
  });
});

describeInBrowser("a bad address", { timeout: TIMEOUT_MS }, () => {
  test("is replaced once it was refused, so a reload does not refuse it again", async () => {
    const opened = await site.open("#lesson/hello");
    const { page } = opened;
    await opened.finished();
    await page.locator("#catalogue li").nth(1).waitFor({ state: "attached" });
    await page.evaluate("location.hash = '#v1/zzzz'");
    await page.getByRole("alert").getByText("This address cannot be opened").waitFor();
    await expect.poll(() => hashOf(opened)).toBe("#lesson/hello");
    expect(await titleOf(opened)).toBe("The smallest Job");
  });
});

describeInBrowser("a recording", { timeout: TIMEOUT_MS }, () => {
  const small = path.join(site.scratch, "small.jsonl");
  const large = path.join(site.scratch, "large.jsonl");
  const record = (file: string, example: string): Promise<unknown> =>
    main(
      ["run", "--runtime", "simulated", "--record", file, path.join(root, example)],
      "0",
      new RecordingConsole(root),
    );
  beforeAll(async () => {
    await record(small, "examples/pod-failure-policy.yaml");
    await record(large, "host-browser/catalogue/manifests/thousand.yaml");
  }, TIMEOUT_MS);

  async function opening(file: string): Promise<{ opened: PlaygroundPage; heard: Heard }> {
    const opened = await site.open();
    const before = await opened.finished();
    await opened.page.getByRole("button", { name: "Import" }).click();
    await opened.page.locator("dialog input[type=file]").setInputFiles(file);
    const heard = await opened.finished(before.run);
    expect(await titleOf(opened)).toBe("A recording");
    return { opened, heard };
  }

  async function conditionsOf({ page }: PlaygroundPage, { nowMs }: Heard): Promise<readonly string[]> {
    const { conditions } = await page.evaluate<View>(`probe.seek(${nowMs})`);
    return conditions.map(({ type, reason }) => `${type} ${reason}`);
  }

  test("is the same after a reload, and for another user with its address", async () => {
    const { opened, heard } = await opening(small);
    const { page } = opened;
    const conditions = await conditionsOf(opened, heard);
    expect(conditions).toContain("Failed PodFailurePolicy");
    await expect.poll(() => hashOf(opened)).toMatch(/^#r1\/[\w-]+\?t=\d+/);
    await page.reload();
    const again = await opened.finished();
    expect(again.digest).toBe(heard.digest);
    expect(await conditionsOf(opened, again)).toEqual(conditions);
    expect(await page.title()).toBe("A recording – Stint playground");

    await page.getByRole("button", { name: "Share" }).click();
    const field = page.getByRole("textbox", { name: "Address of this page" });
    await expect.poll(() => field.inputValue()).toContain("#r1/");
    const other = await site.open(new URL(await field.inputValue()).hash);
    expect((await other.finished()).digest).toBe(heard.digest);
  });

  test("may be a segment of the flight recorder, and opens at the Job that failed", async () => {
    const folder = path.join(site.scratch, "flight");
    mkdirSync(folder);
    const recorded = await startRecorded({ folder });
    recorded.create(JOBS, job("succeeds", { completions: 2 }, { runMs: 3_000 }));
    recorded.create(JOBS, job("fails", { backoffLimit: 0 }, { runMs: 2_000, exitCode: 3 }));
    await recorded.advance(60_000);
    await recorded.close();
    const { opened } = await opening(path.join(folder, "flight-00000001.jsonl"));
    const { page } = opened;
    await page.getByText(/^The Job failed at/).waitFor();
    expect(await page.getByRole("combobox", { name: "Job" }).locator("option:checked").innerText()).toMatch(/fails$/);
  });

  test("that is too large for an address says so, offers its file, and survives a reload here", async () => {
    const { opened, heard } = await opening(large);
    const { page } = opened;
    await expect.poll(() => hashOf(opened)).toMatch(/^#kept\/[0-9a-f]{16}/);
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByText("This recording is too large for an address").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the recording" }).click();
    expect((await download).suggestedFilename()).toBe("stint.jsonl");
    await page.reload();
    expect((await opened.finished()).digest).toBe(heard.digest);

    const elsewhere = await site.open(await hashOf(opened));
    await elsewhere.finished();
    await elsewhere.page.getByRole("alert").getByText("this browser does not keep it").waitFor();
  });
});
