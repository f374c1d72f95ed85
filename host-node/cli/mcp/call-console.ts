/**
 * The console of a command that is a tool: what the command prints is kept for the answer, and a call that the client
 * cancels reaches the command as a signal.
 *
 * Invariant: nothing of it reaches the streams of the process, of which standard output has the protocol.
 */
import type { Console, StopSignal } from "../console.ts";

export class CallConsole implements Console {
  out = "";
  err = "";
  readonly terminal = undefined;
  readonly isErrorTerminal = false;
  readonly outputProblem = undefined;
  readonly environment: Console["environment"];
  readonly workingDirectory: string;
  readonly command: string;
  readonly #cancelled: AbortSignal;

  constructor({ environment, workingDirectory, command }: Console, cancelled = new AbortController().signal) {
    this.environment = environment;
    this.workingDirectory = workingDirectory;
    this.command = command;
    this.#cancelled = cancelled;
  }

  writeOut(text: string): boolean {
    this.out += text;
    return true;
  }

  writeError(text: string): void {
    this.err += text;
  }

  /** It takes everything at once. */
  onDrain(_callback: () => void): void {}

  onOutputClosed(_callback: () => void): void {}

  /** A tool reads no standard input. */
  onInputClosed(_callback: () => void): () => void {
    return () => {};
  }

  onSignal(callback: (signal: StopSignal) => void): () => void {
    const stop = (): void => callback("SIGTERM");
    if (this.#cancelled.aborted) queueMicrotask(stop);
    else this.#cancelled.addEventListener("abort", stop, { once: true });
    return () => this.#cancelled.removeEventListener("abort", stop);
  }

  /** Standard output as JSON, an object a line. */
  get lines(): readonly Record<string, unknown>[] {
    return this.out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** The lines of standard error, without the name of the program. */
  get notes(): readonly string[] {
    return this.err
      .split("\n")
      .map((line) => line.replace(/^stint: /, "").trimEnd())
      .filter((line) => line !== "");
  }
}
