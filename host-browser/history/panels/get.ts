/** `kubectl get jobs`, `kubectl get pods`: columns and cells, of all Jobs and of this Job's pods. */
import { jobTable } from "../../../cluster/apiserver/tables/jobs.ts";
import { MAX_VIEW_ROWS } from "../../messages.ts";
import type { History } from "../history.ts";
import { jobVersionAt } from "../job-versions.ts";
import type { Look } from "../look.ts";
import { podTableOf } from "../pod-rows.ts";
import { cellsOf, columnNames, type TextTable } from "../table-cells.ts";

interface Tables {
  readonly jobTable: TextTable;
  readonly podTable: TextTable;
  /** On all pages. */
  readonly podCount: number;
}

const NO_TABLE: TextTable = { columns: [], ids: [], rows: [] };

export function data({ history, pods, atMs }: Look): Tables {
  if (pods === undefined) return { jobTable: NO_TABLE, podTable: NO_TABLE, podCount: 0 };
  const { book, podVersions } = history;
  return {
    jobTable: jobsAt(history, atMs),
    podTable: podTableOf(book, podVersions, pods.shown, atMs),
    podCount: pods.count,
  };
}

function jobsAt(history: History, atMs: number): TextTable {
  const { tracks, startMs } = history.book;
  const present = tracks.flatMap((track) => {
    const object = jobVersionAt(history, track, atMs)?.object;
    return object === undefined ? [] : [{ id: track.id, object }];
  });
  const shown = present.slice(-MAX_VIEW_ROWS);
  return {
    columns: columnNames(jobTable),
    ids: shown.map(({ id }) => id),
    rows: shown.map(({ object }) => cellsOf(jobTable, object, atMs + startMs)),
  };
}
