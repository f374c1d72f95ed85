/** The built page behind a server, and a browser, for the tests of one file, or of one describe. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { builtPlayground } from "../../../scripts/built-playground.ts";
import { type FolderServer, serveFolder } from "../../../scripts/serve-folder.ts";
import { BROWSER_TIMEOUT_MS, launchChromium } from "./chromium.ts";
import { PlaygroundPage } from "./open-page.ts";

const SETUP_TIMEOUT_MS = 120_000;
const DESK: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };

export class Site {
  /** The built page's files, shared with other tests: read them alone. */
  folder!: string;
  server!: FolderServer;
  browser!: Browser;
  readonly scratch = mkdtempSync(path.join(tmpdir(), "stint-playground-"));
  readonly #contexts: BrowserContext[] = [];
  readonly #pages: PlaygroundPage[] = [];

  constructor() {
    beforeAll(async () => {
      this.folder = await builtPlayground();
      this.server = await serveFolder(this.folder, 0);
      this.browser = await launchChromium();
    }, SETUP_TIMEOUT_MS);

    afterEach(async () => {
      const faults = this.#pages.flatMap((page) => page.faults);
      for (const context of this.#contexts) await context.close();
      this.#contexts.length = 0;
      this.#pages.length = 0;
      expect(faults).toEqual([]);
    });

    afterAll(async () => {
      await this.browser?.close();
      await this.server?.close();
      rmSync(this.scratch, { recursive: true, force: true });
    });
  }

  /**
   * A page that remembers nothing of the pages before.
   * @param rest query and fragment
   * @param prepare is called before the page is fetched
   */
  open(
    rest = "",
    options: BrowserContextOptions = DESK,
    prepare?: (page: Page) => Promise<void>,
  ): Promise<PlaygroundPage> {
    return this.openAt(this.server.url + rest, options, prepare);
  }

  /** The same at any address. */
  async openAt(
    url: string,
    options: BrowserContextOptions = DESK,
    prepare?: (page: Page) => Promise<void>,
  ): Promise<PlaygroundPage> {
    // Without an address the page would play at once. A service worker would answer for routes of tests.
    const context = await this.browser.newContext({ reducedMotion: "reduce", serviceWorkers: "block", ...options });
    context.setDefaultTimeout(BROWSER_TIMEOUT_MS);
    this.#contexts.push(context);
    const opened = await PlaygroundPage.open(context, url, prepare);
    this.#pages.push(opened);
    return opened;
  }
}
