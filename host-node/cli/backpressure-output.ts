/** The output of a command that prints much: it waits for a slower reader, and reports when the reader is gone. */
import type { Console } from "./console.ts";
import { wrapped } from "./output/wrapped.ts";
import { BackpressureWriter } from "./backpressure-writer.ts";

export class BackpressureOutput {
  readonly #console: Console;
  readonly #writer: BackpressureWriter;
  readonly #closed: Promise<void>;
  #isRead = true;

  constructor(console: Console) {
    this.#console = console;
    this.#writer = new BackpressureWriter(console);
    this.#closed = new Promise((done) =>
      console.onOutputClosed(() => {
        this.#isRead = false;
        done();
      }),
    );
  }

  write(text: string): void {
    this.#writer.write(text);
  }

  /** Text for people, wrapped at the width of the terminal. */
  writeText(text: string): void {
    this.write(wrapped(text, this.#console.terminal?.().columns ?? Infinity));
  }

  /** Resolves when the reader has caught up. @returns false: the reader is gone */
  async isRead(): Promise<boolean> {
    const ready = this.#writer.whenReady();
    if (ready !== undefined) await Promise.race([ready, this.#closed]);
    return this.#isRead;
  }
}
