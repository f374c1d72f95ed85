/**
 * Virtual time for the in-memory cluster: time stops until the caller advances it, and then jumps from timer to timer.
 *
 * Invariant: callbacks run one after another, never inside the call that registered them, ordered by due time and then
 * by registration. Deferred callbacks of an instant all run before time moves. So a run is one deterministic sequence.
 * Leaves out real time, which belongs to the hosts.
 */
import type { Clock, Timer, TimerKind } from "../../bindings/js/host.ts";
import { isBefore, QueuedTimer, type TimerOwner, TimerQueue } from "./timer-queue.ts";

/** If more callbacks than this run without time moving, the clock reports a livelock. */
export const MAX_CALLBACKS_AT_ONE_INSTANT = 10_000_000;

/** Longest delay of a timer: about 285 years, far below the integers that a double holds exactly. */
export const MAX_TIMER_DELAY_MS = 9e12;

/** Heartbeats are left out only after this time without other timers: by then, silent nodes have been found. */
export const IDLE_BEFORE_LEAVING_OUT_MS = 120_000;
/** Before other work is due, heartbeats are played again, so that the work sees fresh ones. */
const PLAYED_BEFORE_WORK_MS = 60_000;
/** Heartbeats are left out by whole minutes, a multiple of their periods: so each keeps its phase. */
const LEFT_OUT_UNIT_MS = 60_000;

export interface VirtualClockOptions {
  /** See MAX_CALLBACKS_AT_ONE_INSTANT, the default. */
  readonly maxCallbacksAtOneInstant?: number;
}

/** A Clock that moves only when advanced. All times are integer milliseconds since 1970. */
export class VirtualClock implements Clock, TimerOwner {
  #nowMs: number;
  readonly #maxCallbacks: number;
  readonly #timers = new TimerQueue();
  readonly #heartbeats = new TimerQueue();
  /** Live timers of work. */
  #work = 0;
  #leftOutMs = 0;
  /** When there was last work to do, or a call came from outside. */
  #stirredMs: number;
  #isRunning = false;
  #nextOrder = 0;
  /** Those that have run are undefined. */
  readonly #deferred: ((() => void) | undefined)[] = [];
  /** First deferred callback that has not run; the array is cut when all have. */
  #deferredHead = 0;
  #callbacksAtThisInstant = 0;

  constructor(startMs: number, options: VirtualClockOptions = {}) {
    this.#nowMs = integerMs("startMs", startMs);
    this.#stirredMs = this.#nowMs;
    this.#maxCallbacks = options.maxCallbacksAtOneInstant ?? MAX_CALLBACKS_AT_ONE_INSTANT;
  }

  now(): number {
    return this.#nowMs;
  }

  leftOutMs(): number {
    return this.#leftOutMs;
  }

  setTimer(delayMs: number, callback: () => void, kind: TimerKind = "work"): Timer {
    if (!(delayMs >= 0)) throw new RangeError(`setTimer: delayMs is ${delayMs}; allowed are 0 and more milliseconds`);
    // Fractions are rounded up: a timer never fires early.
    const at = this.#nowMs + Math.ceil(Math.min(delayMs, MAX_TIMER_DELAY_MS));
    const timer = new QueuedTimer(this, at, this.#nextOrder++, callback, kind);
    this.#queueOf(timer).push(timer);
    if (kind === "work") this.#work++;
    if (kind === "work" || !this.#isRunning) this.#stir();
    return timer;
  }

  defer(callback: () => void): void {
    if (!this.#isRunning) this.#stir();
    this.#deferred.push(callback);
  }

  /** Due time of the next timer in milliseconds since 1970; Infinity if no timer is set. */
  nextTimerAt(): number {
    return this.#next()?.at ?? Infinity;
  }

  /**
   * Leaves out heartbeats, if for some time there was nothing but heartbeats, and there will be nothing else for a
   * while: the due ones are postponed by whole minutes, and `leftOutMs` grows by as much. Time itself does not move.
   * @param untilMs up to where time will be moved; infinity: as long as there is something to do
   */
  leaveOutHeartbeats(untilMs: number): void {
    if (this.#nowMs - this.#stirredMs < IDLE_BEFORE_LEAVING_OUT_MS || this.hasDeferred()) return;
    const endMs = Math.min(untilMs, this.#timers.peek()?.at ?? Infinity) - PLAYED_BEFORE_WORK_MS;
    const units = Math.floor((endMs - (this.#heartbeats.peek()?.at ?? Infinity)) / LEFT_OUT_UNIT_MS);
    if (!Number.isFinite(units) || units < 1) return;
    this.#heartbeats.delay(units * LEFT_OUT_UNIT_MS);
    this.#leftOutMs += units * LEFT_OUT_UNIT_MS;
  }

  /** False when only housekeeping will ever happen without a further call. */
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
    // A callback that has run keeps nothing in memory, however long the chain is.
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
    else return this.#fireNext(Infinity);
    return true;
  }

  /**
   * Runs deferred callbacks, then moves to the next timer, runs that one timer, and then the callbacks that it
   * deferred.
   * @returns false if there was no timer; then time has not moved.
   */
  step(): boolean {
    this.runDeferred();
    if (!this.#fireNext(Infinity)) return false;
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
    this.leaveOutHeartbeats(ms);
    while (this.#fireNext(ms)) {
      this.runDeferred();
      this.leaveOutHeartbeats(ms);
    }
    if (this.#nowMs < ms) this.#moveTo(ms);
  }

  /** Only for QueuedTimer.cancel. */
  timerCancelled(timer: QueuedTimer): void {
    if (timer.kind === "work") this.#work--;
    if (timer.kind === "work" || !this.#isRunning) this.#stir();
    this.#queueOf(timer).noteCancelled();
  }

  #queueOf({ kind }: QueuedTimer): TimerQueue {
    return kind === "heartbeat" ? this.#heartbeats : this.#timers;
  }

  #next(): QueuedTimer | undefined {
    const timer = this.#timers.peek();
    const heartbeat = this.#heartbeats.peek();
    if (timer === undefined || heartbeat === undefined) return timer ?? heartbeat;
    return isBefore(heartbeat, timer) ? heartbeat : timer;
  }

  /** @returns false if no timer is due up to and including that instant */
  #fireNext(untilMs: number): boolean {
    const timer = this.#next();
    if (timer === undefined || timer.at > untilMs) return false;
    this.#queueOf(timer).pop();
    if (timer.at > this.#nowMs) this.#moveTo(timer.at);
    const callback = timer.callback!;
    timer.callback = undefined;
    if (timer.kind === "work") {
      this.#work--;
      this.#stir();
    }
    this.#run(callback);
    return true;
  }

  /** Work was added, or a call came from outside: from no callback of this clock. */
  #stir(): void {
    this.#stirredMs = this.#nowMs;
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
    this.#isRunning = true;
    try {
      callback();
    } finally {
      this.#isRunning = false;
    }
  }
}

function integerMs(what: string, ms: number): number {
  if (!Number.isInteger(ms) || ms < 0)
    throw new RangeError(`${what}: ${ms} is not a time; allowed are whole milliseconds, 0 or more`);
  return ms;
}
