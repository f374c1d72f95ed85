/**
 * Writes of Jobs become rows, one each, and every version is kept: there are few, for status writes are made in
 * batches. A version that the controller wrote belongs to the decision that it stores; one that somebody else wrote to
 * the next decision, which takes it into account.
 */
import type { Write } from "../../cluster/index.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { JobPhase, LateTable, NONE } from "../records.ts";
import type { Book } from "./book.ts";
import type { JobTrack } from "./job-track.ts";
import { Role } from "./rules.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
}

const FINAL = ["Complete", "Failed"];
const INTERIM = ["FailureTarget", "SuccessCriteriaMet"];

export class JobRecorder {
  /** By row of the versions; undefined: the Job was deleted. */
  readonly objects: (KubeObject | undefined)[] = [];
  readonly #book: Book;

  constructor(book: Book) {
    this.#book = book;
  }

  /** Returns the Job; the row is its latest version. */
  record({ type, object, previous }: Write): JobTrack {
    const book = this.#book;
    const track = book.job(object.metadata.uid) ?? book.addJob(object);
    track.explanations.isTouched = true;
    track.hasBackoffPerIndex = object["spec"]?.backoffLimitPerIndex !== undefined;
    const isGone = type === "DELETED";
    const row = this.objects.push(isGone ? undefined : object) - 1;
    track.versions.push(row);
    this.#append(track, object, isGone);
    this.#attribute(row, track, object, previous);
    return track;
  }

  #append(track: JobTrack, object: KubeObject, isGone: boolean): void {
    const { nowMs, tables } = this.#book;
    const columns = tables.versions.columns;
    const { spec = {}, status = {} } = object;
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

  #attribute(row: number, track: JobTrack, object: KubeObject, previous: KubeObject | undefined): void {
    if (object.metadata.deletionTimestamp !== undefined || this.objects[row] === undefined)
      this.#attributeDeletion(row, track);
    else if (this.#book.request === NONE) track.await(LateTable.VERSION, row, Role.ANY);
    else this.#attributeOwn(row, track, object["status"] ?? {}, previous?.["status"] ?? {});
  }

  /** Only the end of its time to live makes the controller delete a Job, and nobody notes that as a decision. */
  #attributeDeletion(row: number, track: JobTrack): void {
    if (this.#book.request !== NONE) track.decisionToDelete = track.latest(Role.ENDS);
    if (track.decisionToDelete === NONE) track.await(LateTable.VERSION, row, Role.ANY);
    else this.#set(row, track.decisionToDelete);
  }

  /** A write of the controller. What was counted, what it ended with, what it waits for is noted after the write. */
  #attributeOwn(row: number, track: JobTrack, status: KubeObject["status"], before: KubeObject["status"]): void {
    const became = (types: readonly string[]): boolean =>
      types.some((type) => isTrue(status, type) && !isTrue(before, type));
    const counted = (name: string): boolean => (status[name] ?? 0) !== (before[name] ?? 0);
    if (became(FINAL)) track.await(LateTable.VERSION, row, Role.ENDS);
    else if (became(INTERIM)) this.#set(row, track.latest(Role.DECIDES_END));
    else if (counted("succeeded") || counted("failed") || uncounted(status) !== uncounted(before))
      track.await(LateTable.VERSION, row, Role.COUNTS);
    else if ((status.active ?? 0) > (before.active ?? 0)) this.#set(row, track.latest(Role.CREATES));
    else track.await(LateTable.VERSION, row, Role.WAITS);
  }

  #set(row: number, decision: number): void {
    if (decision !== NONE) this.#book.tables.setDecision(LateTable.VERSION, row, decision);
  }
}

/** How many pods have ended and are on their way into the counters. */
function uncounted(status: KubeObject["status"]): number {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return succeeded.length + failed.length;
}

/** The state of a Job that is in the API. */
function phaseOf(job: KubeObject): JobPhase {
  if (isTrue(job["status"], "Complete")) return JobPhase.COMPLETE;
  if (isTrue(job["status"], "Failed")) return JobPhase.FAILED;
  return job["spec"]?.suspend === true || isTrue(job["status"], "Suspended") ? JobPhase.SUSPENDED : JobPhase.RUNNING;
}

function isTrue(status: KubeObject["status"], type: string): boolean {
  const conditions: readonly Condition[] = status?.conditions ?? [];
  return conditions.some((condition) => condition.type === type && condition.status === "True");
}
