/**
 * Virtual time for the in-memory cluster: time stands still until somebody advances it, and then jumps from timer to
 * timer.
 *
 * Invariant: callbacks run one after another, never inside the call that registered them, ordered by due time and then
 * by registration. Deferred callbacks of an instant all run before time moves. So a run is one deterministic sequence.
 * Leaves out real time, which belongs to the hosts.
 */
import type { Clock, Timer } from "../bindings/js/host.ts";
import { BinaryHeap } from "./binary-heap.ts";

/** If more callbacks than this run without time moving, the clock reports a livelock. */
export const MAX_CALLBACKS_AT_ONE_INSTANT = 10_000_000;

/** Longest delay of a timer: about 285 years, far below the integers that a double holds exactly. */
export const MAX_TIMER_DELAY_MS = 9e12;

/** Cancelled timers stay in the heap until there are more of them than of live ones, and at least this many. */
const MIN_CANCELLED_BEFORE_COMPACTION = 1024;

class VirtualTimer implements Timer {
  readonly at: number;
  readonly order: number;
  /** Undefined when the timer has fired or was cancelled, so that a dead timer keeps nothing in memory. */
  callback: (() => void) | undefined;
  readonly isHousekeeping: boolean;
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock, at: number, order: number, callback: () => void, isHousekeeping: boolean) {
    this.#clock = clock;
    this.at = at;
    this.order = order;
    this.callback = callback;
    this.isHousekeeping = isHousekeeping;
  }

  cancel(): void {
    if (this.callback === undefined) return;
    this.callback = undefined;
    this.#clock.timerCancelled(this);
  }
}

export interface VirtualClockOptions {
  /** See MAX_CALLBACKS_AT_ONE_INSTANT, the default. */
  readonly maxCallbacksAtOneInstant?: number;
}

/** A Clock that moves only when advanced. All times are integer milliseconds since 1970. */
export class VirtualClock implements Clock {
  #nowMs: number;
  readonly #maxCallbacks: number;
  readonly #timers = new BinaryHeap<VirtualTimer>(before);
  #cancelled = 0;
  /** Live timers that are not housekeeping. */
  #work = 0;
  #nextOrder = 0;
  /** Those that have run are undefined. */
  readonly #deferred: ((() => void) | undefined)[] = [];
  /** First deferred callback that has not run; the array is cut when all have. */
  #deferredHead = 0;
  #callbacksAtThisInstant = 0;

  constructor(startMs: number, options: VirtualClockOptions = {}) {
    this.#nowMs = integerMs("startMs", startMs);
    this.#maxCallbacks = options.maxCallbacksAtOneInstant ?? MAX_CALLBACKS_AT_ONE_INSTANT;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void, isHousekeeping = false): Timer {
    if (!(delayMs >= 0)) throw new RangeError(`setTimer: delayMs is ${delayMs}; allowed are 0 and more milliseconds`);
    // Fractions are rounded up: a timer never fires early.
    const at = this.#nowMs + Math.ceil(Math.min(delayMs, MAX_TIMER_DELAY_MS));
    const timer = new VirtualTimer(this, at, this.#nextOrder++, callback, isHousekeeping);
    this.#timers.push(timer);
    if (!isHousekeeping) this.#work++;
    return timer;
  }

  defer(callback: () => void): void {
    this.#deferred.push(callback);
  }

  /** Due time of the next timer in milliseconds since 1970; Infinity if no timer is set. */
  nextTimerAt(): number {
    this.#dropCancelledTop();
    return this.#timers.peek()?.at ?? Infinity;
  }

  /** False when all that will ever happen by itself is housekeeping. */
  hasWork(): boolean {
    return this.#work > 0 || this.hasDeferred();
  }

  /** True while a callback waits to run at this instant. */
  hasDeferred(): boolean {
    return this.#deferredHead < this.#deferred.length;
  }

  /**
   * Runs all deferred callbacks, and those that they defer, without moving time.
   * @throws Error when more than the allowed number of callbacks run at one instant.
   */
  runDeferred(): void {
    while (this.hasDeferred()) this.#run(this.#takeDeferred());
  }

  #takeDeferred(): () => void {
    const callback = this.#deferred[this.#deferredHead]!;
    // What has run keeps nothing in memory, however long the chain is.
    this.#deferred[this.#deferredHead++] = undefined;
    if (this.#deferredHead === this.#deferred.length || this.#deferredHead === 65_536) {
      this.#deferred.splice(0, this.#deferredHead);
      this.#deferredHead = 0;
    }
    return callback;
  }

