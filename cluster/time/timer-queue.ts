/**
 * Timers of a virtual clock in order of their due times, and of their registration at one instant.
 *
 * Invariant: a timer that has fired or was cancelled keeps nothing in memory. Above a minimum, compaction keeps
 * cancelled timers fewer than live ones. Leaves out the current time.
 */
import type { Timer, TimerKind } from "../../bindings/js/host.ts";
import { BinaryHeap } from "../values/binary-heap.ts";

/** Cancelled timers stay in the heap until there are more of them than of live ones, and at least this many. */
const MIN_CANCELLED_BEFORE_COMPACTION = 1024;

/** Gets a call when a timer is cancelled before it fires. */
export interface TimerOwner {
  timerCancelled(timer: QueuedTimer): void;
}

export class QueuedTimer implements Timer {
  at: number;
  readonly order: number;
  /** Undefined when the timer has fired or was cancelled. */
  callback: (() => void) | undefined;
  readonly kind: TimerKind;
  readonly #owner: TimerOwner;

  constructor(owner: TimerOwner, at: number, order: number, callback: () => void, kind: TimerKind) {
    this.#owner = owner;
    this.at = at;
    this.order = order;
    this.callback = callback;
    this.kind = kind;
  }

  cancel(): void {
    if (this.callback === undefined) return;
    this.callback = undefined;
    this.#owner.timerCancelled(this);
  }
}

export class TimerQueue {
  readonly #heap = new BinaryHeap<QueuedTimer>(isBefore);
  #cancelled = 0;

  push(timer: QueuedTimer): void {
    this.#heap.push(timer);
  }

  /** The next live timer. */
  peek(): QueuedTimer | undefined {
    for (let top = this.#heap.peek(); top !== undefined; top = this.#heap.peek()) {
      if (top.callback !== undefined) return top;
      this.#heap.pop();
      this.#cancelled--;
    }
    return undefined;
  }

  /** Takes out what `peek` returned. */
  pop(): void {
    this.#heap.pop();
  }

  /** Counts a cancelled timer of this queue. */
  noteCancelled(): void {
    this.#cancelled++;
    if (this.#cancelled < MIN_CANCELLED_BEFORE_COMPACTION || this.#cancelled * 2 < this.#heap.size) return;
    this.#heap.retain((timer) => timer.callback !== undefined);
    this.#cancelled = 0;
  }

  /** Delays all timers by this time. */
  delay(ms: number): void {
    // Their order stays, so the heap need not know.
    this.#heap.forEach((timer) => (timer.at += ms));
  }
}

export function isBefore(a: QueuedTimer, b: QueuedTimer): boolean {
  return a.at !== b.at ? a.at < b.at : a.order < b.order;
}
