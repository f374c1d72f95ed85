/** What a release is made of: each artefact knows how it is made, and how a user would try it. */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { toolEnvironment } from "../stages.ts";

export const root = resolve(import.meta.dirname, "../..");
/** A first download of everything takes the longest. */
const COMMAND_LIMIT_MS = 15 * 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 4000;

export interface Release {
  readonly version: string;
  /** The address of the repository, for links and provenance: `https://example.com/stint`. */
  readonly repository: string | undefined;
  /** The folder for the artefacts. */
  readonly out: string;
  /** An empty folder for each artefact, outside the repository. Removed at the end. */
  readonly scratch: string;
}

export interface Artefact {
  readonly name: string;
  /** Writes into `release.out`. @returns the names of the files there */
  make(release: Release): Promise<readonly string[]>;
  /**
   * Installs it into an empty folder and uses it, without the repository. @returns what was tried, as a part of a
   * sentence @throws Error when it does not work
   */
  tryOut(release: Release, folder: string): Promise<string>;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a command to its end. @returns standard output @throws Error with the end of its output when it fails */
export function run(command: string, args: readonly string[], { cwd = root, env = {} }: RunOptions = {}): string {
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env: { ...toolEnvironment, ...env },
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: COMMAND_LIMIT_MS,
  });
  if (error !== undefined) throw new Error(`${command} cannot be run: ${error.message}`);
  if (status === 0) return stdout;
  const said = `${stdout}${stderr}`.trim().slice(-MAX_ERROR_CHARACTERS);
  throw new Error(`${[command, ...args].join(" ")}: ${signal ?? `exit status ${status}`}\n${said}`);
}

/**
 * Runs the npm that has started this script: another npm in the path may come from a dependency. @throws Error as
 * {@link run} does
 */
export function npm(args: readonly string[], options: RunOptions = {}): string {
  const { npm_execpath: command } = process.env;
  if (command === undefined) throw new Error("start it with `npm run`: it needs the npm that does so");
  return run(process.execPath, [command, ...args], options);
}

/** @throws Error when the text is missing */
export function expectText(what: string, text: string, part: string): void {
  if (!text.includes(part))
    throw new Error(`${what} has no ${JSON.stringify(part)}:\n${text.slice(-MAX_ERROR_CHARACTERS)}`);
}

export const inRoot = (...path: readonly string[]): string => join(root, ...path);
