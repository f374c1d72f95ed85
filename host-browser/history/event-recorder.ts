/**
 * Records writes of Events as rows, one each: an Event whose count rises is written again. Invariant: at most `maxKept`
 * versions of Events are kept; the oldest go first, many at once. Rows stay. What the API server drops after an hour
 * stays here, because users look for it.
 */
import type { Write } from "../../cluster/index.ts";
import { LateTable, NONE } from "../records.ts";
import type { Book } from "./book.ts";
import { Column } from "../columns.ts";
import type { JobTrack } from "./job-track.ts";
import type { Event, EventsEvent } from "../../cluster/values/kinds.ts";

/** Versions are dropped in blocks of this size. */
const BLOCK = 4096;

/** An Event in either of the two API groups. */
export type EitherEvent = Event & Partial<Pick<EventsEvent, "regarding" | "note" | "deprecatedCount">>;

export class EventRecorder {
  readonly #book: Book;
  readonly #maxKept: number;
  readonly #blocks: (Write["stored"][] | undefined)[] = [];
  #firstBlock = 0;
  /** The row before this one about the same object, or NONE. */
  readonly #previous = new Column("int32");
  /** By pod and by Job: the latest row about it; pods without rows may be missing at the end. */
  readonly #lastOfPod = new Column("int32");
  readonly #lastOfJob: number[] = [];

  constructor(book: Book, maxKept: number) {
    this.#book = book;
    this.#maxKept = Math.max(BLOCK, maxKept);
  }

  record(write: Write<EitherEvent>): JobTrack | undefined {
    const { type, stored } = write;
    if (type === "DELETED") return undefined;
    const { object } = write;
    const { nowMs, tables } = this.#book;
    const row = tables.events.length;
    const track = this.#link(row, object);
    const columns = tables.events.columns;
    columns.job.push(track?.id ?? NONE);
    columns.atMs.push(nowMs);
    columns.reason.push(tables.texts.id(String(object.reason ?? "")));
    columns.isWarning.push(object.type === "Warning" ? 1 : 0);
    columns.decision.push(NONE);
    this.#keep(row, stored);
    if (track !== undefined) count(track, row, type === "ADDED");
    this.#book.carryOut(LateTable.EVENT, row, track);
    return track;
  }

  /** The Event as this row wrote it; undefined: it is not kept. */
  at(row: number): EitherEvent | undefined {
    return this.#blocks[Math.floor(row / BLOCK)]?.[row % BLOCK]?.object as EitherEvent | undefined;
  }

  lastAboutPod(pod: number): number {
    return pod < this.#lastOfPod.length ? this.#lastOfPod.at(pod) : NONE;
  }

  lastAboutJob(job: number): number {
    return this.#lastOfJob[job] ?? NONE;
  }

  /** The row and those before it about the same object, newest first, from the instant on. */
  *backFrom(row: number, atMs: number): Generator<number> {
    const times = this.#book.tables.events.columns.atMs;
    for (let at = row; at !== NONE; at = this.#previous.at(at)) if (times.at(at) <= atMs) yield at;
  }

  /** Adds the row to those about its object, and returns the Job of it. */
  #link(row: number, event: EitherEvent): JobTrack | undefined {
    const uid: string = (event.involvedObject ?? event.regarding)?.uid ?? "";
    const job = this.#book.job(uid);
    if (job !== undefined) {
      this.#previous.push(this.lastAboutJob(job.id));
      this.#lastOfJob[job.id] = row;
      return job;
    }
    const pod = this.#book.pod(uid);
    this.#previous.push(pod === NONE ? NONE : this.lastAboutPod(pod));
    if (pod === NONE) return undefined;
    while (this.#lastOfPod.length <= pod) this.#lastOfPod.push(NONE);
    this.#lastOfPod.set(pod, row);
    return this.#book.trackOfPod(pod);
  }

  #keep(row: number, stored: Write["stored"]): void {
    if (row % BLOCK === 0) {
      this.#blocks.push([]);
      if (row - this.#firstBlock * BLOCK >= this.#maxKept) this.#blocks[this.#firstBlock++] = undefined;
    }
    this.#blocks.at(-1)!.push(stored);
  }
}

/** An Event whose count rises is the same one. */
function count({ events, eventCounts }: JobTrack, row: number, isNew: boolean): void {
  const before = events.length === 0 ? 0 : eventCounts.at(events.length - 1);
  events.push(row);
  eventCounts.push(before + (isNew ? 1 : 0));
}
