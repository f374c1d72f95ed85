/**
 * Attributes writes of the controller that a recording shows before the answer to their request. Until the answer, the
 * recorder attributes them to another client; the answer has the object, and so identifies the writer.
 *
 * Invariant: only the decisions of rows change. The history takes care of what is shown after the answer.
 */
import type { KubeObject } from "../../cluster/values/types.ts";
import type { Book } from "./book.ts";
import type { JobTrack } from "./job-track.ts";
import { LateTable, NONE, PodState } from "../records.ts";

/** A request that was carried out. */
export interface Done {
  readonly book: Book;
  /** By row of the versions; undefined: the Job was deleted. */
  readonly versions: readonly (KubeObject | undefined)[];
  /** The pod that its path names, or NONE. */
  readonly pod: number;
  readonly track: JobTrack | undefined;
}

/** @param object that of the answer */
export function ownAfterAll(done: Done, method: string, object: Partial<KubeObject>): void {
  const { book, pod, track } = done;
  const uid = object.metadata?.uid ?? "";
  if (book.cause === NONE) return;
  if (method === "DELETE" && pod !== NONE) deletedPod(book, pod);
  else if (method === "DELETE" && track !== undefined) deletedJob(done, track);
  else if (method === "POST" && object.kind === "Pod") createdPod(book, book.pod(uid));
  else if (method !== "GET" && object.kind === "Job") wroteJob(done, book.job(uid), object);
}

function createdPod(book: Book, pod: number): void {
  if (pod === NONE) return;
  const { cause, tables } = book;
  const track = book.trackOfPod(pod);
  track?.carryOutAfterAll(LateTable.POD, pod, cause, tables);
  let row = tables.lastTransition.at(pod);
  while (tables.previousTransition.at(row) !== NONE) row = tables.previousTransition.at(row);
  track?.carryOutAfterAll(LateTable.TRANSITION, row, cause, tables);
}

/** The deletion may be shown later. */
function deletedPod(book: Book, pod: number): void {
  const { cause, deletions, tables } = book;
  const { state } = tables.transitions.columns;
  deletions.set(pod, cause);
  const track = book.trackOfPod(pod);
  let row = tables.lastTransition.at(pod);
  for (; row !== NONE && state.at(row) >= PodState.TERMINATING; row = tables.previousTransition.at(row))
    track?.carryOutAfterAll(LateTable.TRANSITION, row, cause, tables);
}

function deletedJob({ book, versions }: Done, track: JobTrack): void {
  track.decisionToDelete = track.decisionOf(book.cause);
  for (let i = track.versions.length - 1; i >= 0; i--) {
    const row = track.versions.at(i);
    const object = versions[row];
    if (object !== undefined && object.metadata.deletionTimestamp === undefined) return;
    track.carryOutAfterAll(LateTable.VERSION, row, book.cause, book.tables);
  }
}

function wroteJob({ book, versions }: Done, track: JobTrack | undefined, { metadata }: Partial<KubeObject>): void {
  for (let i = (track?.versions.length ?? 0) - 1; track !== undefined && i >= 0; i--) {
    const row = track.versions.at(i);
    if (versions[row]?.metadata.resourceVersion !== metadata?.resourceVersion) continue;
    track.carryOutAfterAll(LateTable.VERSION, row, book.cause, book.tables);
    return;
  }
}
