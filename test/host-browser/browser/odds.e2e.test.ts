/** The odds in the page: hundreds of seeds in Workers, compared while numbers of the Job are turned, by keys alone. */
import { describe, expect, test } from "vitest";
import { DEFAULT_NODES, type Scenario } from "../../../cluster/simulation/scenario.ts";
import { axeFaults } from "./axe.ts";
import { hasChromium } from "./chromium.ts";
import { addressOf } from "./open-page.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 180_000;
const YAML = `apiVersion: batch/v1
kind: Job
metadata:
  name: gamble
spec:
  completions: 4
  parallelism: 4
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: example.com/main
`;
/** One pod in ten fails, and the Job with it. */
const SCENARIO: Scenario = {
  yaml: YAML,
  seed: 1,
  nodes: DEFAULT_NODES,
  outcomes: [{ share: 0.1, outcome: { exitCode: 1, runMs: [1000, 5000] } }, { outcome: { runMs: [5000, 20_000] } }],
  inputs: [],
};

describe.skipIf(!hasChromium("test/host-browser/browser/odds.e2e.test.ts"))("the odds", { timeout: TIMEOUT_MS }, () => {
  const site = new Site();

  test.each([1440, 360])("are run, and compared while numbers are turned, by keys, at %i px", async (width) => {
    const opened = await site.open(await addressOf(SCENARIO), { viewport: { width, height: 900 } });
    const { page } = opened;
    const first = await opened.finished();
    await page.locator("#pane-manifest").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.locator('#pane-odds[aria-selected="true"]').waitFor();
    const said = page.locator(".odds [role=status]");
    await expect.poll(() => said.innerText(), { timeout: TIMEOUT_MS }).toMatch(/ of 500 runs complete\./);
    // 0.9 to the fourth is 66 %; of 500 draws, hardly one in ten thousand lies further from it.
    const complete = Number(/^(\d+) %/.exec(await said.innerText())![1]);
    expect(complete).toBeGreaterThan(56);
    expect(complete).toBeLessThan(76);
    expect(await page.locator(".histogram rect.of-failed").count()).toBeGreaterThan(0);
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    await page.getByRole("button", { name: "one that fails" }).press("Enter");
    const other = await opened.finished(first.run);
    // Another seed is the same question.
    expect(await said.innerText()).toMatch(/ of 500 runs complete\./);
    await page.getByRole("slider", { name: "spec.backoffLimit" }).press("ArrowRight");
    const turned = await opened.finished(other.run);
    await page.getByText("The run before is drawn as a shadow.").waitFor();
    await page.getByRole("slider", { name: "pods that fail" }).press("Home");
    await opened.finished(turned.run);
    // What was there before the first turn was pinned.
    const difference = page.locator(".odds .difference");
    await expect
      .poll(() => difference.innerText(), { timeout: TIMEOUT_MS })
      .toContain(`Compared with A: 100 % of the runs complete instead of ${complete} %`);
    expect(await page.locator(".histogram .of-before").count()).toBe(1);
    expect(await axeFaults(page)).toEqual([]);
    await page.locator("#pane-manifest").press("Enter");
    await expect.poll(() => page.locator(".cm-content").innerText()).toContain("backoffLimit: 1");
  });
});
