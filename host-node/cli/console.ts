/** What the command line has of the process it runs in: streams, environment, signals. Tests hand in others. */
import { writeProblem } from "../usage-error.ts";

export interface Console {
  /** False when the reader is slower than the writer; `onDrain` tells when it has caught up. */
  writeOut(text: string): boolean;
  writeError(text: string): void;
  onDrain(callback: () => void): void;
  /**
   * Nothing can be written to standard output any more: its reader has gone, or there is an `outputProblem`. A command
   * that does not ask goes on: whoever reads the first lines of a help text or of a log may go then.
   */
  onOutputClosed(callback: () => void): void;
  /**
   * Why standard output cannot be written, in a few words; undefined while it can be, and when its reader has merely
   * gone.
   */
  readonly outputProblem: string | undefined;
  /** Undefined: standard output is no terminal. */
  readonly terminal: (() => { readonly columns: number; readonly rows: number }) | undefined;
  /** Whether standard error is one. */
  readonly isErrorTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** Interruption and termination: Ctrl-C and its like. Calling the result ends it. */
  onSignal(callback: (signal: StopSignal) => void): () => void;
}

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";
const STOP_SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** What a terminal has that does not say how large it is, or says 0. */
const USUAL_TERMINAL = { columns: 80, rows: 24 };

export function terminalSize({ columns, rows }: { readonly columns: number; readonly rows: number }): {
  readonly columns: number;
  readonly rows: number;
} {
  return { columns: columns || USUAL_TERMINAL.columns, rows: rows || USUAL_TERMINAL.rows };
}

export function processConsole(): Console {
  const { stdout, stderr } = process;
  let outputProblem: string | undefined;
  // A pipe says the one, a terminal that is gone the other.
  const isReaderGone = ({ code }: NodeJS.ErrnoException): boolean =>
    code === "EPIPE" || (code === "EIO" && stdout.isTTY);
  stdout.on("error", (error) => {
    if (!isReaderGone(error)) outputProblem ??= writeProblem(error);
  });
  stderr.on("error", () => {}); // There is nobody left to tell.
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
