/**
 * A headless Chromium for tests and benchmarks of the playground, and a page that says what its Worker said.
 *
 * Needs Chromium (CHROMIUM names it, /usr/bin/chromium otherwise). Without one tests are skipped with a message, and
 * with STINT_REQUIRE_CHROMIUM=1 that is an error.
 */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

export const BROWSER_TIMEOUT_MS = 30_000;
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @param who the test file, for the message. @throws Error where Chromium is required and missing */
export function hasChromium(who: string): boolean {
  if (existsSync(executablePath)) return true;
  const message = `there is no Chromium at ${executablePath}; install it or name one in CHROMIUM`;
  if (process.env["STINT_REQUIRE_CHROMIUM"] === "1") throw new Error(message);
  console.warn(`${who}: skipped, ${message}`);
  return false;
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: ARGUMENTS, timeout: BROWSER_TIMEOUT_MS });
}
