/**
 * Events are kept for an hour after each write. The writes of an instant wait together, and one timer waits for the
 * oldest of them. What waits is at most the writes of events of the last hour.
 *
 * Invariant: each write is looked at once, when it is due, and what is due is let go at once.
 */
import type { Clock } from "../../bindings/js/host.ts";
import type { Store } from "./store.ts";

/** The writes of one instant. They are names and numbers, so that no old version of an event is kept alive. */
interface Batch {
  readonly dueMs: number;
  readonly keys: string[];
  readonly revisions: number[];
  next: Batch | undefined;
}

/** Starts to remove events older than `ttlMs` from a store. */
export function expireEvents(store: Store, clock: Clock, ttlMs: number): void {
  let first: Batch | undefined;
  let last: Batch | undefined;
  const removeDue = (): void => {
    const nowMs = clock.now();
    for (; first !== undefined && first.dueMs <= nowMs; first = first.next) {
      const { keys, revisions } = first;
      // A later write of the same event has its own entry.
      keys.forEach((key, place) => store.get(key)?.revision === revisions[place] && store.remove(key));
    }
    if (first === undefined) last = undefined;
    else clock.setTimer(first.dueMs - nowMs, removeDue, true);
  };
  store.subscribe(({ type, stored: { key, revision } }) => {
    if (type === "DELETED") return;
    const dueMs = clock.now() + ttlMs;
    if (last?.dueMs !== dueMs) {
      const batch: Batch = { dueMs, keys: [], revisions: [], next: undefined };
      if (last !== undefined) last.next = batch;
      else {
        first = batch;
        clock.setTimer(ttlMs, removeDue, true);
      }
      last = batch;
    }
    last.keys.push(key);
    last.revisions.push(revision);
  });
}
