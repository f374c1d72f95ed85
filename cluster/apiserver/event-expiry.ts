/**
 * Events are kept for an hour after each write. Every write of an event puts an entry into a queue, and one timer waits
 * for the first entry. The queue has at most one entry for every write of the last hour.
 */
import type { Clock } from "../../bindings/js/host.ts";
import type { Store } from "./store.ts";

interface Expiry {
  readonly key: string;
  readonly revision: number;
  readonly atMs: number;
}

/** Starts to remove events older than `ttlMs` from a store. */
export function expireEvents(store: Store, clock: Clock, ttlMs: number): void {
  let queue: Expiry[] = [];
  const removeDue = (): void => {
    const nowMs = clock.now();
    const firstKept = queue.findIndex((expiry) => expiry.atMs > nowMs);
    const due = firstKept < 0 ? queue : queue.slice(0, firstKept);
    queue = firstKept < 0 ? [] : queue.slice(firstKept);
    // A later write of the same event has its own entry.
    for (const { key, revision } of due) if (store.get(key)?.revision === revision) store.remove(key);
    if (queue.length > 0) clock.setTimer(queue[0]!.atMs - nowMs, removeDue, true);
  };
  store.subscribe(({ type, stored }) => {
    if (type === "DELETED") return;
    queue.push({ key: stored.key, revision: stored.revision, atMs: clock.now() + ttlMs });
    if (queue.length === 1) clock.setTimer(ttlMs, removeDue, true);
  });
}
