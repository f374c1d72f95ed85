/**
 * Records writes of Jobs as rows, one each, and keeps every version: there are few, for status writes are made in
 * batches. A version that the controller wrote belongs to the decision that its request carried out; a version by
 * another client belongs to the next decision, which takes it into account. Leaves out which client it was.
 */
import type { Write } from "../../cluster/index.ts";
import { endOf, trueCondition } from "../../cluster/values/job-conditions.ts";
import { JobPhase, LateTable, NONE } from "../records.ts";
import type { Book } from "./book.ts";
import type { JobTrack } from "./job-track.ts";
import type { Job, JobSpec } from "../../cluster/values/kinds.ts";

export class JobRecorder {
  /** By row of the versions; undefined: the Job was deleted. */
  readonly objects: (Job | undefined)[] = [];
  readonly #book: Book;

  constructor(book: Book) {
    this.#book = book;
  }

  /** Returns the Job; the row is its latest version. */
  record({ type, object, previous }: Write<Job>): JobTrack {
    const book = this.#book;
    const track = book.job(object.metadata.uid) ?? book.addJob(object);
    track.explanations.isTouched = true;
    track.hasBackoffPerIndex = object.spec?.backoffLimitPerIndex !== undefined;
    const isGone = type === "DELETED";
    const row = this.objects.push(isGone ? undefined : object) - 1;
    track.versions.push(row);
    this.#append(track, object, isGone);
    this.#attribute(row, track, object, previous);
    return track;
  }

  #append(track: JobTrack, object: Job, isGone: boolean): void {
    const { nowMs, tables } = this.#book;
    const columns = tables.versions.columns;
    const { spec = {} as JobSpec, status = {} } = object;
    columns.job.push(track.id);
    columns.atMs.push(nowMs);
    columns.active.push(status.active ?? 0);
    columns.ready.push(status.ready ?? 0);
    columns.terminating.push(status.terminating ?? 0);
    columns.succeeded.push(status.succeeded ?? 0);
    columns.failed.push(status.failed ?? 0);
    columns.phase.push(isGone ? JobPhase.GONE : phaseOf(object));
    columns.completions.push(spec.completions ?? NONE);
    columns.parallelism.push(spec.parallelism ?? 1);
    columns.decision.push(NONE);
  }

  #attribute(row: number, track: JobTrack, object: Job, previous: Job | undefined): void {
    const { cause, request, tables } = this.#book;
    const isGone = this.objects[row] === undefined;
    const isOwn = request !== NONE;
    if (isOwn && isDeleted(object) && !isDeleted(previous)) track.decisionToDelete = track.decisionOf(cause);
    if (isOwn && !isGone) this.#book.carryOut(LateTable.VERSION, row, track);
    else if (track.decisionToDelete === NONE) track.awaitNext(LateTable.VERSION, row);
    else tables.setDecision(LateTable.VERSION, row, track.decisionToDelete);
  }
}

function isDeleted(object: Job | undefined): boolean {
  return object === undefined || object.metadata.deletionTimestamp !== undefined;
}

/** The state of a Job that is in the API. */
function phaseOf(job: Job): JobPhase {
  const end = endOf(job);
  if (end !== undefined) return end.type === "Complete" ? JobPhase.COMPLETE : JobPhase.FAILED;
  const isSuspended = job.spec?.suspend === true || trueCondition(job, "Suspended") !== undefined;
  return isSuspended ? JobPhase.SUSPENDED : JobPhase.RUNNING;
}
