/**
 * Commands that leave nothing behind when the user interrupts: Ctrl-C, SIGTERM and SIGHUP kill the command that runs,
 * with all that it has started, and the caller gets to clean up.
 *
 * Invariant: what the commands write for themselves (npm, pip) goes to the caller's folder too, by $TMPDIR.
 */
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { toolEnvironment } from "../stages.ts";
import { root } from "./artefact.ts";

const EXIT_STATUSES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Interrupt = keyof typeof EXIT_STATUSES;
const MAX_OUTPUT_LENGTH = 64 * 1024;
/** A line shows that its step still runs: each second in a terminal, else more slowly. */
const TERMINAL_PROGRESS_MS = 1_000;
const PROGRESS_MS = 5_000;

export class InterruptedError extends Error {
  readonly exitStatus: number;

  constructor(signal: Interrupt) {
    super("interrupted; nothing was changed");
    this.exitStatus = EXIT_STATUSES[signal];
  }
}

export interface Step {
  /** For the line of progress: `npm package`. */
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
}

export class Workshop {
  readonly folder: string;
  #interrupt: Interrupt | undefined;
  #running: number | undefined;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the folder, and removes it with all that is in it when `work` has ended in any way. */
  static async use<T>(folder: string, work: (workshop: Workshop) => Promise<T>): Promise<T> {
    const workshop = new Workshop(folder);
    const listeners = (Object.keys(EXIT_STATUSES) as Interrupt[]).map(
      (signal) => [signal, (): void => workshop.#end(signal)] as const,
    );
    for (const [signal, listener] of listeners) process.on(signal, listener);
    try {
      mkdirSync(join(folder, "tmp"), { recursive: true });
      return await work(workshop);
    } finally {
      rmSync(folder, { recursive: true, force: true });
      for (const [signal, listener] of listeners) process.off(signal, listener);
    }
  }

  /** @throws InterruptedError; Error with the end of its output when it fails */
  async run({ title, command, args, cwd = root }: Step): Promise<void> {
    this.#check();
    const stopProgress = showProgress(title);
    const child = spawn(command, args, {
      cwd,
      env: { ...toolEnvironment, TMPDIR: join(this.folder, "tmp") },
      stdio: ["ignore", "pipe", "pipe"],
      // Its own process group: killed as a whole.
      detached: true,
    });
    this.#running = child.pid;
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-MAX_OUTPUT_LENGTH)));
    const problem = await new Promise<string | undefined>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("close", (status, signal) => resolve(status === 0 ? undefined : (signal ?? `exit status ${status}`)));
    });
    this.#running = undefined;
    stopProgress();
    this.#check();
    if (problem !== undefined) throw new Error(`${[command, ...args].join(" ")}: ${problem}\n${output.trim()}`);
  }

  #check(): void {
    if (this.#interrupt !== undefined) throw new InterruptedError(this.#interrupt);
  }

  #end(signal: Interrupt): void {
    this.#interrupt ??= signal;
    if (this.#running !== undefined) process.kill(-this.#running, "SIGKILL");
  }
}

/** @returns ends the line */
function showProgress(title: string): () => void {
  const begin = performance.now();
  const seconds = (): string => ((performance.now() - begin) / 1000).toFixed(1);
  const { isTTY } = process.stdout;
  process.stdout.write(`${title}…`);
  const timer = setInterval(
    () => process.stdout.write(isTTY ? `\r${title}… ${seconds()} s` : "."),
    isTTY ? TERMINAL_PROGRESS_MS : PROGRESS_MS,
  );
  return () => {
    clearInterval(timer);
    console.log(`${isTTY ? `\r${title}…` : ""} ${seconds()} s`);
  };
}
