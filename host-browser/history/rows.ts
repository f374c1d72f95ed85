/** Events, decisions and requests of a Job up to an instant, newest first: a page of them, and how many there are. */
import type { EitherEvent } from "./event-recorder.ts";
import { MAX_VIEW_ROWS } from "../messages.ts";
import type { RequestRow } from "./request-recorder.ts";
import { LateTable } from "../records.ts";
import type { Column } from "../columns.ts";
import type { History } from "./history.ts";
import type { JobTrack } from "./job-track.ts";
import { countRowsUpTo } from "./tables.ts";

export interface EventRow {
  readonly id: number;
  readonly atMs: number;
  readonly type: string;
  readonly reason: string;
  /** `job/pi`, `pod/pi-0-x7k2p`. */
  readonly object: string;
  readonly message: string;
  readonly count: number;
  readonly decision: number;
}

export interface DecisionRow {
  readonly id: number;
  readonly atMs: number;
  readonly job: number;
  readonly code: string;
  readonly message: string;
  readonly nextMs?: number;
}

/** A page of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** On all pages. */
  readonly count: number;
}

/** Each Event of the Job and of its pods once, as of then, with its count. */
export function eventsAt(history: History, track: JobTrack, atMs: number, skip: number): Page<EventRow> {
  const times = history.book.tables.events.columns.atMs;
  const there = countRowsUpTo(track.events, times, atMs);
  const rows = newest(history, backFrom(track.events, there - 1), skip);
  return {
    rows: rows.map(({ row, event }) => eventRow(history, row, event, atMs)),
    count: there === 0 ? 0 : track.eventCounts.at(there - 1),
  };
}

/** The Events about one object. `last` is its latest row. */
export function eventsFrom(history: History, last: number, atMs: number): readonly EitherEvent[] {
  return newest(history, history.events.backFrom(last, atMs)).map(({ event }) => event);
}

interface EventThen {
  readonly row: number;
  readonly event: EitherEvent;
}

function newest({ events }: History, rows: Iterable<number>, skip = 0): readonly EventThen[] {
  const found: EventThen[] = [];
  const seen = new Set<string>();
  for (const row of rows) {
    const event = events.at(row);
    if (event === undefined || found.length === MAX_VIEW_ROWS) break;
    if (seen.has(event.metadata.uid)) continue;
    seen.add(event.metadata.uid);
    if (seen.size > skip) found.push({ row, event });
  }
  return found;
}

function eventRow({ book }: History, id: number, event: EitherEvent, atMs: number): EventRow {
  // In either of the two API groups.
  const { kind = "", name = "" } = event.involvedObject ?? event.regarding ?? {};
  return {
    id,
    atMs: book.tables.events.columns.atMs.at(id),
    type: event.type ?? "",
    reason: event.reason ?? "",
    object: `${kind.toLowerCase()}/${name}`,
    message: event.message ?? event.note ?? "",
    count: event.series?.count ?? event.count ?? event.deprecatedCount ?? 1,
    decision: book.tables.decisionOf(LateTable.EVENT, id, atMs),
  };
}

export function decisionsAt(history: History, track: JobTrack, atMs: number, skip: number): Page<DecisionRow> {
  const times = history.book.tables.decisions.columns.atMs;
  return pageOf(track.decisions, times, { atMs, skip }, (row) => decisionRow(history, row));
}

export function decisionRow({ book, decisions }: History, id: number): DecisionRow {
  const { atMs, code, job, nextMs } = book.tables.decisions.columns;
  const next = nextMs.at(id);
  return {
    id,
    atMs: atMs.at(id),
    job: job.at(id),
    code: book.tables.texts.at(code.at(id)),
    message: decisions.decisions[id]?.message ?? "So many decisions were made that this sentence is not kept.",
    ...(Number.isNaN(next) ? {} : { nextMs: next }),
  };
}

export function requestsAt({ requests }: History, track: JobTrack, atMs: number, skip = 0): Page<RequestRow> {
  return pageOf(track.requests, requests.times, { atMs, skip }, (row) => requests.at(row, atMs));
}

interface Place {
  readonly atMs: number;
  readonly skip: number;
}

function pageOf<Row>(all: Column, times: Column<"float64">, place: Place, read: (row: number) => Row): Page<Row> {
  const count = countRowsUpTo(all, times, place.atMs);
  const rows: Row[] = [];
  for (const row of backFrom(all, count - 1 - place.skip)) {
    if (rows.length === MAX_VIEW_ROWS) break;
    rows.push(read(row));
  }
  return { rows, count };
}

function* backFrom(rows: Column, position: number): Generator<number> {
  for (let i = position; i >= 0; i--) yield rows.at(i);
}
