/**
 * Reads a busy stream in a few large pieces. A watch of many pods brings an event every millisecond or so, and each
 * piece that is read alone costs processor time, whatever its size.
 *
 * Invariant: every byte is handed on once and in order. While the stream is not busy, it is handed on at once; else it
 * waits {@link PAUSE_MS} at most, unread, so that the sender is held back and the memory not filled. A stream with more
 * than {@link MUCH_BYTES} to read is read without a pause. Leaves out where lines end.
 */
import type { Clock, Timer } from "../../bindings/js/host.ts";

/** How long a busy stream rests after it was read. The engine writes the status of a Job once a second at most. */
export const PAUSE_MS = 50;
/** With so many pieces in the length of a pause a stream is busy. A Job of one pod takes six. */
export const BUSY_PIECES = 16;
/** A piece of this size is large enough: the next one is read at once. */
export const MUCH_BYTES = 32 * 1024;

/** What can be told to read no further. What it has read already, it may still give to `take`. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

export class PacedReader {
  readonly #clock: Clock;
  readonly #source: Pausable;
  readonly #handOn: (bytes: Uint8Array) => void;
  #taken: Uint8Array[] = [];
  #rest: Timer | undefined;
  /** Since when pieces are counted: for a pause at least. */
  #countedSinceMs = 0;
  #count = 0;
  /** It was busy in the pause before. */
  #wasBusy = false;

  constructor(clock: Clock, source: Pausable, handOn: (bytes: Uint8Array) => void) {
    this.#clock = clock;
    this.#source = source;
    this.#handOn = handOn;
  }

  take(chunk: Uint8Array): void {
    this.#taken.push(chunk);
    if (this.#taken.length > 1) return;
    if (this.#rest === undefined) this.#flushSoon();
    else this.#source.pause();
  }

  /** Hands on what was taken. */
  flush(): void {
    if (this.#taken.length === 0) return;
    const bytes = this.#taken.length === 1 ? this.#taken[0]! : Buffer.concat(this.#taken);
    this.#rest?.cancel();
    this.#rest = undefined;
    if (this.#isBusy(this.#taken.length) && bytes.length < MUCH_BYTES)
      this.#rest = this.#clock.setTimer(PAUSE_MS, () => this.#goOn());
    this.#taken = [];
    this.#handOn(bytes);
  }

  /** Hands on nothing more. */
  stop(): void {
    this.#rest?.cancel();
    this.#taken = [];
  }

  #isBusy(pieces: number): boolean {
    const now = this.#clock.now();
    const countedMs = now - this.#countedSinceMs;
    if (countedMs >= PAUSE_MS) {
      this.#wasBusy = this.#count >= BUSY_PIECES && countedMs < 2 * PAUSE_MS;
      this.#countedSinceMs = now;
      this.#count = 0;
    }
    this.#count += pieces;
    return this.#wasBusy || this.#count >= BUSY_PIECES;
  }

  #goOn(): void {
    this.#rest = undefined;
    if (this.#taken.length === 0) return;
    this.#flushSoon();
    this.#source.resume();
  }

  /** After all that can be read now. */
  #flushSoon(): void {
    this.#clock.defer(() => this.flush());
  }
}
