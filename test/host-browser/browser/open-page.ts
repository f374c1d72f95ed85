/**
 * A page of the playground that is driven as a person would, and that says what its Worker said last (in-page.mjs).
 * Tests wait for what happens, and never for time.
 */
import path from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { DEFAULT_NODES, type Scenario } from "../../../cluster/simulation/scenario.ts";
import { writeAddress } from "../../../host-browser/share/address.ts";

const IN_PAGE = path.join(import.meta.dirname, "in-page.mjs");

/** What the page has heard from its Worker. */
export interface Heard {
  readonly mode: string;
  readonly nowMs: number;
  readonly digest: string;
  readonly run: number;
  readonly pods: number;
  readonly decisions: number;
  /** Views that were answered. */
  readonly looks: number;
  readonly refused: string;
  readonly fatal: string;
  readonly readyAtMs: number;
  readonly finishedAtMs: number;
}

const TIP_TIMEOUT_MS = 1_000;
const MAX_PRESSES = 30;

export class PlaygroundPage {
  readonly page: Page;
  /** Errors of the page and on its console. */
  readonly faults: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(`${message.text()} (${message.location().url})`);
    });
  }

  /** @param prepare is called before the page is fetched */
  static async open(
    context: BrowserContext,
    url: string,
    prepare?: (page: Page) => Promise<void>,
  ): Promise<PlaygroundPage> {
    const opened = new PlaygroundPage(await context.newPage());
    await opened.page.addInitScript({ path: IN_PAGE });
    await prepare?.(opened.page);
    await opened.page.goto(url);
    return opened;
  }

  heard(): Promise<Heard> {
    return this.page.evaluate<Heard>("probe.heard");
  }

  /**
   * Waits until a run has nothing left to happen.
   * @param afterRun a run that is over: the next one is waited for
   * @throws Error when it was refused, or ended by a fault
   */
  async finished(afterRun = 0): Promise<Heard> {
    await this.page.evaluate(`probe.finished(${afterRun})`);
    const heard = await this.heard();
    if (heard.fatal !== "" || heard.refused !== "") throw new Error(heard.fatal || heard.refused);
    return heard;
  }

  /** Moves the focus to the picture, and the cursor to one of its rows. The part that reads keys may load meanwhile. */
  async enterRows(): Promise<void> {
    await this.page.locator("canvas.canvas").focus();
    for (let presses = 1; ; presses++) {
      await this.page.keyboard.press("ArrowDown");
      const tip = this.page.locator("#hover").waitFor({ timeout: TIP_TIMEOUT_MS });
      if (presses === MAX_PRESSES) return tip;
      if (
        await tip.then(
          () => true,
          () => false,
        )
      )
        return;
    }
  }
}

/** The fragment that opens a scenario which is no lesson. */
export function addressOf(scenario: Scenario, atMs = 0, panel = "status"): Promise<string> {
  const state = { scenario, atMs, panel, engineVersion: "", digest: "" };
  return writeAddress(state, () => Promise.resolve(undefined));
}

/** What of a lesson an address needs is its id: the page knows the rest. */
export function lessonAddress(lesson: string, atMs: number, panel = "status"): Promise<string> {
  const scenario: Scenario = { yaml: "", seed: 1, nodes: DEFAULT_NODES, outcomes: [], inputs: [] };
  const state = { scenario, lesson, atMs, panel, engineVersion: "", digest: "" };
  return writeAddress(state, () => Promise.resolve(scenario));
}
