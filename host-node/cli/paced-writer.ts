/**
 * Standard output with back-pressure: whoever makes the output is told to wait while the reader is slower, so that a
 * container that talks without end waits for `less`, and this process stays small.
 */
import type { Console } from "./console.ts";

export class PacedWriter {
  readonly #console: Console;
  /** Told when to wait (true) and when to go on (false). */
  onPause: (paused: boolean) => void = () => {};
  #isPaused = false;
  #waiting: (() => void)[] = [];

  constructor(console: Console) {
    this.#console = console;
    console.onDrain(() => this.#resume());
  }

  /** What is being written is not refused while paused: it is already there. */
  write(text: string): void {
    if (this.#console.writeOut(text) || this.#isPaused) return;
    this.#isPaused = true;
    this.onPause(true);
  }

  /** Resolves when the reader has caught up; undefined when it has. */
  whenReady(): Promise<void> | undefined {
    return this.#isPaused ? new Promise((resolve) => this.#waiting.push(resolve)) : undefined;
  }

  #resume(): void {
    this.#isPaused = false;
    this.onPause(false);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
