/** The Events of a Job and of its pods. */
import type { Look } from "../look.ts";
import { type EventRow, eventsAt } from "../rows.ts";

interface Events {
  /** On all pages. */
  readonly eventCount: number;
  /** Newest first. */
  readonly events: readonly EventRow[];
}

export function data({ history, track, atMs, skip }: Look): Events {
  if (track === undefined) return { eventCount: 0, events: [] };
  const { count, rows } = eventsAt(history, track, atMs, skip);
  return { eventCount: count, events: rows };
}
