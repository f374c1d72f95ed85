/**
 * Real time for everything that runs on a Clock.
 *
 * Invariant: `now` never goes back, no timer fires early, and timers fire in the order of their due times, then of
 * their registration. Deferred callbacks run first-in first-out, in batches, so that a chain of them never starves I/O.
 * Leaves out jumps of the system clock: `now` is the time at the start of the process plus what has passed since.
 */
import type { Clock, Timer } from "../bindings/js/host.ts";
import { BinaryHeap } from "../cluster/values/binary-heap.ts";

/** Longest delay that setTimeout takes: 24 days. A longer timer is set again when this has passed. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** How many deferred callbacks run before I/O gets its turn. */
export const MAX_DEFERRED_PER_TURN = 1000;

/** Cancelled timers stay in the heap until there are more of them than of live ones, and at least this many. */
const MIN_CANCELLED_BEFORE_COMPACTION = 1024;

interface RealTimer {
  readonly atMs: number;
  readonly order: number;
  /** Undefined once it has fired or was cancelled. */
  callback: (() => void) | undefined;
}

/** The clock of a process. It keeps the process alive while timers are pending. */
export class RealClock implements Clock {
  readonly #timers = new BinaryHeap<RealTimer>((a, b) => (a.atMs !== b.atMs ? a.atMs < b.atMs : a.order < b.order));
  #cancelled = 0;
  #nextOrder = 0;
  #armed: NodeJS.Timeout | undefined;
  #armedForMs = Infinity;
  #deferred: (() => void)[] = [];
  #drainIsScheduled = false;
  #stopped = false;

  now(): number {
    return Math.floor(performance.timeOrigin + performance.now());
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    if (!(delayMs >= 0)) throw new RangeError(`setTimer: delayMs is ${delayMs}; allowed are 0 and more milliseconds`);
    const timer: RealTimer = { atMs: this.now() + Math.ceil(delayMs), order: this.#nextOrder++, callback };
    this.#timers.push(timer);
    this.#arm();
    return {
      cancel: () => {
        if (timer.callback === undefined) return;
        timer.callback = undefined;
        this.#compact();
      },
    };
  }

  defer(callback: () => void): void {
    this.#deferred.push(callback);
    this.#scheduleDrain();
  }

  /** After this no timer fires, and the process may end. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#armed);
    this.#deferred = [];
  }

  #arm(): void {
    let top = this.#timers.peek();
    while (top !== undefined && top.callback === undefined) {
      this.#timers.pop();
      this.#cancelled--;
      top = this.#timers.peek();
    }
    const atMs = top?.atMs ?? Infinity;
    if (this.#stopped || atMs === this.#armedForMs) return;
    clearTimeout(this.#armed);
    this.#armedForMs = atMs;
    if (atMs === Infinity) return;
    const delayMs = Math.min(MAX_TIMEOUT_MS, Math.max(0, atMs - this.now()));
    this.#armed = setTimeout(() => {
      this.#armedForMs = Infinity;
      this.#fireDue();
    }, delayMs);
  }

  #fireDue(): void {
    const nowMs = this.now();
    try {
      for (
        let top = this.#timers.peek();
        top !== undefined && top.atMs <= nowMs && !this.#stopped;
        top = this.#timers.peek()
      ) {
        this.#timers.pop();
        const { callback } = top;
        top.callback = undefined;
        if (callback === undefined) this.#cancelled--;
        else callback();
      }
    } finally {
      // Also when a callback threw: later timers must still fire.
      this.#arm();
    }
  }

  #scheduleDrain(): void {
    if (this.#drainIsScheduled || this.#stopped) return;
    this.#drainIsScheduled = true;
    setImmediate(() => {
      this.#drainIsScheduled = false;
      this.#drain();
    });
  }

  #drain(): void {
    let ran = 0;
    try {
      // Callbacks that are deferred meanwhile run in the same turn, so that a chain does not need a turn for each step.
      while (ran < this.#deferred.length && ran < MAX_DEFERRED_PER_TURN && !this.#stopped) this.#deferred[ran++]!();
    } finally {
      this.#deferred.splice(0, ran);
      if (this.#deferred.length > 0) this.#scheduleDrain();
    }
  }

  #compact(): void {
    if (++this.#cancelled < MIN_CANCELLED_BEFORE_COMPACTION || this.#cancelled * 2 < this.#timers.size) return;
    this.#timers.retain((timer) => timer.callback !== undefined);
    this.#cancelled = 0;
  }
}
