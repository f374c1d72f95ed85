/**
 * Reads a busy stream in a few large pieces. A watch of many pods brings an event every millisecond or two, and each
 * piece that is read alone costs processor time, whatever its size.
 *
 * Invariant: every byte is handed on once and in order. What comes after a silence is handed on at once; anything else
 * waits {@link PAUSE_MS} at most, unread, so that the sender is held back and not the memory filled. A sender with more
 * than {@link MUCH_BYTES} to say is read without a pause. Leaves out where lines end.
 */
import type { Clock, Timer } from "../../bindings/js/host.ts";

/** How long a stream rests after it was read. The engine writes the status of a Job once a second at most. */
export const PAUSE_MS = 50;
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
    this.#taken = [];
    this.#rest?.cancel();
    this.#rest = undefined;
    if (bytes.length < MUCH_BYTES) this.#rest = this.#clock.setTimer(PAUSE_MS, () => this.#goOn());
    this.#handOn(bytes);
  }

  /** Hands on nothing more. */
  stop(): void {
    this.#rest?.cancel();
    this.#taken = [];
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
