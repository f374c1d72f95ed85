/** Which version of a Job was the current one at an instant. */
import type { History } from "./history.ts";
import type { JobTrack } from "./job-track.ts";
import { countRowsUpTo } from "./tables.ts";
import type { Job } from "../../cluster/values/kinds.ts";

export interface JobVersion {
  /** Its row in the table of versions. */
  readonly row: number;
  readonly object: Job;
}

/** How many versions of the Job there were up to the instant. */
export function versionCount({ book }: History, track: JobTrack, atMs: number): number {
  return countRowsUpTo(track.versions, book.tables.versions.columns.atMs, atMs);
}

/** The version by its number among those of the Job; undefined: it does not exist, or the Job was deleted. */
export function jobVersion({ jobs }: History, track: JobTrack, number: number): Job | undefined {
  return number < 0 ? undefined : jobs.objects[track.versions.at(number)];
}

/** Undefined: the Job did not exist at that instant. */
export function jobVersionAt(history: History, track: JobTrack, atMs: number): JobVersion | undefined {
  const newest = versionCount(history, track, atMs) - 1;
  const object = jobVersion(history, track, newest);
  return object && { row: track.versions.at(newest), object };
}
