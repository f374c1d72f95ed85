/**
 * Reads a busy stream in a few large pieces. A watch of many pods brings an event every millisecond or so, and each
 * piece that is read alone costs processor time, whatever its size.
 *
 * Invariant: every byte is handed on once and in order. While the stream is not busy, bytes are handed on in the turn
 * of the event loop that brings them; else they wait for about {@link PAUSE_MS}. Meanwhile no more is read than the
 * buffer of the socket holds, so that the sender gets backpressure. A stream with more than {@link MUCH_BYTES} to read
 * is read without a pause. Leaves out where lines end.
 */
import type { Clock, Timer } from "../../bindings/js/host.ts";

/** How long a busy stream pauses after it was read. The engine writes the status of a Job once a second at most. */
export const PAUSE_MS = 100;
/** A stream is busy if this many pieces arrive in the length of a pause. A Job of one pod takes six. */
export const BUSY_PIECES = 32;
/** A piece of this size is large enough: the next one is read at once. */
export const MUCH_BYTES = 128 * 1024;

/** A source that can pause reading. What it has read already, it may still give to `take`. */
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
  /** When the present count began. It lasts for {@link PAUSE_MS} or longer. */
  #countedSinceMs = 0;
  #count = 0;
  /** The count before this one was that of a busy stream. */
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

  /** Passes on the bytes that were read. Nothing comes after that. */
  finish(): void {
    this.#flush();
    this.stop();
  }

  /** Passes on nothing more. */
  stop(): void {
    this.#rest?.cancel();
    this.#taken = [];
  }

  #flush(): void {
    const taken = this.#taken;
    if (taken.length === 0) return;
    this.#taken = [];
    const bytes = taken.length === 1 ? taken[0]! : Buffer.concat(taken);
    if (this.#isBusy(taken.length) && bytes.length < MUCH_BYTES)
      this.#rest = this.#clock.setTimer(PAUSE_MS, () => this.#goOn());
    this.#handOn(bytes);
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

  /** Flushes after everything that can be read now. */
  #flushSoon(): void {
    this.#clock.defer(() => this.#flush());
  }
}
