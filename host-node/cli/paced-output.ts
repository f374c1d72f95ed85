/** The output of a command that tells much: it waits for a slower reader, and says when nobody reads any more. */
import type { Console } from "./console.ts";
import { PacedWriter } from "./paced-writer.ts";

export class PacedOutput {
  readonly #writer: PacedWriter;
  readonly #closed: Promise<void>;
  #isRead = true;

  constructor(console: Console) {
    this.#writer = new PacedWriter(console);
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

  /** Resolves when the reader has caught up. @returns false: nobody reads any more */
  async isRead(): Promise<boolean> {
    const ready = this.#writer.whenReady();
    if (ready !== undefined) await Promise.race([ready, this.#closed]);
    return this.#isRead;
  }
}
