/**
 * The playground in a real browser: the bundled page, its Worker and the engine, driven by its buttons.
 *
 * Needs Chromium (CHROMIUM names it, /usr/bin/chromium otherwise). Without one it is skipped with a message, and with
 * STINT_REQUIRE_CHROMIUM=1 that is an error.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildPlayground } from "../../scripts/build-playground.ts";
import { type FolderServer, serveFolder } from "../../scripts/serve-folder.ts";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const hasChromium = existsSync(executablePath);
if (!hasChromium) {
  const message = `there is no Chromium at ${executablePath}; install it or name one in CHROMIUM`;
  if (process.env["STINT_REQUIRE_CHROMIUM"] === "1") throw new Error(message);
  console.warn(`test/host-browser/playground.test.ts: skipped, ${message}`);
}

const BROWSER_TIMEOUT_MS = 30_000;
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let scratch: string;
let server: FolderServer;

beforeAll(async () => {
  scratch = mkdtempSync(path.join(tmpdir(), "stint-playground-"));
  await buildPlayground(path.join(scratch, "site"));
  server = await serveFolder(path.join(scratch, "site"), 0);
});

afterAll(async () => {
  await server.close();
  rmSync(scratch, { recursive: true, force: true });
});

describe.skipIf(!hasChromium)("the page", { timeout: BROWSER_TIMEOUT_MS }, () => {
  let browser: BrowserContext;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launchPersistentContext(path.join(scratch, "profile"), {
      executablePath,
      headless: true,
      args: ARGUMENTS,
      timeout: BROWSER_TIMEOUT_MS,
    });
    browser.setDefaultTimeout(BROWSER_TIMEOUT_MS);
  }, BROWSER_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
  });

  beforeEach(async () => {
    faults.length = 0;
    page = await browser.newPage();
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text());
    });
    await page.goto(server.url);
    await mode("paused");
  });

  afterEach(async () => {
    await page.close();
    expect(faults).toEqual([]);
  });

  const mode = (expected: string): Promise<void> => page.locator(`#mode[data-mode="${expected}"]`).waitFor();
  const rows = (table: string): Promise<string[]> => page.locator(`#${table} tbody tr`).allInnerTexts();
  const trace = (): ReturnType<Page["locator"]> => page.locator("#trace tbody tr td:nth-child(3)");

  test("plays a Job to its end, and shows its pods, status, events and trace", async () => {
    await page.selectOption("#speed", "Infinity");
    await page.click("#play");
    await mode("finished");
    expect(await page.locator('[data-job="default/render"]').innerText()).toMatch(
      /Complete[\s\S]*8\/8[\s\S]*0-7[\s\S]*Complete=True CompletionsReached/,
    );
    const pods = await rows("pods");
    expect(pods).toHaveLength(8);
    expect(pods.every((row) => row.includes("Completed"))).toBe(true);
    expect((await rows("events")).join("\n")).toContain("Job completed");
    expect((await rows("trace")).join("\n")).toContain("CompletionsReached");
    expect(await page.locator("#clock").innerText()).not.toBe("0.000 s");
  });

  test("steps from decision to decision, and reset begins anew", async () => {
    expect(await trace().count()).toBe(0);
    for (let i = 0; i < 3; i++) {
      const before = await trace().count();
      await page.click("#step");
      await trace().nth(before).waitFor();
      await mode("paused");
    }
    expect((await rows("pods")).length).toBeGreaterThan(0);
    await page.click("#reset");
    await trace().first().waitFor({ state: "detached" });
    expect(await page.locator("#clock").innerText()).toBe("0.000 s");
  });

  test("plays, pauses and plays on", async () => {
    await page.selectOption("#speed", "1");
    await page.click("#play");
    await mode("playing");
    expect(await page.locator("#play").isDisabled()).toBe(true);
    await page.click("#pause");
    await mode("paused");
    const clock = await page.locator("#clock").innerText();
    await page.selectOption("#speed", "Infinity");
    await page.click("#play");
    await mode("finished");
    expect(await page.locator("#clock").innerText()).not.toBe(clock);
  });

  test("shows what is wrong with a Job, with its field and line, and recovers when that is corrected", async () => {
    const yaml = await page.inputValue("#yaml");
    await page.fill("#yaml", yaml.replace("parallelism: 3", "parallelism: -3"));
    await page.click("#play");
    const problems = page.locator("#problems");
    await problems.getByText("spec.parallelism").waitFor();
    expect(await problems.innerText()).toMatch(
      /line 10, column \d+\s+spec\.parallelism: Invalid value: -3: must be greater than or equal to 0/,
    );
    expect(await page.locator(".job").count()).toBe(0);

    await page.fill("#yaml", "kind: [");
    await page.click("#reset");
    await problems.getByText("line 1,").waitFor();

    await page.fill("#yaml", yaml);
    await page.selectOption("#speed", "Infinity");
    await page.click("#play");
    await mode("finished");
    expect(await problems.innerText()).toBe("");
  });

  test("an example replaces the manifest and its run", async () => {
    await page.selectOption("#example", { label: "Give up after the limit" });
    await page.locator('[data-job="default/broken"]').waitFor();
    await page.selectOption("#speed", "Infinity");
    await page.click("#play");
    await mode("finished");
    expect(await page.locator(".job").innerText()).toContain("BackoffLimitExceeded");
  });

  test("markup in a manifest stays text", async () => {
    const yaml = await page.inputValue("#yaml");
    await page.fill("#yaml", yaml.replace("name: render", 'name: "<img src=x onerror=alert(1)>"'));
    await page.click("#reset");
    await page.locator("#problems").getByText("<img").first().waitFor();
    expect(await page.locator("#problems img").count()).toBe(0);
  });
});

describe("the server", () => {
  const get = (
    target: string,
    host?: string,
    method = "GET",
  ): Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }> =>
    new Promise((resolve, reject) => {
      const asked = request(
        new URL(target, server.url),
        { method, ...(host === undefined ? {} : { headers: { host } }) },
        (response) => {
          let body = "";
          response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
          response.on("end", () => resolve({ status: response.statusCode!, body, headers: response.headers }));
        },
      );
      asked.on("error", reject).end();
    });

  test("serves the files of the folder, under a policy that allows nothing from elsewhere", async () => {
    const index = await get("/");
    expect(index.status).toBe(200);
    expect(index.body).toContain("Stint");
    expect(index.headers["content-security-policy"]).toContain("default-src 'none'");
    expect((await get("/engine.wasm")).headers["content-type"]).toBe("application/wasm");
    expect((await get("/main.js", undefined, "HEAD")).body).toBe("");
  });

  test.each([
    ["/../package.json", undefined, "GET", 404],
    ["/%2e%2e/package.json", undefined, "GET", 404],
    ["/nothing.js", undefined, "GET", 404],
    ["/", undefined, "POST", 405],
    ["/", "example.com", "GET", 421],
    ["/", "127.0.0.1", "GET", 421],
  ])("refuses %s for host %s by %s with %i", async (target, host, method, status) => {
    expect((await get(target, host, method)).status).toBe(status);
  });

  test("says that a port is in use", async () => {
    await expect(serveFolder(path.join(scratch, "site"), Number(new URL(server.url).port))).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });
});
