/**
 * Notices that the shadow or a watch stalled: then it has seen late what it judges, and on a busy machine the built-in
 * controller stalled with it.
 *
 * A timer that fires late shows a stall of the shadow; an object that was changed long before it is seen, one of a
 * watch. Invariant: on a machine that keeps up nothing is noticed, whatever the difference between its clock and that
 * of the server. Leaves out a controller that stalls alone.
 */
import type { TypedObject } from "../../cluster/values/types.ts";

/** The part of a window: a shorter lag does no harm, as the look-back is a whole one. */
const LIMIT_OF_WINDOW = 1 / 2;
/** Versions of an object have times in whole seconds. */
const LEAST_LIMIT_MS = 2_000;
/** The two clocks are compared again after this many windows, because an administrator may set one of them. */
const WINDOWS_PER_COMPARISON = 30;
/** Older stalls affect nothing that is judged now. */
const KEPT_WINDOWS = 12;

interface Stall {
  readonly fromMs: number;
  readonly toMs: number;
}

export class Stalls {
  readonly #windowMs: number;
  readonly #limitMs: number;
  readonly #onStall: (lengthMs: number) => void;
  #stalls: Stall[] = [];
  /** When each version was made, by the clock of the server. */
  readonly #madeMs = new WeakMap<TypedObject, number>();
  /** How far the server's clock is behind, plus the shortest delay: the least value seen lately, and before. */
  #leastMs = Infinity;
  #leastBeforeMs = Infinity;
  #comparedSinceMs = -Infinity;

  constructor(windowMs: number, onStall: (lengthMs: number) => void) {
    this.#windowMs = windowMs;
    this.#limitMs = Math.max(windowMs * LIMIT_OF_WINDOW, LEAST_LIMIT_MS);
    this.#onStall = onStall;
  }

  timerFired(dueMs: number, nowMs: number): void {
    this.#note(dueMs, nowMs);
  }

  /** A list shows the version, however old it is; `kept` is the reduced object. */
  listed(kept: TypedObject, version: TypedObject): void {
    this.#madeMs.set(kept, timeOf(version));
  }

  /** A watch shows the version that follows `before`. */
  changed(before: TypedObject | undefined, kept: TypedObject, version: TypedObject, nowMs: number): void {
    const madeMs = timeOf(version);
    this.#madeMs.set(kept, madeMs);
    // Not every change sets a new time.
    if (before !== undefined && madeMs <= (this.#madeMs.get(before) ?? Infinity)) return;
    const agoMs = nowMs - madeMs;
    if (nowMs - this.#comparedSinceMs > WINDOWS_PER_COMPARISON * this.#windowMs) {
      this.#comparedSinceMs = nowMs;
      this.#leastBeforeMs = this.#leastMs;
      this.#leastMs = Infinity;
    }
    this.#leastMs = Math.min(this.#leastMs, agoMs);
    this.#note(madeMs + Math.min(this.#leastMs, this.#leastBeforeMs), nowMs);
  }

  /** Whether changes that were seen at that moment, or their causes, may have been seen late. */
  touch(atMs: number): boolean {
    return this.#stalls.some(({ fromMs, toMs }) => fromMs <= atMs + this.#windowMs && atMs - this.#windowMs <= toMs);
  }

  #note(fromMs: number, toMs: number): void {
    if (toMs - fromMs <= this.#limitMs) return;
    const isSame = (stall: Stall): boolean => stall.toMs >= fromMs;
    const same = this.#stalls.filter(isSame);
    const others = this.#stalls.filter((stall) => !isSame(stall) && stall.toMs > toMs - KEPT_WINDOWS * this.#windowMs);
    this.#stalls = [...others, { fromMs: Math.min(fromMs, ...same.map((stall) => stall.fromMs)), toMs }];
    if (same.length === 0) this.#onStall(toMs - fromMs);
  }
}

/** When the version was made, as far as it has a time. */
function timeOf({ metadata }: TypedObject): number {
  const fields = (metadata.managedFields ?? []) as readonly { readonly time?: string }[];
  const times = [metadata.creationTimestamp, ...fields.map(({ time }) => time)];
  return Math.max(...times.map((time) => (time === undefined ? -Infinity : Date.parse(time))));
}
