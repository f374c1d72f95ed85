/**
 * `npm run pictures`: the pictures of the documents. Those of terminals, and of the built page: the first picture, a
 * comparison, a past that was changed, and a hundred thousand indexes.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { builtPlayground } from "../../../scripts/built-playground.ts";
import { serveFolder } from "../../../scripts/serve-folder.ts";
import { writeTerminalPictures } from "../../../scripts/terminal-pictures.ts";
import { largeScenario } from "../../bench/playground/scenarios.ts";
import { hasChromium, launchChromium } from "./chromium.ts";
import { addressOf, lessonAddress, PlaygroundPage } from "./open-page.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../../docs/pictures");
const LARGE_TIMEOUT_MS = 600_000;

interface Shot {
  readonly name: string;
  readonly fragment: () => Promise<string>;
  readonly colorScheme: "light" | "dark";
  readonly before?: (opened: PlaygroundPage) => Promise<void>;
}

const SHOTS: readonly Shot[] = [
  { name: "first", colorScheme: "light", fragment: () => lessonAddress("one-fails", 30_010, "status") },
  {
    name: "side-by-side",
    colorScheme: "dark",
    fragment: () => lessonAddress("never-or-on-failure", 90_010, "decisions"),
  },
  {
    name: "changed-past",
    colorScheme: "light",
    fragment: () => lessonAddress("queue-pod-per-item", 3_000, "events"),
    before: async (opened) => {
      const { run } = await opened.heard();
      await opened.page.getByRole("button", { name: "Break it" }).click();
      await opened.page.getByRole("menuitem", { name: /Restart the controller/ }).click();
      await opened.finished(run);
    },
  },
  {
    name: "hundred-thousand",
    colorScheme: "dark",
    fragment: () => addressOf(largeScenario(100_000, 1_000, [20_000, 60_000]), 1_500_000),
    // Indexes that have failed meanwhile are seen, too.
    before: async ({ page }) => void (await page.getByRole("combobox", { name: "Cells show" }).selectOption("worst")),
  },
];

async function shoot(browser: Browser, url: string, { name, fragment, colorScheme, before }: Shot): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme });
  context.setDefaultTimeout(LARGE_TIMEOUT_MS);
  const opened = await PlaygroundPage.open(context, url + (await fragment()));
  await opened.finished();
  await before?.(opened);
  await opened.page.locator(".cm-content").waitFor();
  // The last frames: the picture after the run, and the editor's.
  await opened.page.evaluate("probe.rest()");
  await opened.page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
  await context.close();
  console.log(`docs/pictures/${name}.png`);
}

writeTerminalPictures();
if (!hasChromium("npm run pictures")) process.exit(2);
mkdirSync(FOLDER, { recursive: true });
const server = await serveFolder(await builtPlayground(), 0);
const browser = await launchChromium();
try {
  const wanted = process.argv[2] ?? "";
  for (const shot of SHOTS) if (shot.name.includes(wanted)) await shoot(browser, server.url, shot);
} finally {
  await browser.close();
  await server.close();
}
