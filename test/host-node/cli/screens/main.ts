/**
 * `npm run screens`: what each command shows on a terminal of 80 and of 120 columns, light and dark, as PNGs in
 * build/screens/ with a contact sheet, index.html. `npm run screens -- why` is one command alone; needs Chromium.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { launchChromium } from "../../../host-browser/browser/chromium.ts";
import { screensPage, type Taken, type Theme } from "./page.ts";
import { screenOf } from "./pseudo-terminal.ts";
import { startSetting } from "./setting.ts";
import { SHOTS } from "./shots.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../../../build/screens");
const WIDTHS = [80, 120];
const THEMES: readonly Theme[] = ["light", "dark"];

const wanted = process.argv[2];
if (wanted !== undefined && SHOTS[wanted] === undefined) {
  console.error(`npm run screens: there is no command ${wanted}; there are ${Object.keys(SHOTS).join(", ")}`);
  process.exit(2);
}
mkdirSync(FOLDER, { recursive: true });
const browser = await launchChromium();
const page = await browser.newPage();
const setting = await startSetting();
try {
  for (const columns of WIDTHS)
    for (const [command, shots] of Object.entries(SHOTS).filter(([name]) => name === (wanted ?? name))) {
      const taken: Taken[] = [];
      for (const shot of shots) taken.push({ line: shot.line, screen: await screenOf(shot, columns, setting) });
      for (const theme of THEMES) {
        const name = `${command}-${columns}-${theme}.png`;
        await page.setContent(screensPage(taken, columns, theme));
        await page.locator("body").screenshot({ path: path.join(FOLDER, name) });
      }
      console.log(`${command}, ${columns} columns`);
    }
} finally {
  await setting.stop();
  await browser.close();
}
const figures = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".png"))
  .sort()
  .map((name) => `<a href="${name}"><figure><img src="${name}" alt=""><figcaption>${name}`);
const style = "figure { display: inline-block; vertical-align: top; margin: 8px } img { width: 320px }";
const sheet = path.join(FOLDER, "index.html");
writeFileSync(sheet, `<!doctype html><style>${style}</style>${figures.join("</figcaption></figure></a>\n")}`);
console.log(sheet);
