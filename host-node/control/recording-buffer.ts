/**
 * A recording in memory, in the form of `--record`. It may be read at any time.
 *
 * Invariant: it has a limit. Later calls are left out, and a reader of the recording sees that the end is missing.
 */
import { Recorder } from "../../bindings/js/recorder.ts";
import { sha256 } from "../recording-file.ts";

/** A thousand pods take some 20 MB. */
const MAX_RECORDING_BYTES = 256 * 1024 * 1024;

export class RecordingBuffer {
  readonly recorder: Recorder;
  readonly #lines: string[] = [];
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_RECORDING_BYTES) {
    this.#maxBytes = maxBytes;
    this.recorder = new Recorder({ write: (line) => this.#add(line), sha256 });
  }

  bytes(): Uint8Array {
    return Buffer.from(this.#lines.map((line) => `${line}\n`).join(""));
  }

  #add(line: string): void {
    this.#bytes += line.length + 1;
    if (this.#bytes <= this.#maxBytes) this.#lines.push(line);
  }
}
