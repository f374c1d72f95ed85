/**
 * `npm run bench:playground`: the budgets of the page, measured on the built page in a headless Chromium.
 *
 * Each measurement gets a separate browser, so that memory and caches of one neither help nor burden the next.
 * Without a graphics card frames cost more than on a desk.
 */
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { builtPlayground } from "../../../scripts/built-playground.ts";
import { BYTE_BUDGETS, type ByteBudget } from "../../../scripts/byte-budgets.ts";
import { serveFolder } from "../../../scripts/serve-folder.ts";
import { hasChromium, launchChromium } from "../../host-browser/browser/chromium.ts";
import { addressOf, PlaygroundPage } from "../../host-browser/browser/open-page.ts";
import { toolArguments } from "../../arguments.ts";
import { percentile } from "../percentile.ts";
import { scrub, type Smoothness, smoothnessOf } from "./frames.ts";
import { costOf, type Heaps, heapsOf, rested } from "./renderer.ts";
import { largeScenario } from "./scenarios.ts";
import { sizesOf } from "./sizes.ts";
import { type Task, traced } from "./trace.ts";

const KIB = 1024;
const FIRST_PICTURES = 7;
const SCRUBS = 100;
const TURNS = 20;

interface Line {
  readonly what: string;
  readonly found: number;
  readonly unit: string;
  readonly budget: number;
}

const NAMES = ["sizes", "first", "frames", "scrub", "odds", "turns", "large"] as const;
const HELP = `Measures the budgets of the playground, on the built page in a headless Chromium, and prints each beside what was found.

usage: npm run bench:playground -- [--only WORD] [--fail-on-budget]

  --only WORD        only the measurements whose name contains the word: ${NAMES.join(", ")}
  --fail-on-budget   exit status 1 when a budget is not met
  --help             prints this

Exit status: 0 when all were measured, 2 for arguments that make no sense, and without Chromium.
`;

interface Arguments {
  readonly names: readonly (typeof NAMES)[number][];
  readonly failsOnBudget: boolean;
}

