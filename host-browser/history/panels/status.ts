/**
 * The status of a Job as YAML, each line with the version of the Job that wrote it last.
 *
 * Invariant: a line dates from the first of the versions, up to the shown one, that have it without a break. Leaves out
 * which decision made a version: that is its cause (why.ts).
 */
import { NONE } from "../../records.ts";
import type { History } from "../history.ts";
import { jobVersion, versionCount } from "../job-versions.ts";
import type { JobTrack } from "../job-track.ts";
import type { Look } from "../look.ts";
import { hasSameLine, yamlLines } from "../yaml-lines.ts";

export interface StatusLine {
  readonly text: string;
  /** By the last write of the Job. */
  readonly isChanged: boolean;
  /** The version of the Job that wrote it last: a row of JobColumns. */
  readonly version: number;
}

interface Status {
  /** The version of the Job that is shown: a row of JobColumns, or NONE. It is the cause of what has changed. */
  readonly version: number;
  /** The Job's status as YAML, with what the last write changed. Empty before there is a Job. */
  readonly status: readonly StatusLine[];
}

export function data({ history, track, version, atMs }: Look): Status {
  return { version: version?.row ?? NONE, status: track === undefined ? [] : statusAt(history, track, atMs) };
}

/** Empty: there was no such Job at that instant. */
function statusAt(history: History, track: JobTrack, atMs: number): readonly StatusLine[] {
  const newest = versionCount(history, track, atMs) - 1;
  const job = jobVersion(history, track, newest);
  if (job === undefined) return [];
  const status: unknown = job.status ?? {};
  const lines = yamlLines(status);
  const since = lines.map(() => newest);
  let open = lines.map((_, line) => line);
  for (let number = newest - 1; number >= 0 && open.length > 0; number--) {
    const before = jobVersion(history, track, number);
    if (before === undefined) break;
    open = open.filter((line) => hasSameLine(status, before.status ?? {}, lines[line]!.path));
    for (const line of open) since[line] = number;
  }
  return lines.map(({ text }, line) => ({
    text,
    // In the first version of a Job nothing has changed.
    isChanged: newest > 0 && since[line] === newest,
    version: track.versions.at(since[line]!),
  }));
}
