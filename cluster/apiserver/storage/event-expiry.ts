/**
 * Expires Events an hour after each write. The writes of an instant share one entry, and one timer waits for the oldest
 * entry. Entries are at most the writes of events of the last hour, and no more than a limit: beyond it the oldest go
 * before their time, many at once.
 *
 * Invariant: each write is checked once, when it is due, and what is due is dropped at once.
 */
import type { Clock } from "../../../bindings/js/host.ts";
import type { Store } from "./store.ts";

/** The writes of one instant: names and numbers, so that no old version of an event is kept alive. */
interface Batch {
  readonly dueMs: number;
  readonly keys: string[];
  readonly revisions: number[];
  next: Batch | undefined;
}

/** The share of the limit that stays: names are sorted once for all removals. */
const KEPT_OF_LIMIT = 0.9;

/** Starts to remove events older than `ttlMs` from a store, and the oldest when there are more than `maxEvents`. */
export function expireEvents(store: Store, clock: Clock, ttlMs: number, maxEvents: number): void {
  let first: Batch | undefined;
  let last: Batch | undefined;
  let waiting = 0;
  let isFull = false;
  const removeWhile = (goes: (batch: Batch) => boolean): void => {
    for (; first !== undefined && goes(first); first = first.next) {
      const { keys, revisions } = first;
      waiting -= keys.length;
      // A later write of the same event has its own entry.
      keys.forEach((key, place) => store.get(key)?.revision === revisions[place] && store.remove(key));
    }
    if (first === undefined) last = undefined;
  };
  const removeDue = (): void => {
    const nowMs = clock.now();
    removeWhile(({ dueMs }) => dueMs <= nowMs);
    if (first !== undefined) clock.setTimer(first.dueMs - nowMs, removeDue, "housekeeping");
  };
  const removeOldest = (): void => {
    isFull = false;
    // Writes of this instant stay, so the timer of the oldest always finds some.
    removeWhile((batch) => batch !== last && waiting > KEPT_OF_LIMIT * maxEvents);
  };
  store.subscribe(({ type, stored: { key, revision } }) => {
    if (type === "DELETED") return;
    const dueMs = clock.now() + ttlMs;
    if (last?.dueMs !== dueMs) {
      const batch: Batch = { dueMs, keys: [], revisions: [], next: undefined };
      if (last !== undefined) last.next = batch;
      else {
        first = batch;
        clock.setTimer(ttlMs, removeDue, "housekeeping");
      }
      last = batch;
    }
    last.keys.push(key);
    last.revisions.push(revision);
    if (++waiting <= maxEvents || isFull) return;
    isFull = true;
    // Deferred: watches are still getting this write.
    clock.setTimer(0, removeOldest, "housekeeping");
  });
}
