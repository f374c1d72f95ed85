/**
 * The engine's explanations of one Job, over time.
 *
 * Invariants: an explanation is kept only if it differs from the one before. The engine is asked when something of the
 * Job has changed, or the moment has come that the Job waited for; for a Job of very many pods less often, because an
 * answer costs a walk over them. The engine is never asked about the past.
 */
import type { Explanation } from "../../bindings/js/engine.ts";
import { countWhile } from "../columns.ts";
import { sentenceAt, type Spoken } from "./sentences.ts";

/** Jobs of more pods are asked about less often. */
export const PODS_EXPLAINED_AT_ONCE = 2_000;
const MS_PER_THOUSAND_PODS = 50;
/** For every this many explanations kept, the engine is asked less often by another second. */
const EXPLANATIONS_PER_SECOND = 10_000;

/** What an explanation says at an instant. */
export interface Said {
  readonly code: string;
  readonly sentence: string;
  /** Since the run began. */
  readonly nextMs?: number;
  /** The counts that the controller knew then; absent: it knew none. */
  readonly counts?: Counts;
  /** When it was said. */
  readonly atMs: number;
}

export type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;
const COUNTS = ["active", "ready", "terminating"] as const;

/** Undefined: there was no controller, or it did not know the Job. */
type Kept = Spoken & { readonly code: string; readonly nextMs: number | null; readonly counts: Counts };

interface Explained {
  readonly atMs: number;
  readonly kept: Kept | undefined;
  /** What there is to say without an explanation. */
  readonly without: string;
}

const NO_CONTROLLER = "No controller is running: nothing acts on the Job.";
const NOT_SEEN = "The controller has not looked at it yet.";

export class Explanations {
  /** Something has changed. */
  isTouched = false;
  /** Something has changed that must be explained at once, however many pods there are. */
  isUrgent = false;
  readonly #startMs: number;
  readonly #list: Explained[] = [];
  #askedMs = -1;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  /** Whether to ask the engine at this instant. */
  isDue(podCount: number, nowMs: number): boolean {
    const last = this.#list.at(-1);
    if (last === undefined || this.isUrgent) return true;
    const nextMs = (last.kept?.nextMs ?? Infinity) - this.#startMs;
    if (nextMs <= nowMs && this.#askedMs < nextMs) return true;
    return this.isTouched && nowMs - this.#askedMs >= this.#intervalMs(podCount);
  }

  /** Keeps what the engine says now, if it is new. */
  add(explanation: Explanation | undefined, nowMs: number): void {
    this.isTouched = this.isUrgent = false;
    this.#askedMs = nowMs;
    const explained = {
      atMs: nowMs,
      kept: keptOf(explanation),
      without: explanation === undefined ? NO_CONTROLLER : NOT_SEEN,
    };
    const last = this.#list.at(-1);
    if (last !== undefined && isSame(this.#said(last, nowMs), this.#said(explained, nowMs))) return;
    this.#list.push(explained);
  }

  /** Undefined: the controller was not asked yet. */
  at(atMs: number): Said | undefined {
    const count = countWhile(this.#list.length, (i) => this.#list[i]!.atMs <= atMs);
    const last = this.#list[count - 1];
    return last && this.#said(last, atMs);
  }

  #intervalMs(podCount: number): number {
    const slowdownMs = Math.floor(this.#list.length / EXPLANATIONS_PER_SECOND) * 1_000;
    return podCount <= PODS_EXPLAINED_AT_ONCE
      ? slowdownMs
      : Math.max(slowdownMs, (podCount * MS_PER_THOUSAND_PODS) / 1_000);
  }

  #said({ atMs: saidMs, kept, without }: Explained, atMs: number): Said {
    if (kept === undefined) return { code: "", sentence: without, atMs: saidMs };
    const { code, counts, nextMs } = kept;
    const sentence = sentenceAt(kept, saidMs + this.#startMs, atMs + this.#startMs);
    return { code, sentence, counts, atMs: saidMs, ...(nextMs === null ? {} : { nextMs: nextMs - this.#startMs }) };
  }
}

/** Drops what is not needed later: the last decisions are most of an explanation. */
function keptOf(explanation: Explanation | undefined): Kept | undefined {
  if (explanation === undefined || !explanation.found) return undefined;
  const { code = "", deadlineMs = null, nextMs, numbers = {}, pods = [], sentence } = explanation;
  const [active, ready, terminating] = COUNTS.map((name) => Number(explanation[name] ?? 0));
  const counts = { active: active!, ready: ready!, terminating: terminating! };
  return {
    code,
    sentence,
    numbers,
    nextMs,
    deadlineMs,
    counts,
    pods,
  };
}

function isSame(a: Said, b: Said): boolean {
  return (
    a.code === b.code &&
    a.sentence === b.sentence &&
    a.nextMs === b.nextMs &&
    COUNTS.every((name) => a.counts?.[name] === b.counts?.[name])
  );
}
