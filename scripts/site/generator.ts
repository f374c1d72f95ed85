/**
 * The site's generator, VitePress: installed in site/, where nothing else needs it, by site/package-lock.json; and run
 * in a separate process, on a source that was written for it.
 *
 * Invariant: what was installed for another lockfile is not used. One line shows each step, and grows while it runs.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Sidebars } from "./pages.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../site");
const LOCK = path.join(FOLDER, "package-lock.json");
const MODULES = path.join(FOLDER, "node_modules");
/** The lockfile by which the packages were installed. */
const STAMP = path.join(MODULES, ".stint-lock");
const PROGRESS_MS = 5_000;
const MAX_OUTPUT_LENGTH = 1024 * 1024;

export interface GeneratorOptions {
  readonly source: string;
  readonly sidebars: Sidebars;
  readonly out: string;
  /** `/`, or `/stint/`: the path of the address at which the site will be. */
  readonly base: string;
}

/** @throws Error with npm's output, if it fails */
export async function installGenerator(): Promise<void> {
  const lock = createHash("sha256").update(readFileSync(LOCK)).digest("hex");
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === lock) return;
  // The npm that runs this script: in its path an old npm of a dependency would come first.
  const { npm_execpath: npm = "" } = process.env;
  const [command, ...before] = npm.endsWith(".js") ? [process.execPath, npm] : ["npm"];
  await run("installing the site's generator", command!, [
    ...before,
    "ci",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
  ]);
  writeFileSync(STAMP, lock);
}

/** @throws Error with the generator's output, for a link that leads nowhere, too */
export async function generate({ source, sidebars, out, base }: GeneratorOptions): Promise<void> {
  writeFileSync(`${source}.json`, JSON.stringify(sidebars));
  const command = path.join(MODULES, "vitepress/bin/vitepress.js");
  await run("building the site", process.execPath, [command, "build", FOLDER], {
    STINT_SITE_SOURCE: source,
    STINT_SITE_OUT: out,
    STINT_SITE_BASE: base,
  });
}

async function run(
  what: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const begin = performance.now();
  process.stdout.write(`${what}…`);
  const progress = setInterval(() => process.stdout.write("."), PROGRESS_MS);
  const child = spawn(command, args, {
    cwd: FOLDER,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-MAX_OUTPUT_LENGTH)));
  const problem = await new Promise<string | undefined>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit code ${code}`)));
  });
  clearInterval(progress);
  console.log(` ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  if (problem !== undefined) throw new Error(`${what} failed: ${problem}\n${output}`);
}
