/** What the command line uses of its process: streams, environment, signals. Tests pass their own. */
import { finished } from "node:stream";
import { writeProblem } from "../usage-error.ts";
import { howCalled } from "./how-called.ts";

/** What a command needs of its process. Every write is synchronous for the caller; `writeOut` says when to pause. */
export interface Console {
  /** False when the reader is slower than the writer; `onDrain` calls back when it has caught up. */
  writeOut(text: string): boolean;
  writeError(text: string): void;
  onDrain(callback: () => void): void;
  /**
   * Standard output cannot be written any more: its reader has gone, or there is an `outputProblem`. A command that
   * does not ask for this continues, because a reader may leave after the first lines of a help text or of a log.
   */
  onOutputClosed(callback: () => void): void;
  /**
   * Why standard output cannot be written, in a few words. Undefined while it can be, and when only its reader has
   * gone.
   */
  readonly outputProblem: string | undefined;
  /** Undefined: standard output is no terminal. */
  readonly terminal: (() => { readonly columns: number; readonly rows: number }) | undefined;
  /** Whether standard error is a terminal. */
  readonly isErrorTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** How the user called this command, for commands that it proposes: `stint`, `node dist/stint.mjs`. */
  readonly command: string;
  /**
   * Calls back when the process at the other end of standard input closes it or ends. Input is dropped. Call the result
   * to stop listening; until then this process keeps running.
   */
  onInputClosed(callback: () => void): () => void;
  /** Calls back for Ctrl-C and other signals that ask the process to end. Call the result to stop listening. */
  onSignal(callback: (signal: StopSignal) => void): () => void;
}

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";
const STOP_SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The size of a terminal that reports none, or 0. */
const USUAL_TERMINAL = { columns: 80, rows: 24 };

/** The size of a terminal in characters; a usual size where it reports none. */
export function terminalSize({ columns, rows }: { readonly columns: number; readonly rows: number }): {
  readonly columns: number;
  readonly rows: number;
} {
  return { columns: columns || USUAL_TERMINAL.columns, rows: rows || USUAL_TERMINAL.rows };
}

/** The console of this process. */
export function processConsole(): Console {
  const { stdout, stderr } = process;
  let outputProblem: string | undefined;
  // A pipe reports EPIPE, and a terminal that is gone reports EIO.
  const isReaderGone = ({ code }: NodeJS.ErrnoException): boolean =>
    code === "EPIPE" || (code === "EIO" && stdout.isTTY);
  stdout.on("error", (error) => {
    if (!isReaderGone(error)) outputProblem ??= writeProblem(error);
  });
  stderr.on("error", () => {}); // Standard error is gone, so there is no way to report it.
  return {
    get outputProblem() {
      return outputProblem;
    },
    writeOut: (text) => stdout.write(text),
    writeError: (text) => void stderr.write(text),
    onDrain: (callback) => void stdout.on("drain", callback),
    onOutputClosed: (callback) => void stdout.on("error", () => callback()),
    terminal: stdout.isTTY ? () => terminalSize(stdout) : undefined,
    isErrorTerminal: stderr.isTTY === true,
    environment: process.env,
    workingDirectory: process.cwd(),
    command: howCalled({
      script: process.argv[1] ?? "",
      workingDirectory: process.cwd(),
      path: process.env["PATH"] ?? "",
    }),
    onInputClosed: (callback) => {
      const { stdin } = process;
      const forget = finished(stdin.resume(), { writable: false }, callback);
      return () => {
        forget();
        stdin.pause();
      };
    },
    onSignal: (callback) => {
      const listeners = STOP_SIGNALS.map((signal) => {
        const listener = (): void => callback(signal);
        process.on(signal, listener);
        return () => process.off(signal, listener);
      });
      return () => listeners.forEach((remove) => remove());
    },
  };
}
