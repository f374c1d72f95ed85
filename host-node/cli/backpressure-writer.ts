/**
 * Standard output with backpressure. While the reader is slower, `onPause` asks the source of the output to wait. So a
 * container that prints without end waits for `less`, and this process stays small.
 */
import type { Console } from "./console.ts";

export class BackpressureWriter {
  readonly #console: Console;
  /** Is called with true when the source must wait, and with false when it may continue. */
  onPause: (paused: boolean) => void = () => {};
  #isPaused = false;
  #waiting: (() => void)[] = [];

  constructor(console: Console) {
    this.#console = console;
    console.onDrain(() => this.#resume());
  }

  /** Text is accepted even while paused, because it exists already. */
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
