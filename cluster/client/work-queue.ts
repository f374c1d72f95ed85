/**
 * The work queue of a controller: each key once, a few keys at a time, and failed keys again after a growing delay.
 *
 * Invariant: no key is processed twice at the same time. A key that is added while it is being processed is processed
 * again afterwards. The queue holds each existing key at most once, so the number of objects limits its size. Source:
 * client-go workqueue.
 */
import type { Clock, Timer, TimerKind } from "../../bindings/js/host.ts";

/** The backoff of a failed key: the first delay, doubled with each failure, and the longest. */
export interface Retry {
  readonly retryInitialMs: number;
  readonly retryMaxMs: number;
}

export interface WorkQueueOptions<K> extends Retry {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Keys worked on at the same time. */
  readonly concurrency: number;
  /** Processes a key, and calls `done` once. `againAfterMs`: no failure, but the key must be processed again later. */
  work(key: K, done: (outcome: WorkOutcome) => void): void;
}

/** The backoff of a failed key, unless the controller sets another: client-go's default for a key. */
export const DEFAULT_RETRY: Retry = { retryInitialMs: 5, retryMaxMs: 1_000_000 };

export type WorkOutcome = "done" | "failed" | { readonly againAfterMs: number; readonly kind?: TimerKind };

export class WorkQueue<K> {
  readonly #options: WorkQueueOptions<K>;
  readonly #waiting = new Set<K>();
  readonly #inProgress = new Set<K>();
  /** Keys that were added while in progress. */
  readonly #dirty = new Set<K>();
  /** Keys that were forgotten while in progress. */
  readonly #forgotten = new Set<K>();
  readonly #failures = new Map<K, number>();
  readonly #timers = new Map<K, Timer>();
  #passQueued = false;
  #stopped = false;

  constructor(options: WorkQueueOptions<K>) {
    this.#options = options;
  }

  add(key: K): void {
    if (this.#stopped) return;
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    this.#forgotten.delete(key);
    if (this.#inProgress.has(key)) this.#dirty.add(key);
    else this.#waiting.add(key);
    this.#queuePass();
  }

  /** The key no longer exists. Processing that is under way continues, but is not repeated. */
  forget(key: K): void {
    this.#waiting.delete(key);
    this.#dirty.delete(key);
    this.#failures.delete(key);
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    if (this.#inProgress.has(key)) this.#forgotten.add(key);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#waiting.clear();
    this.#dirty.clear();
  }

  #queuePass(): void {
    if (this.#passQueued) return;
    this.#passQueued = true;
    this.#options.clock.defer(() => {
      this.#passQueued = false;
      this.#pass();
    });
  }

  #pass(): void {
    for (const key of this.#waiting) {
      if (this.#inProgress.size >= this.#options.concurrency) return;
      this.#waiting.delete(key);
      this.#inProgress.add(key);
      this.#options.work(key, (outcome) => this.#finished(key, outcome));
    }
  }

  #finished(key: K, outcome: WorkOutcome): void {
    this.#inProgress.delete(key);
    if (this.#stopped) return;
    if (!this.#forgotten.delete(key)) this.#reschedule(key, outcome);
    this.#queuePass();
  }

  #reschedule(key: K, outcome: WorkOutcome): void {
    if (outcome === "failed") this.#addLater(key, this.#retryDelayMs(key));
    else this.#failures.delete(key);
    if (typeof outcome === "object") this.#addLater(key, outcome.againAfterMs, outcome.kind);
    if (this.#dirty.delete(key)) this.add(key);
  }

  #retryDelayMs(key: K): number {
    const { retryInitialMs, retryMaxMs, random } = this.#options;
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    return Math.round(Math.min(retryInitialMs * 2 ** failures * (1 + random()), retryMaxMs));
  }

  #addLater(key: K, delayMs: number, kind?: TimerKind): void {
    const again = (): void => {
      this.#timers.delete(key);
      this.add(key);
    };
    const timer = this.#options.clock.setTimer(delayMs, again, kind);
    this.#timers.set(key, timer);
  }
}
