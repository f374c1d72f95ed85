/**
 * The status of a Job as YAML, each line with the version of the Job that wrote it last.
 *
 * Invariant: a line dates from the first of the versions, up to the shown one, that have it without a break. Leaves out
 * which decision made a version: that is its cause (why.ts).
 */
import type { StatusLine } from "../messages.ts";
import type { History } from "./history.ts";
import { jobVersion, versionCount } from "./job-versions.ts";
import type { JobTrack } from "./job-track.ts";
import { hasSameLine, yamlLines } from "./yaml-lines.ts";

/** Empty: there was no such Job at that instant. */
export function statusAt(history: History, track: JobTrack, atMs: number): readonly StatusLine[] {
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
