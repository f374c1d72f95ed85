/** Events, decisions and requests of a Job up to an instant, newest first. */
import type { KubeObject } from "../../cluster/types.ts";
import { type DecisionRow, type EventRow, MAX_VIEW_ROWS, type RequestRow } from "../messages.ts";
import { LateTable } from "../records.ts";
import type { Column } from "../columns.ts";
import type { History } from "./history.ts";
import type { JobTrack } from "./job-track.ts";
import { countRowsUpTo } from "./tables.ts";

/** Each Event of the Job and of its pods once, as it was then, with its count. */
export function eventsAt(history: History, track: JobTrack, atMs: number): readonly EventRow[] {
  const rows = newestFirst(track.events, history.book.tables.events.columns.atMs, atMs);
  return newest(history, rows).map(({ row, event }) => eventRow(history, row, event, atMs));
}

/** The Events about one object. `last` is its latest row. */
export function eventsFrom(history: History, last: number, atMs: number): readonly KubeObject[] {
  return newest(history, history.events.backFrom(last, atMs)).map(({ event }) => event);
}

interface EventThen {
  readonly row: number;
  readonly event: KubeObject;
}

function newest({ events }: History, rows: Iterable<number>): readonly EventThen[] {
  const found: EventThen[] = [];
  const seen = new Set<string>();
  for (const row of rows) {
    const event = events.at(row);
    if (event === undefined || found.length === MAX_VIEW_ROWS) break;
    if (seen.has(event.metadata.uid)) continue;
    seen.add(event.metadata.uid);
    found.push({ row, event });
  }
  return found;
}

function eventRow({ book }: History, id: number, event: KubeObject, atMs: number): EventRow {
  // In either of the two API groups.
  const { kind = "", name = "" } = event["involvedObject"] ?? event["regarding"] ?? {};
  return {
    id,
    atMs: book.tables.events.columns.atMs.at(id),
    type: event["type"] ?? "",
    reason: event["reason"] ?? "",
    object: `${kind.toLowerCase()}/${name}`,
    message: event["message"] ?? event["note"] ?? "",
    count: event["series"]?.count ?? event["count"] ?? event["deprecatedCount"] ?? 1,
    decision: book.tables.decisionOf(LateTable.EVENT, id, atMs),
  };
}

export function decisionsAt(history: History, track: JobTrack, atMs: number): readonly DecisionRow[] {
  const rows: DecisionRow[] = [];
  for (const row of newestFirst(track.decisions, history.book.tables.decisions.columns.atMs, atMs)) {
    rows.push(decisionRow(history, row));
    if (rows.length === MAX_VIEW_ROWS) break;
  }
  return rows;
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

export function requestsAt({ requests }: History, track: JobTrack, atMs: number): readonly RequestRow[] {
  const rows: RequestRow[] = [];
  for (const row of newestFirst(track.requests, requests.times, atMs)) {
    rows.push(requests.at(row, atMs));
    if (rows.length === MAX_VIEW_ROWS) break;
  }
  return rows;
}

function* newestFirst(rows: Column, times: Column<"float64">, atMs: number): Generator<number> {
  for (let i = countRowsUpTo(rows, times, atMs) - 1; i >= 0; i--) yield rows.at(i);
}