/** Undefined: what was asked for is help. @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "only": { type: "string", default: "" },
      "fail-on-budget": { type: "boolean", default: false },
      "help": { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const names = NAMES.filter((name) => name.includes(values.only));
  if (names.length === 0) throw new Error(`--only is "${values.only}"; allowed are parts of ${NAMES.join(", ")}`);
  return { names, failsOnBudget: values["fail-on-budget"] };
}

function sizeLine({ what, maxBytes }: ByteBudget, bytes: number): Line {
  return { what: `${what}, gzipped`, found: bytes / KIB, unit: "KiB", budget: maxBytes / KIB };
}

const measurements: Readonly<Record<(typeof NAMES)[number], (url: string, site: string) => Promise<Line[]>>> = {
  sizes: async (_url, site) => {
    const sizes = sizesOf(site);
    for (const [name, bytes] of sizes.files) console.log(`  ${name.padEnd(28)} ${(bytes / KIB).toFixed(1)} KiB`);
    return [
      sizeLine(BYTE_BUDGETS.coreAndWorker, sizes.engineAndWorker),
      sizeLine(BYTE_BUDGETS.firstLoad, sizes.firstLoad),
      sizeLine(BYTE_BUDGETS.editor, sizes.editor),
    ];
  },
  first: async (url) => {
    // A new tab is a new process. For half a second it needs as much of the machine as the page does.
    const inTab: number[] = [];
    const inNewTab: number[] = [];
    for (let i = 0; i < FIRST_PICTURES; i++) {
      inTab.push(await inBrowser(url, async (opened) => (await opened.finished()).finishedAtMs));
      inNewTab.push(
        await inNewBrowser(async (browser) => (await (await inFreshTab(browser, url)).finished()).finishedAtMs),
      );
    }
    const parts = await inNewBrowser(async (browser) =>
      traced(browser, url, async () => (await openPage(browser, url)).finished()),
    );
    console.log("  processor time of one more start, traced:");
    for (const [part, ms] of parts.parts()) console.log(`  ${part.padEnd(40)} ${ms.toFixed(1)} ms`);
    return [
      { what: `first picture, median of ${FIRST_PICTURES}`, found: percentile(inTab, 0.5), unit: "ms", budget: 700 },
      { what: "the same in a new tab, with its start", found: percentile(inNewTab, 0.5), unit: "ms", budget: 700 },
    ];
  },
  frames: async (url) => {
    const address = url + (await addressOf(largeScenario(5_000, 1_000, [20_000, 60_000])));
    const lines = await inBrowser(address, async (opened) => {
      await opened.finished();
      return smoothnessLines("1,000 pods", await smoothnessOf(opened));
    });
    const trace = await inNewBrowser((browser) =>
      traced(browser, url, async () => (await openPage(browser, address)).finished()),
    );
    const { byProcessor, byClock } = trace.longestTasks();
    const { processorMs, what } = byProcessor;
    console.log(`  the task with most processor time, traced: ${processorMs.toFixed(1)} ms, most of it ${what}`);
    printWait(byClock);
    return lines;
  },
  scrub: async (url) =>
    inBrowser(url + (await addressOf(largeScenario(20_000, 1_000, [20_000, 60_000]))), async (opened, browser) => {
      await opened.finished();
      const smoothness = await smoothnessOf(opened);
      const { p95Ms, longestMs } = await scrub(opened, SCRUBS);
      const { peakMiB, processorSeconds } = await costOf(browser);
      await printHeaps(opened);
      console.log(`  the longest scrub ${longestMs.toFixed(1)} ms; ${processorSeconds.toFixed(0)} s of processor time`);
      return [
        ...smoothnessLines("20,000 pods", smoothness),
        { what: "scrub at 20,000 pods, p95", found: p95Ms, unit: "ms", budget: 16 },
        { what: "memory at 20,000 pods", found: peakMiB, unit: "MiB", budget: 450 },
      ];
    }),
  odds: async (url) =>
    inBrowser(url + (await addressOf(largeScenario(20, 20, [20_000, 60_000]))), async (opened) => {
      await opened.finished();
      await opened.page.locator("#pane-odds").waitFor();
      return [{ what: "500 seeds of 20 pods", found: (await oddsMs(opened)) / 1000, unit: "s", budget: 2 }];
    }),
  turns: async (url) =>
    inBrowser(url + (await addressOf(largeScenario(100, 100, [20_000, 60_000]))), async (opened) => {
      const turns: number[] = [];
      let { run } = await opened.finished();
      await opened.page.locator("#pane-odds").click();
      await opened.page.getByRole("slider", { name: "spec.parallelism" }).waitFor();
      await opened.page.getByRole("button", { name: "Stop" }).click();
      for (let parallelism = 99; parallelism > 99 - TURNS; parallelism--) {
        const turnedMs = await turn(opened, parallelism);
        const shown = await opened.finished(run);
        ({ run } = shown);
        turns.push(shown.finishedAtMs - turnedMs);
      }
      const found = percentile(turns, 0.5);
      return [{ what: `a number turned at 100 pods, median of ${TURNS}`, found, unit: "ms", budget: 50 }];
    }),
  large: async (url) =>
    inBrowser(url + (await addressOf(largeScenario(100_000, 1_000, [20_000, 60_000]))), async (opened, browser) => {
      const { readyAtMs, finishedAtMs, pods } = await opened.finished();
      const { peakMiB, processorSeconds } = await costOf(browser);
      await printHeaps(opened);
      console.log(`  ${pods} pods; ${processorSeconds.toFixed(0)} s of processor time, page and Worker`);
      return [
        { what: "100,000 completions", found: (finishedAtMs - readyAtMs) / 1000, unit: "s", budget: 60 },
        { what: "memory at 100,000 completions", found: peakMiB, unit: "MiB", budget: 1024 },
      ];
    }),
};

/** From the opening of the odds to the last of 500 seeds, in a page that has none of their code. */
function oddsMs({ page }: PlaygroundPage): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const beginMs = performance.now();
    const look = () => {
      const said = document.querySelector(".odds [role=status]")?.textContent ?? "";
      if (/ of 500 runs /.test(said)) resolve(performance.now() - beginMs);
      else requestAnimationFrame(look);
    };
    document.getElementById("pane-odds").click();
    look();
  })`);
}

/** As a slider that is dragged. @returns when, on the page's clock */
function turn({ page }: PlaygroundPage, parallelism: number): Promise<number> {
  return page.evaluate<number>(`(() => {
    const slider = document.querySelector(".knobs input[name='spec.parallelism']");
    slider.value = "${parallelism}";
    const beginMs = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    return beginMs;
  })()`);
}

async function printHeaps({ page }: PlaygroundPage): Promise<void> {
  const { before, live } = await heapsOf(page);
  const text = ({ page, worker }: Heaps): string =>
    `Worker ${worker.usedMiB.toFixed(0)} of ${worker.totalMiB.toFixed(0)}, ` +
    `page ${page.usedMiB.toFixed(0)} of ${page.totalMiB.toFixed(0)} MiB`;
  console.log(`  heaps and buffers: ${text(before)}; live: ${text(live)}`);
}

/** A task is on the clock for longer than it runs where others have the processors: who that was, the trace says. */
function printWait({ clockMs, processorMs, meanwhile }: Task): void {
  const others = meanwhile.filter(([, ms]) => ms >= 0.05).map(([who, ms]) => `${who} ${ms.toFixed(1)} ms`);
  console.log(
    `  the longest on the clock, traced: ${clockMs.toFixed(1)} ms, of which it ran ${processorMs.toFixed(1)} and ` +
      `waited ${(clockMs - processorMs).toFixed(1)}; meanwhile ran ${others.join(", ") || "no thread of Chromium"}`,
  );
}

function print({ what, found, unit, budget }: Line): void {
  const mark = found <= budget ? "  " : " !";
  console.log(`${mark} ${what.padEnd(42)} ${found.toFixed(1).padStart(8)} ${unit.padEnd(3)}  of ${budget}`);
}

function smoothnessLines(pods: string, { frames, p95Ms, longestFrameMs, longestTaskMs }: Smoothness): Line[] {
  console.log(`  ${frames} frames, the longest ${longestFrameMs.toFixed(0)} ms`);
  return [
    { what: `${pods} at full speed, frame p95`, found: p95Ms, unit: "ms", budget: 17 },
    { what: `${pods} at full speed, longest task`, found: longestTaskMs, unit: "ms", budget: 50 },
  ];
}

async function inNewBrowser<T>(measure: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await launchChromium();
  try {
    await rested(browser);
    return await measure(browser);
  } finally {
    await browser.close();
  }
}

const DESK = { viewport: { width: 1440, height: 900 } };

/** In a tab that is there and at rest. */
async function openPage(browser: Browser, url: string): Promise<PlaygroundPage> {
  return PlaygroundPage.open(await browser.newContext(DESK), url, () => rested(browser));
}

async function inFreshTab(browser: Browser, url: string): Promise<PlaygroundPage> {
  return PlaygroundPage.open(await browser.newContext(DESK), url);
}

function inBrowser<T>(url: string, measure: (opened: PlaygroundPage, browser: Browser) => Promise<T>): Promise<T> {
  return inNewBrowser(async (browser) => measure(await openPage(browser, url), browser));
}

async function measureAll({ names, failsOnBudget }: Arguments): Promise<void> {
  const [load] = loadavg();
  if (load! > availableParallelism() / 2)
    console.log(
      `! the machine is busy (load ${load!.toFixed(1)} on ${availableParallelism()} cores): times are too long`,
    );
  const site = await builtPlayground();
  const server = await serveFolder(site, 0);
  const lines: Line[] = [];
  try {
    for (const name of names) {
      console.log(name);
      const found = await measurements[name](server.url, site);
      for (const line of found) print(line);
      lines.push(...found);
    }
  } finally {
    await server.close();
  }
  const overBudget = lines.filter(({ found, budget }) => found > budget).length;
  if (overBudget > 0) console.log(`${overBudget} of ${lines.length} are over their budget`);
  if (failsOnBudget && overBudget > 0) process.exitCode = 1;
}

const args = toolArguments(readArguments, HELP);
if (args !== undefined && !hasChromium("npm run bench:playground")) process.exitCode = 2;
else if (args !== undefined) await measureAll(args);
