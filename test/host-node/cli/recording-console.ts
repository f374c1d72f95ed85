/** A Console that keeps what is written and lets a test send signals. */
import type { Console, StopSignal } from "../../../host-node/cli/console.ts";

export class RecordingConsole implements Console {
  out = "";
  err = "";
  terminal: Console["terminal"];
  readonly isErrorTerminal = false;
  outputProblem: string | undefined;
  readonly environment = {};
  readonly workingDirectory: string;
  readonly command = "stint";
  readonly #listeners = new Set<(signal: StopSignal) => void>();
  #waiting: { text: string; resolve: () => void }[] = [];
  #closeOutput = (): void => {};

  constructor(workingDirectory: string) {
    this.workingDirectory = workingDirectory;
  }

  writeOut(text: string): boolean {
    this.out += text;
    this.#waiting = this.#waiting.filter(({ text: wanted, resolve }) => {
      const isThere = this.out.includes(wanted);
      if (isThere) resolve();
      return !isThere;
    });
    return true;
  }

  writeError(text: string): void {
    this.err += text;
  }

  /** The reader always keeps up. */
  onDrain(_callback: () => void): void {}

  onOutputClosed(callback: () => void): void {
    this.#closeOutput = callback;
  }

  /** It is never closed. */
  onInputClosed(_callback: () => void): () => void {
    return () => {};
  }

  onSignal(callback: (signal: StopSignal) => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  send(signal: StopSignal): void {
    for (const listener of this.#listeners) listener(signal);
  }

  closeOutput(): void {
    this.#closeOutput();
  }

  /** Resolves once this has been written to standard output. */
  outHas(text: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.out.includes(text)) resolve();
      else this.#waiting.push({ text, resolve });
    });
  }

  /** Standard output as JSON lines. */
  get lines(): readonly Record<string, any>[] {
    return this.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, any>);
  }
}
