/**
 * The page where it was not made: below a sub-path of another server, in a frame of another site, and without a
 * network, before and after its parts have come.
 */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Frame } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "./chromium.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;
/** What any server for static files says of them. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

const describeInBrowser = describe.skipIf(!hasChromium("test/host-browser/browser/elsewhere.e2e.test.ts"));
const site = new Site();

/** The frame that has the page. */
async function frameOf(frames: () => readonly Frame[]): Promise<Frame> {
  await expect.poll(() => frames().some((frame) => frame.url().includes("embed=1"))).toBe(true);
  return frames().find((frame) => frame.url().includes("embed=1"))!;
}

describeInBrowser("the page on another server", { timeout: TIMEOUT_MS }, () => {
  let other: Server;
  let otherUrl: string;
  /** What was asked for that is not there. */
  const missing: string[] = [];

  /** A server that knows nothing of the page: its files below /a/b/, and a page that embeds it. */
  beforeAll(async () => {
    other = createServer((request, response) => {
      const name = request.url!.split("?", 1)[0]!;
      if (name === "/blog.html") {
        const frame = `<iframe title="A Job" width="700" height="500" src="${site.server.url}?embed=1"></iframe>`;
        response
          .writeHead(200, { "content-type": "text/html" })
          .end(`<!doctype html><link rel="icon" href="data:,"><h1>A blog</h1>${frame}`);
        return;
      }
      const file = name.endsWith("/") ? `${name}index.html` : name;
      try {
        if (!file.startsWith("/a/b/")) throw new Error("only the page's own folder is served");
        const bytes = readFileSync(path.join(site.folder, path.basename(file)));
        response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" }).end(bytes);
      } catch {
        missing.push(name);
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  });
  afterAll(() => new Promise((resolve) => (other.closeAllConnections(), other.close(resolve))));

  test("works below a sub-path, with every part that comes later", async () => {
    const opened = await site.openAt(`${otherUrl}a/b/`);
    const { page } = opened;
    const { run, digest } = await opened.finished();
    await page.locator(".cm-content").waitFor();
    await page.getByRole("button", { name: "Next", exact: true }).click();
    const next = await opened.finished(run);
    await page.waitForURL(/\/a\/b\/#lesson\/hello/);
    await page.getByRole("button", { name: "Break it" }).click();
    await page.getByRole("menuitem", { name: /Suspend it/ }).click();
    await opened.finished(next.run);
    const decisions = await page.locator("a[href^='decisions.html#']").first().getAttribute("href");
    expect((await page.request.get(new URL(decisions!, page.url()).href)).status()).toBe(200);
    expect(missing).toEqual([]);
    // It is the same run as at the root of the other server.
    expect((await (await site.open()).finished()).digest).toBe(digest);
  });

  test("in a frame of another site has a title, the picture, the sentence and a way out, and they work there", async () => {
    const opened = await site.openAt(`${otherUrl}blog.html`);
    const { page } = opened;
    await page.locator("iframe").waitFor();
    const frame = await frameOf(() => page.frames());
    await frame.evaluate("probe.finished(0)");
    await frame.locator("canvas.canvas").waitFor();
    expect(await frame.evaluate("[...document.querySelector('main').children].map((part) => part.className)")).toEqual([
      "embed-head",
      "stage",
      "transport",
      "says",
    ]);
    await frame.getByRole("heading", { name: "One piece fails, and is tried again" }).waitFor();
    await frame.locator(".says", { hasText: /^waiting|^Waiting/ }).waitFor();
    await expect.poll(() => frame.evaluate("location.hash")).not.toBe("");
    const [whole] = await Promise.all([page.waitForEvent("popup"), frame.getByRole("link").first().click()]);
    await whole.waitForURL(/#lesson\/one-fails/);
    expect(whole.url()).not.toContain("embed");
    await whole.close();
    for (const absent of ["header", ".catalogue", ".panels", ".workbench", ".lesson", ".break:visible"])
      expect(await frame.locator(absent).count(), absent).toBe(0);
    await frame.getByRole("button", { name: /To the start/ }).click();
    const instant = frame.getByRole("slider", { name: "Instant" });
    expect(await instant.inputValue()).toBe("0");
    await frame.getByRole("button", { name: /next decision/ }).click();
    await expect.poll(() => instant.inputValue()).not.toBe("0");
    // A page in a frame does not read or write what the reader chose at the page itself.
    expect(await frame.evaluate("Object.keys(localStorage)")).toEqual([]);
    // It fits into its frame: nothing has to be scrolled sideways.
    expect(await frame.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });

  test("refuses a frame of another site when its address does not ask to be embedded", async () => {
    const opened = await site.openAt(`${otherUrl}blog.html`);
    const { page } = opened;
    await page.evaluate(`document.querySelector("iframe").src = ${JSON.stringify(site.server.url)}`);
    await expect.poll(() => opened.faults.join()).toContain("frame-ancestors 'none'");
    opened.faults.length = 0;
  });
});

describeInBrowser("the page without a network", { timeout: TIMEOUT_MS }, () => {
  test("opens after it was visited once, with all of its parts", async () => {
    const opened = await site.open("", { viewport: { width: 1440, height: 900 }, serviceWorkers: "allow" });
    const { page } = opened;
    const { digest } = await opened.finished();
    await page.locator(".cm-content").waitFor();
    await page.evaluate("navigator.serviceWorker.ready");
    await page.context().setOffline(true);
    await page.goto("about:blank");
    await page.goto(site.server.url);
    expect((await opened.finished()).digest).toBe(digest);
    await page.locator(".cm-content").waitFor();
    await page.getByRole("tab", { name: "Account" }).click();
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.goto(`${site.server.url}decisions.html`);
    await page.getByRole("main").waitFor();
    // Chromium tells of each answer that did not come from the network.
    opened.faults.length = 0;
  });

  test("continues once it is loaded: other lessons, edits, breaks, sharing", async () => {
    const opened = await site.openAt("about:blank");
    const { page } = opened;
    const come: string[] = [];
    page.on("requestfinished", (request) => come.push(path.basename(new URL(request.url()).pathname)));
    await page.goto(site.server.url);
    const { run } = await opened.finished();
    await page.locator(".cm-content").waitFor();
    await page.waitForURL(/#lesson\/one-fails/);
    // What the page has not asked for yet.
    for (const part of [
      "yaml-library.js",
      "lazy-parts.js",
      "recorded-run.js",
      "whole-engine.wasm",
      "job-fields",
      "lessons",
    ])
      await expect.poll(() => come.some((name) => name.startsWith(part)), { message: part }).toBe(true);
    await page.context().setOffline(true);

    await page.getByRole("button", { name: "Next", exact: true }).click();
    const next = await opened.finished(run);
    await page.getByRole("button", { name: "Break it" }).click();
    await page.getByRole("menuitem", { name: /Suspend it/ }).click();
    const broken = await opened.finished(next.run);
    expect(broken.digest).not.toBe(next.digest);
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# mine\n");
    await page.getByRole("button", { name: "Run from the start" }).click();
    expect((await opened.finished(broken.run)).digest).toBe(next.digest);
    await page.keyboard.press("Control+End");
    await page.getByRole("tab", { name: "describe" }).click();
    await page.locator("#panel").getByText("Pods Statuses").waitFor();
    await page.getByRole("button", { name: "Share" }).click();
    await expect.poll(() => page.getByRole("textbox", { name: "Address of this page" }).inputValue()).toContain("#v1/");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("alert").count()).toBe(0);
    // The browser itself asks for the icon when the address changes.
    expect(opened.faults.filter((fault) => !fault.includes("icon.svg"))).toEqual([]);
    opened.faults.length = 0;
  });

  test("shows the picture before its parts have come, says what is missing, and gets it", async () => {
    const opened = await site.openAt("about:blank");
    const { page } = opened;
    let isGone = false;
    await page.context().route("**", async (route) => {
      isGone ||= /rest/.test(path.basename(new URL(route.request().url()).pathname));
      await (isGone ? route.abort() : route.continue());
    });
    await page.goto(site.server.url);
    await opened.finished();
    await page
      .getByRole("alert")
      .getByText(/cannot be loaded/)
      .waitFor();
    await page.getByRole("button", { name: /To the start/ }).click();
    expect(await page.getByRole("slider", { name: "Instant" }).inputValue()).toBe("0");
    await page.context().unroute("**");
    await page.locator(".cm-content").waitFor();
    await page.locator(".panels").waitFor();
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    // The console repeats each file that did not come.
    opened.faults.length = 0;
  });
});
