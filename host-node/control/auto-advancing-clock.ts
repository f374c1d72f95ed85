/**
 * A virtual clock for a cluster whose clients do not know of it. It runs what is due at the present instant in the next
 * turn of the event loop, so a client sees the pods of its Job without a call that advances time.
 *
 * Invariant: time itself moves only when a caller advances it. What a callback throws goes to `onError`, not to the
 * process.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Timer, TimerKind } from "../../bindings/js/host.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";

/** Callbacks before the rest of the process gets its turn. They take a few hundredths of a second. */
const CALLBACKS_A_TURN = 2_000;

export class AutoAdvancingClock extends VirtualClock {
  readonly #onError: (error: Error) => void;
  #isAwake = false;
  #isStopped = false;

  constructor(startMs: number, onError: (error: Error) => void) {
    super(startMs);
    this.#onError = onError;
  }

  override defer(callback: () => void): void {
    super.defer(callback);
    this.#wake();
  }

  override setTimer(delayMs: number, callback: () => void, kind?: TimerKind): Timer {
    const timer = super.setTimer(delayMs, callback, kind);
    if (delayMs <= 0) this.#wake();
    return timer;
  }

  /** Something is due at this instant. */
  get isDue(): boolean {
    return !this.#isStopped && (this.hasDeferred() || this.nextTimerAt() <= this.now());
  }

  /** Runs what is due at this instant, or a part of it. */
  runDue(): void {
    try {
      for (let callbacks = 0; callbacks < CALLBACKS_A_TURN && this.isDue; callbacks++) this.runNext();
    } catch (error) {
      this.stop();
      this.#onError(error as Error);
    }
  }

  /** From now on time no longer advances automatically. */
  stop(): void {
    this.#isStopped = true;
  }

  #wake(): void {
    if (this.#isAwake || this.#isStopped) return;
    this.#isAwake = true;
    void this.#runByItself();
  }

  async #runByItself(): Promise<void> {
    do {
      await turn();
      this.runDue();
    } while (this.isDue);
    this.#isAwake = false;
  }
}
