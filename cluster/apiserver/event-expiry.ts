/**
 * Events are kept for an hour after each write. Every write of an event puts an entry into a queue, and one timer waits
 * for the first entry. The queue has at most one entry for every write of the last hour.
 */
import type { Clock } from "../../bindings/js/host.ts";
import type { Store, Stored } from "./store.ts";

/** Starts to remove events older than `ttlMs` from a store. */
export function expireEvents(store: Store, clock: Clock, ttlMs: number): void {
  // Two lists of the same length and order, which take less memory than a list of pairs.
  let queue: Stored[] = [];
  let dueMs: number[] = [];
  const removeDue = (): void => {
    const nowMs = clock.now();
    const firstKept = dueMs.findIndex((atMs) => atMs > nowMs);
    const count = firstKept < 0 ? queue.length : firstKept;
    const due = queue.slice(0, count);
    queue = queue.slice(count);
    dueMs = dueMs.slice(count);
    // A later write of the same event has its own entry.
    for (const stored of due) if (store.get(stored.key) === stored) store.remove(stored.key);
    if (queue.length > 0) clock.setTimer(dueMs[0]! - nowMs, removeDue, true);
  };
  store.subscribe(({ type, stored }) => {
    if (type === "DELETED") return;
    queue.push(stored);
    dueMs.push(clock.now() + ttlMs);
    if (queue.length === 1) clock.setTimer(ttlMs, removeDue, true);
  });
}
