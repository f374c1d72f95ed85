/**
 * Splits what an engine sends of a container without a terminal: frames, each with eight bytes before it that say which
 * stream it is of and how long it is.
 */
import type { OutputStream } from "../../../cluster/kubelet/container-log.ts";

const HEADER_BYTES = 8;
const STDERR = 2;

export class OutputFrames {
  readonly #onOutput: (stream: OutputStream, chunk: Buffer) => void;
  #header = Buffer.alloc(0);
  /** Bytes of the present frame that are still to come. */
  #left = 0;
  #stream: OutputStream = "stdout";

  constructor(onOutput: (stream: OutputStream, chunk: Buffer) => void) {
    this.#onOutput = onOutput;
  }

  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#left > 0) {
        const chunk = rest.subarray(0, this.#left);
        this.#left -= chunk.length;
        rest = rest.subarray(chunk.length);
        this.#onOutput(this.#stream, chunk);
        continue;
      }
      const missing = HEADER_BYTES - this.#header.length;
      this.#header = Buffer.concat([this.#header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (this.#header.length < HEADER_BYTES) return;
      this.#stream = this.#header[0] === STDERR ? "stderr" : "stdout";
      this.#left = this.#header.readUInt32BE(4);
      this.#header = Buffer.alloc(0);
    }
  }
}
