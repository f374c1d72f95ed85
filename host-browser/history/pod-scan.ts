/**
 * Which pods of a Job there were at an instant: how many, and which of them are shown. Pods that are not over come
 * first, the youngest of them, and then those that were over last.
 *
 * One walk over the pods of the Job, and one back over transitions, without an object for a pod: 100,000 pods take some
 * milliseconds.
 */
import { MAX_VIEW_ROWS } from "../messages.ts";
import { NONE, PodState } from "../records.ts";
import type { Book } from "./book.ts";
import type { JobTrack } from "./job-track.ts";
import { countUpTo } from "../columns.ts";
import { countRowsUpTo } from "./tables.ts";

export interface PodsThen {
  /** Pods in the API. */
  readonly count: number;
  /** Counted as the status of a Job counts them. */
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** When one of them changed last. */
  readonly changedMs: number;
  /** At most MAX_VIEW_ROWS after those that are skipped, in the order of their creation. */
  readonly shown: readonly number[];
}

export function podsThen(book: Book, track: JobTrack, atMs: number, skip = 0): PodsThen {
  const { tables } = book;
  const { atMs: times, state } = tables.transitions.columns;
  let changedMs = 0;
  const created = countRowsUpTo(track.pods, tables.pods.columns.createdMs, atMs);
  const alive: number[] = [];
  let [active, ready, terminating, over] = [0, 0, 0, 0];
  for (let i = created - 1; i >= 0; i--) {
    const pod = track.pods.at(i);
    const row = tables.transitionAt(pod, atMs);
    const then = row === NONE ? PodState.GONE : state.at(row);
    if (row !== NONE) changedMs = Math.max(changedMs, times.at(row));
    if (then === PodState.GONE) continue;
    if (then === PodState.SUCCEEDED || then === PodState.FAILED) {
      over++;
      continue;
    }
    if (active + terminating >= skip && alive.length < MAX_VIEW_ROWS) alive.push(pod);
    if (then === PodState.TERMINATING) terminating++;
    else active++;
    if (then === PodState.READY) ready++;
  }
  const skipped = Math.min(Math.max(0, skip - active - terminating), over);
  const room = Math.min(MAX_VIEW_ROWS - alive.length, over - skipped);
  const shown = [...alive, ...lastOver(book, track, atMs, skipped + room).slice(skipped)];
  const count = active + terminating + over;
  return { count, active, ready, terminating, changedMs, shown: shown.toSorted((a, b) => a - b) };
}

/** The `wanted` pods that were over at the instant and changed last. There must be as many. */
function lastOver({ tables }: Book, track: JobTrack, atMs: number, wanted: number): readonly number[] {
  const { atMs: times, pod: pods, state } = tables.transitions.columns;
  const jobs = tables.pods.columns.job;
  const found: number[] = [];
  for (let row = countUpTo(times.data, times.length, atMs) - 1; row >= 0 && found.length < wanted; row--) {
    const then = state.at(row);
    if (then !== PodState.SUCCEEDED && then !== PodState.FAILED) continue;
    const pod = pods.at(row);
    if (jobs.at(pod) === track.id && tables.transitionAt(pod, atMs) === row) found.push(pod);
  }
  return found;
}
