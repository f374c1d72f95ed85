/**
 * The past is changed in a real browser: break-it, a fork with its ghost, another manifest; and all of it goes into an
 * address and comes back, and a recording is stepped through.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { View } from "../../../host-browser/history/view.ts";
import { DEFAULT_NODES } from "../../../cluster/simulation/scenario.ts";
import { main } from "../../../host-node/cli/program.ts";
import { RecordingConsole } from "../../host-node/cli/recording-console.ts";
import { hasChromium } from "./chromium.ts";
import { addressOf, type Heard, type PlaygroundPage } from "./open-page.ts";
import { Site } from "./site.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const TIMEOUT_MS = 120_000;
const JOB = `apiVersion: batch/v1
kind: Job
metadata: { name: mine }
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: busybox }]
`;

const describeInBrowser = describe.skipIf(!hasChromium("test/host-browser/browser/changes.e2e.test.ts"));
const site = new Site();

async function addressIn({ page }: PlaygroundPage): Promise<string> {
  await page.getByRole("button", { name: "Share" }).click();
  const field = page.getByRole("textbox", { name: "Address of this page" });
  await expect.poll(() => field.inputValue()).toContain("#v1/");
  const address = await field.inputValue();
  await page.keyboard.press("Escape");
  return address;
}

async function endOf({ page }: PlaygroundPage, { nowMs }: Heard): Promise<readonly string[]> {
  const { conditions } = await page.evaluate<View>(`probe.seek(${nowMs})`);
  return conditions.map(({ type, reason }) => `${type} ${reason}`);
}

describeInBrowser("the past", { timeout: TIMEOUT_MS }, () => {
  test("is changed with break-it: the page forks, keeps the old branch as a ghost, and can go back to it", async () => {
    const opened = await site.open();
    const { page } = opened;
    const before = await opened.finished();
    await page.evaluate("probe.seek(4000)");
    await page.getByRole("button", { name: "Break it" }).click();
    await page.getByRole("menuitem", { name: /Suspend it/ }).click();
    const after = await opened.finished(before.run);
    expect(after.digest).not.toBe(before.digest);
    const view = await page.evaluate<View>(`probe.seek(${after.nowMs})`);
    expect(view.conditions.map(({ type }) => type)).toContain("Suspended");
    const early = await page.evaluate<View>("probe.seek(3900)");
    expect(early.conditions).toEqual([]);
    await page.locator(".ghost").waitFor();
    await page.locator(".ghost button").first().click();
    expect((await opened.finished(after.run)).digest).toBe(before.digest);
  });

  test("is changed at a node and at the controller, by keys and by the table beside the canvas", async () => {
    const opened = await site.open();
    const { page } = opened;
    const before = await opened.finished();
    await page.evaluate("probe.seek(4000)");
    await page.getByText("The picture as a table").waitFor();
    await page.locator("canvas.canvas").focus();
    // Into the rows, up to the header, and on to the last node.
    for (const key of ["ArrowDown", "ArrowUp", "ArrowUp"]) await page.keyboard.press(key);
    await expect.poll(() => page.locator("#hover").textContent()).toMatch(/^node-3: ready/);
    await page.keyboard.press("b");
    await page.getByRole("menuitem", { name: /Drain it/ }).press("Enter");
    const drained = await opened.finished(before.run);
    expect(drained.digest).not.toBe(before.digest);
    await page.getByText("The picture as a table").click();
    const row = page.getByRole("row", { name: /^node-3 cordoned/ });
    await row.waitFor();
    await page.getByRole("button", { name: "controller", exact: true }).click();
    expect(await page.getByRole("menuitem").allTextContents()).toHaveLength(4);
    await page.getByRole("menuitem", { name: /Restart the controller/ }).click();
    const restarted = await opened.finished(drained.run);
    expect(restarted.digest).not.toBe(drained.digest);
    expect(opened.faults).toEqual([]);
  });

  test("never had a node for a pod, by the menu of its bar", async () => {
    const opened = await site.open();
    const { page } = opened;
    const before = await opened.finished();
    await page.evaluate("probe.seek(4000)");
    await page.getByText("The picture as a table").click();
    await page.locator(".picture-table tbody .name").filter({ hasText: "one-fails-0-" }).click();
    await page.getByRole("button", { name: "Break it" }).click();
    await page.getByRole("menuitem", { name: /Never schedule it/ }).click();
    const after = await opened.finished(before.run);
    const view = await page.evaluate<View>(`probe.seek(${after.nowMs})`);
    expect(view.podTable.rows.find(([name]) => name!.startsWith("one-fails-0-"))?.slice(1, 3)).toEqual([
      ...["0/1", "Pending"],
    ]);
  });

  describe("of production", () => {
    const scratch = mkdtempSync(path.join(tmpdir(), "stint-import-"));
    const file = path.join(scratch, "production.jsonl");
    beforeAll(async () => {
      const example = path.join(root, "examples/pod-failure-policy.yaml");
      await main(["run", "--runtime", "simulated", "--record", file, example], "0", new RecordingConsole(root));
    });
    afterAll(() => rmSync(scratch, { recursive: true, force: true }));

    test("is imported from a recording, and stepped through decision by decision", async () => {
      const opened = await site.open();
      const { page } = opened;
      const before = await opened.finished();
      await page.getByRole("button", { name: "Import" }).click();
      await page.locator("dialog input[type=file]").setInputFiles(file);
      const after = await opened.finished(before.run);
      expect(after.pods).toBe(3);
      await page.getByText("Recorded from").waitFor();
      await page.getByRole("heading", { name: "A recording" }).waitFor();
      const end = await page.evaluate<View>(`probe.seek(${after.nowMs})`);
      expect(end.conditions.map(({ type, reason }) => `${type} ${reason}`)).toContain("Failed PodFailurePolicy");
      await page.evaluate("probe.seek(0)");
      await page.getByRole("button", { name: /next decision/ }).click();
      await expect
        .poll(async () => Number(await page.getByRole("slider", { name: "Instant" }).inputValue()))
        .toBeGreaterThan(0);
    });
  });
});

describeInBrowser("the address of a run", { timeout: TIMEOUT_MS }, () => {
  test("has everything that was done, and opens the same run", async () => {
    const opened = await site.open();
    const before = await opened.finished();
    await opened.page.evaluate("probe.seek(8000)");
    await opened.page.getByRole("button", { name: "Break it" }).click();
    await opened.page.getByRole("menuitem", { name: /Restart the controller/ }).click();
    const forked = await opened.finished(before.run);
    await opened.page.evaluate("probe.seek(20000)");
    await opened.page.getByRole("tab", { name: /^Events/ }).click();
    const address = await addressIn(opened);
    expect(address.length).toBeLessThan(700);

    const other = await site.open(new URL(address).hash);
    expect((await other.finished()).digest).toBe(forked.digest);
    await other.page.locator('#tab-events[aria-selected="true"]').waitFor();
    expect(await other.page.getByRole("slider", { name: "Instant" }).inputValue()).toBe("20000");
    expect(await other.page.locator("#lesson-title").innerText()).toBe("One piece fails, and is tried again");
    expect(await other.page.getByText("This run differs from the one that was shared").count()).toBe(0);
  });

  test("has what a heat map shows, and opens with it", async () => {
    const many = "  completionMode: Indexed\n  completions: 2500\n  activeDeadlineSeconds: 1\n";
    const yaml = JOB.replace("spec:\n", `spec:\n${many}`);
    const opened = await site.open(await addressOf({ yaml, seed: 1, nodes: DEFAULT_NODES, outcomes: [], inputs: [] }));
    await opened.finished();
    await opened.page.getByRole("combobox", { name: "Cells show" }).selectOption("attempts");
    const other = await site.open(new URL(await addressIn(opened)).hash);
    await other.finished();
    expect(await other.page.getByRole("combobox", { name: "Cells show" }).inputValue()).toBe("attempts");
    await other.page.locator(".legend li").filter({ hasText: "1 attempt" }).waitFor();
  });

  test("that cannot be opened shows one sentence and the first lesson", async () => {
    const opened = await site.open("#v9/abc");
    await opened.finished();
    expect(await opened.page.getByRole("alert").innerText()).toContain("version v9");
    expect(await opened.page.locator("#lesson-title").innerText()).toBe("One piece fails, and is tried again");
  });

  test("is printed next to the engine and the digest of the run", async () => {
    const opened = await site.open();
    const { digest } = await opened.finished();
    await opened.page.getByRole("button", { name: "Share" }).click();
    expect(await opened.page.locator(".sheet .run").innerText()).toMatch(
      new RegExp(`^Engine \\S+; digest of this run: ${digest}$`),
    );
  });
});

describeInBrowser("an edit of the manifest", { timeout: TIMEOUT_MS }, () => {
  test("runs from the start, and is still there after a reload", async () => {
    const opened = await site.open();
    const { page } = opened;
    const before = await opened.finished();
    const editor = page.getByRole("textbox", { name: /Manifest|Job|YAML/i }).first();
    await page.locator(".cm-content").waitFor();
    await editor.click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# mine\n");
    await page.getByRole("button", { name: "Run from the start" }).click();
    const after = await opened.finished(before.run);
    expect(after.digest).toBe(before.digest);
    await editor.click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# not run\n");
    await page.reload();
    await opened.finished();
    await page.locator(".cm-content").getByText("# mine").waitFor();
    await page.locator(".cm-content").getByText("# not run").waitFor();
  });

  test("in two tabs is not lost, and each says that the other is there", async () => {
    const one = await site.open();
    await one.finished();
    const other = await one.page.context().newPage();
    await other.goto(site.server.url);
    const type = async (page: PlaygroundPage["page"], text: string): Promise<void> => {
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+Home");
      await page.keyboard.type(text);
    };
    await type(one.page, "# one\n");
    await type(other, "# other\n");
    await one.page.getByRole("alert").getByText("The same manifest is edited in another tab").waitFor();
    for (const [page, text] of [
      [one.page, "# one"],
      [other, "# other"],
    ] as const) {
      await page.reload();
      await page.locator(".cm-content").getByText(text, { exact: true }).waitFor();
    }
  });

  test("that is refused says once what is wrong", async () => {
    const yaml = JOB.replace("spec:", "spec:\n  parallelism: -1");
    const opened = await site.open(await addressOf({ yaml, seed: 1, nodes: DEFAULT_NODES, outcomes: [], inputs: [] }));
    const { page } = opened;
    await page
      .getByRole("alert")
      .getByText(/cannot be shown, .* The problems are listed below the man/)
      .waitFor();
    await page.locator(".problems .error").waitFor();
    expect(await page.getByText("must be greater than or equal to 0").count()).toBe(1);
  });

  test("that is applied takes a line that is gone from the Job, and the shadow shows what was", async () => {
    const yaml = JOB.replace("spec:", "spec:\n  activeDeadlineSeconds: 20");
    const outcomes = [{ outcome: { runMs: 60_000 } }];
    const opened = await site.open(await addressOf({ yaml, seed: 1, nodes: DEFAULT_NODES, outcomes, inputs: [] }));
    const { page } = opened;
    const before = await opened.finished();
    expect(await endOf(opened, before)).toContain("Failed DeadlineExceeded");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(JOB);
    await page.evaluate("probe.seek(5000)");
    await page.getByRole("button", { name: "Apply at 5.000 s" }).press("Enter");
    const after = await opened.finished(before.run);
    expect(await endOf(opened, after)).toContain("Complete CompletionsReached");
    await page.getByRole("button", { name: "Switch" }).click();
    expect(await endOf(opened, await opened.finished(after.run))).toContain("Failed DeadlineExceeded");
  });

  test("that the API server refuses is explained in its words, and the run continues as it was", async () => {
    const outcomes = [{ outcome: { runMs: 60_000 } }];
    const opened = await site.open(await addressOf({ yaml: JOB, seed: 1, nodes: DEFAULT_NODES, outcomes, inputs: [] }));
    const { page } = opened;
    const before = await opened.finished();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(JOB.replace("busybox", "other"));
    await page.evaluate("probe.seek(5000)");
    await page.getByRole("button", { name: "Apply at 5.000 s" }).press("Enter");
    const after = await opened.finished(before.run);
    const alert = page.getByRole("alert");
    // What is wrong, without the object that the server quotes; all of the answer is folded.
    expect(await alert.innerText()).toMatch(/The Job "mine" is invalid: spec\.template: field is immutable/);
    expect(await alert.locator("details").textContent()).toMatch(
      /The Job "mine" is invalid: spec\.template: Invalid value: .*: field is immutable/s,
    );
    expect(await endOf(opened, after)).toContain("Complete CompletionsReached");
  });
});
