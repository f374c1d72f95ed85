/** What `stint import` finds in logs, as a document. */
import type { Decision } from "../../../bindings/js/engine.ts";
import type { Explained } from "../../../cluster/observed/reconstruction.ts";
import type { Document } from "../json/document.ts";
import type { JobAccount } from "../why/job-document.ts";

export interface ImportReport extends Document<"ImportReport"> {
  readonly files: readonly string[];
  /** How many there were at the beginning. */
  readonly jobs: number;
  readonly pods: number;
  /** How many changes of objects the logs have. */
  readonly changes: number;
  /** How many writes of the controller these show, and how many of them the engine would not have made. */
  readonly written: number;
  readonly unexplained: number;
  /** The writes, in their order; with --job, those about it. */
  readonly writes: readonly ImportWrite[];
  /** With --job: how the Jobs of that name stand at the end. */
  readonly states: readonly JobAccount[];
}

/** One write of the controller. */
export interface ImportWrite {
  readonly atMs: number;
  readonly namespace: string;
  readonly job: string;
  /** In words: `created pod pi-x2x7k`. */
  readonly what: string;
  /** The engine makes this write here, too. */
  readonly isExplained: boolean;
  /** The decision that it carries out; null: it needs none, or is not explained. */
  readonly decision: Decision | null;
}

export function importWrite({ atMs, write, isAsked, decision }: Explained): ImportWrite {
  const { namespace, job, what } = write;
  return { atMs, namespace, job, what, isExplained: isAsked, decision: isAsked ? (decision ?? null) : null };
}
