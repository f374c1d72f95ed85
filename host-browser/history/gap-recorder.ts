/**
 * Records waits before a pod is created again as gaps: from the failure to the end of the backoff.
 *
 * A decision names the wait of the Job, because pods or requests have failed, or, with backoffLimitPerIndex, all
 * indexes that wait, but the end of one wait alone: that of the index which is next. The ends of the others are seen in
 * the API: a pod that has failed keeps its finalizer as long as its index will be retried, and its wait follows
 * from the number of failures that the pod itself carries.
 */
import type { Decision } from "../../bindings/js/engine.ts";
import { parseTime } from "../../cluster/values/times.ts";
import { LateTable, NONE } from "../records.ts";
import type { Book } from "./book.ts";
import type { JobTrack } from "./job-track.ts";
import type { PodVersions } from "./versions.ts";
import type { Pod } from "../../cluster/values/kinds.ts";

const FINALIZER = "batch.kubernetes.io/job-tracking";
const FAILURES = "batch.kubernetes.io/job-index-failure-count";
const IGNORED_FAILURES = "batch.kubernetes.io/job-index-ignored-failure-count";
/** The engine's own defaults, with which the playground runs it. */
const BACKOFF_BASE_MS = 10_000;
const BACKOFF_MAX_MS = 600_000;

export class GapRecorder {
  readonly #book: Book;
  readonly #versions: PodVersions;
  /** By Job: failed pods about which the controller has not decided yet. */
  readonly #failed = new Map<number, number[]>();
  /** By Job and index: the latest decision that reports its wait. */
  readonly #named = new Map<string, number>();
  /** By Job and index: the latest gap. */
  readonly #latest = new Map<string, number>();

  constructor(book: Book, versions: PodVersions) {
    this.#book = book;
    this.#versions = versions;
  }

  /** A pod of an index with its own backoff has failed. */
  failed(job: number, pod: number): void {
    const pods = this.#failed.get(job);
    if (pods === undefined) this.#failed.set(job, [pod]);
    else pods.push(pod);
  }

  /** Adds the gap of a backoff that was decided. */
  decided(job: number, row: number, { atMs, code, numbers, indexes }: Decision): void {
    const isOfIndex = code === "IndexBackoff";
    if (code === "Retry") this.#add(job, NONE, atMs, atMs + (numbers.delayMs ?? 0), row);
    if (!isOfIndex && code !== "Backoff") return;
    const { remainingMs = 0, backoffMs = 0, index = NONE, lastFailureMs } = numbers;
    for (const named of indexesIn(indexes)) this.#name(job, named, row);
    // nextMs is no end of the wait: the Job may move on earlier for another reason.
    const untilMs = atMs + remainingMs;
    this.#add(job, isOfIndex ? index : NONE, lastFailureMs ?? untilMs - backoffMs, untilMs, row);
  }

  /** The controller has carried out its decisions of this instant: failed pods that still exist wait. */
  settle({ id }: JobTrack): void {
    const failed = this.#failed.get(id);
    if (failed === undefined || failed.length === 0) return;
    this.#failed.delete(id);
    const { index } = this.#book.tables.pods.columns;
    for (const pod of failed) {
      const object = this.#versions.newest(pod);
      if (object?.metadata.finalizers?.includes(FINALIZER) !== true) continue;
      const fromMs = finishMs(object);
      this.#add(id, index.at(pod), fromMs, fromMs + backoffOf(object), this.#decisionOf(id, index.at(pod), fromMs));
    }
  }

  #name(job: number, index: number, row: number): void {
    const key = `${job} ${index}`;
    this.#named.set(key, row);
    const { columns } = this.#book.tables.gaps;
    const known = this.#latest.get(key);
    if (known !== undefined && columns.decision.at(known) === NONE && columns.untilMs.at(known) > this.#book.nowMs)
      this.#book.tables.setDecision(LateTable.GAP, known, row);
  }

  /** The decision that reports the wait of the index since then. */
  #decisionOf(job: number, index: number, fromMs: number): number {
    const { startMs, tables } = this.#book;
    const decision = this.#named.get(`${job} ${index}`) ?? NONE;
    return decision !== NONE && tables.decisions.columns.atMs.at(decision) >= fromMs - startMs ? decision : NONE;
  }

  /** From and until are since 1970. A later decision may report the wait. */
  #add(job: number, index: number, fromMs: number, untilMs: number, decision: number): void {
    const key = `${job} ${index}`;
    const { startMs, tables } = this.#book;
    const columns = tables.gaps.columns;
    const known = this.#latest.get(key) ?? NONE;
    if (known !== NONE && columns.untilMs.at(known) === untilMs - startMs) {
      if (columns.decision.at(known) === NONE) tables.setDecision(LateTable.GAP, known, decision);
      return;
    }
    this.#latest.set(key, columns.job.length);
    columns.job.push(job);
    columns.index.push(index);
    columns.fromMs.push(Math.max(0, fromMs - startMs));
    columns.untilMs.push(untilMs - startMs);
    columns.decision.push(decision);
  }
}

/** The indexes in a text like `1,3-5`. */
function* indexesIn(text = ""): Generator<number> {
  for (const [, first = "", last = first] of text.matchAll(/(\d+)(?:-(\d+))?/g))
    for (let index = Number(first); index <= Number(last); index++) yield index;
}

/** The latest end of a container, in whole seconds. */
function finishMs({ status = {} }: Pod): number {
  const ends: readonly { readonly state?: { readonly terminated?: { readonly finishedAt?: string | null } } }[] = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
  ];
  return Math.max(...ends.map(({ state }) => parseTime(state?.terminated?.finishedAt) || 0));
}

function backoffOf({ metadata: { annotations = {} } }: Pod): number {
  const before = Number(annotations[FAILURES] ?? 0) + Number(annotations[IGNORED_FAILURES] ?? 0);
  return Math.min(BACKOFF_BASE_MS * 2 ** before, BACKOFF_MAX_MS);
}
