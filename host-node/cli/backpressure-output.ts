/** The output of a command that prints much: it waits for a slower reader, and reports when the reader is gone. */
import type { Console } from "./console.ts";
import { BackpressureWriter } from "./backpressure-writer.ts";

export class BackpressureOutput {
  readonly #writer: BackpressureWriter;
  readonly #closed: Promise<void>;
  #isRead = true;

  constructor(console: Console) {
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

  /** Resolves when the reader has caught up. @returns false: the reader is gone */
  async isRead(): Promise<boolean> {
    const ready = this.#writer.whenReady();
    if (ready !== undefined) await Promise.race([ready, this.#closed]);
    return this.#isRead;
  }
}
