/** The conditions of a Job at an instant: since when each is so, and the decision that made it so. */
import { LateTable } from "../../records.ts";
import type { History } from "../history.ts";
import { jobVersion, versionCount } from "../job-versions.ts";
import type { JobTrack } from "../job-track.ts";
import type { Look } from "../look.ts";
import type { Job } from "../../../cluster/values/kinds.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ConditionRow {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** When it became so. */
  readonly atMs: number;
  /** The version of the Job that made it so: a row of JobColumns. */
  readonly version: number;
  /** NONE: no decision of this controller. */
  readonly decision: number;
}

export function data({ history, track, atMs }: Look): { readonly conditions: readonly ConditionRow[] } {
  return { conditions: track === undefined ? [] : conditionsAt(history, track, atMs) };
}

function conditionsAt(history: History, track: JobTrack, atMs: number): readonly ConditionRow[] {
  const newest = versionCount(history, track, atMs) - 1;
  const job = jobVersion(history, track, newest);
  if (job === undefined) return [];
  const { columns } = history.book.tables.versions;
  return conditionsOf(job).map((condition) => {
    const { type, status, reason = "", message = "" } = condition;
    const row = track.versions.at(since(history, track, newest, condition));
    const decision = history.book.tables.decisionOf(LateTable.VERSION, row, atMs);
    return { type, status, reason, message, atMs: columns.atMs.at(row), version: row, decision };
  });
}

/** The first of the versions, up to this one, that have the condition without a break. */
function since(history: History, track: JobTrack, newest: number, { type, status }: Condition): number {
  const has = (number: number): boolean => {
    const job = jobVersion(history, track, number);
    return job !== undefined && conditionsOf(job).some((other) => other.type === type && other.status === status);
  };
  let number = newest;
  while (number > 0 && has(number - 1)) number--;
  return number;
}

function conditionsOf(job: Job): readonly Condition[] {
  return job.status?.conditions ?? [];
}
