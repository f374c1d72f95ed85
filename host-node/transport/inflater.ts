/**
 * Reads a gzipped stream while it comes. An API server ends a member of the stream each time it has sent all that is
 * pending, so that clients get every event at once.
 *
 * Invariant: what arrives is handed on in order, in pieces of at most {@link PIECE_BYTES}, whatever it was compressed
 * from, and without waiting for more. While it is behind, its source is paused. The end is reported once; a stream that
 * cannot be read, or has ended within a member, ends with a problem. Leaves out when to read (paced-reader.ts): each
 * piece costs processor time, so a busy stream should come in large ones.
 */
import { createGunzip, type Gunzip } from "node:zlib";
import type { Pausable } from "./paced-reader.ts";

const PIECE_BYTES = 64 * 1024;
const HAS_NO_END = "the compressed answer continues after its end";

export interface InflaterOptions {
  readonly source: Pausable;
  readonly handOn: (bytes: Uint8Array) => void;
  /** It cannot be read. Nothing is handed on after that. */
  readonly broken: (problem: string) => void;
}

export class Inflater {
  readonly #source: Pausable;
  readonly #gunzip: Gunzip;
  #hasTaken = false;
  #ended: (problem: string | undefined) => void;

  constructor({ source, handOn, broken }: InflaterOptions) {
    this.#source = source;
    this.#ended = (problem) => broken(problem ?? HAS_NO_END);
    this.#gunzip = createGunzip({ chunkSize: PIECE_BYTES })
      .on("data", handOn)
      .on("drain", () => source.resume())
      .on("error", (error) => this.#ended(unreadable(error)))
      .on("end", () => this.#ended(undefined));
  }

  take(bytes: Uint8Array): void {
    this.#hasTaken = true;
    if (!this.#gunzip.write(bytes)) this.#source.pause();
  }

  /** Nothing more comes. Hands on what was taken, then calls back. @param ended gets the problem, if there is one */
  finish(ended: (problem: string | undefined) => void): void {
    // A server that had nothing to send has begun no member.
    if (!this.#hasTaken) return ended(undefined);
    this.#ended = ended;
    this.#gunzip.end();
  }

  /** Hands on nothing more, and tells no end. */
  stop(): void {
    this.#gunzip.destroy();
  }
}

/** The problem with compressed bytes. */
export function unreadable(error: Error): string {
  return `the compressed answer cannot be read: ${error.message}`;
}

/** A source that several receivers pause, each for itself. */
export class SharedSource {
  readonly #source: Pausable;
  #pauses = 0;

  constructor(source: Pausable) {
    this.#source = source;
  }

  /** The source for one receiver. */
  share(): Pausable {
    let isPaused = false;
    return {
      pause: () => {
        if (isPaused) return;
        isPaused = true;
        if (++this.#pauses === 1) this.#source.pause();
      },
      resume: () => {
        if (!isPaused) return;
        isPaused = false;
        if (--this.#pauses === 0) this.#source.resume();
      },
    };
  }
}