  /**
   * Runs one callback: the next one that is deferred, or else the next timer, to which time moves. For callers that
   * have other work in between: a single instant may have a million callbacks.
   * @returns false if there is neither
   */
  runNext(): boolean {
    if (this.hasDeferred()) this.#run(this.#takeDeferred());
    else if (this.nextTimerAt() !== Infinity) this.#fireTop();
    else return false;
    return true;
  }

  /**
   * Runs deferred callbacks, then moves to the next timer, runs that one timer, and then the callbacks that it
   * deferred.
   * @returns false if there was no timer; then time has not moved.
   */
  step(): boolean {
    this.runDeferred();
    const at = this.nextTimerAt();
    if (at === Infinity) return false;
    this.#fireTop();
    this.runDeferred();
    return true;
  }

  /** Runs everything due in the next `ms` milliseconds and leaves the clock at the end of them. */
  advance(ms: number): void {
    this.advanceTo(this.#nowMs + integerMs("advance", ms));
  }

  /** Runs everything due up to and including the instant `ms` (since 1970) and leaves the clock there. */
  advanceTo(ms: number): void {
    integerMs("advanceTo", ms);
    if (ms < this.#nowMs)
      throw new RangeError(`advanceTo: ${ms} lies before the current time ${this.#nowMs}; time never goes back`);
    this.runDeferred();
    while (this.nextTimerAt() <= ms) {
      this.#fireTop();
      this.runDeferred();
    }
    if (this.#nowMs < ms) this.#moveTo(ms);
  }

  /** Only for VirtualTimer.cancel. */
  timerCancelled({ isHousekeeping }: VirtualTimer): void {
    if (!isHousekeeping) this.#work--;
    this.#cancelled++;
    if (this.#cancelled < MIN_CANCELLED_BEFORE_COMPACTION || this.#cancelled * 2 < this.#timers.size) return;
    this.#timers.retain((timer) => timer.callback !== undefined);
    this.#cancelled = 0;
  }

  #fireTop(): void {
    const timer = this.#timers.pop()!;
    if (timer.at > this.#nowMs) this.#moveTo(timer.at);
    const callback = timer.callback!;
    timer.callback = undefined;
    if (!timer.isHousekeeping) this.#work--;
    this.#run(callback);
  }

  #moveTo(ms: number): void {
    this.#nowMs = ms;
    this.#callbacksAtThisInstant = 0;
  }

  #run(callback: () => void): void {
    if (++this.#callbacksAtThisInstant > this.#maxCallbacks) {
      throw new Error(
        `livelock: more than ${this.#maxCallbacks} callbacks ran at the instant ${new Date(this.#nowMs).toISOString()} without time moving; something defers itself for ever`,
      );
    }
    callback();
  }

  #dropCancelledTop(): void {
    for (let top = this.#timers.peek(); top !== undefined && top.callback === undefined; top = this.#timers.peek()) {
      this.#timers.pop();
      this.#cancelled--;
    }
  }
}

function before(a: VirtualTimer, b: VirtualTimer): boolean {
  return a.at !== b.at ? a.at < b.at : a.order < b.order;
}

function integerMs(what: string, ms: number): number {
  if (!Number.isInteger(ms) || ms < 0)
    throw new RangeError(`${what}: ${ms} is not a time; allowed are whole milliseconds, 0 or more`);
  return ms;
}
