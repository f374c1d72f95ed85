/**
 * What became of the Job and of each of its pods, those that are gone too, who or what ended it, what holds the Job,
 * and what to do: in the words of the engine. It is made only while its panel is open, because the engine reads each
 * pod for it.
 */
import type { Account as EngineAccount, Attempt } from "../../../bindings/js/engine.ts";
import { countRowsUpTo } from "../tables.ts";
import { MAX_VIEW_ROWS } from "../../messages.ts";
import { NONE } from "../../records.ts";
import { attemptsAt, jobAccountAt } from "../account.ts";
import type { Look } from "../look.ts";

export interface AttemptRow {
  /** Id of the pod. */
  readonly id: number;
  readonly pod: string;
  /** Undefined: it has none. */
  readonly index: number | undefined;
  /** Empty: it has none. */
  readonly node: string;
  /** Undefined: not known, or not yet. To the second, as the API has them. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  /** A code of `account`; empty: nothing has ended it. */
  readonly endedBy: string;
  readonly sentence: string;
  /** Its state: a row of TransitionColumns, whose reason can be asked for. */
  readonly transition: number;
}

export interface JobAccount {
  readonly sentence: string;
  /** The most important first. */
  readonly holds: readonly { readonly code: string; readonly sentence: string }[];
  readonly next: string;
  readonly remedies: readonly { readonly code: string; readonly sentence: string; readonly command: string }[];
}

interface Account {
  /** Absent: the panel is not open. */
  readonly account?: {
    /** False: the engine that says it could not be fetched. */
    readonly isThere: boolean;
    /** Undefined: the engine cannot read the Job, or there is none yet. */
    readonly job?: JobAccount | undefined;
    /** On all pages. */
    readonly count: number;
    /** Newest first. */
    readonly rows: readonly AttemptRow[];
  };
}

const NOT_KEPT = "So many pods were written that this version of the pod is no longer kept.";
const NOT_READ = "The engine cannot read this pod, or its Job.";

export function data(look: Look): Account {
  const { history, query, track, ask, atMs, skip } = look;
  if (query.panel !== "account") return {};
  if (track === undefined) return { account: { isThere: true, count: 0, rows: [] } };
  const { pods } = history.book.tables;
  const count = countRowsUpTo(track.pods, pods.columns.createdMs, atMs);
  if (ask === undefined) return { account: { isThere: false, count, rows: [] } };
  const shown: number[] = [];
  for (let i = count - 1 - skip; i >= 0 && shown.length < MAX_VIEW_ROWS; i--) shown.push(track.pods.at(i));
  const attempts = attemptsAt(history, ask, track, shown, atMs);
  const rows = shown.map((id) => rowOf(look, id, attempts.get(id)));
  return { account: { isThere: true, job: jobOf(jobAccountAt(history, ask, track, count, atMs)), count, rows } };
}

function jobOf(account: EngineAccount | undefined): JobAccount | undefined {
  if (account === undefined) return undefined;
  const { sentence, holds, next, remedies } = account;
  return {
    sentence,
    holds: holds.map((hold) => ({ code: hold.code, sentence: hold.sentence })),
    next: next.sentence,
    remedies: remedies.map((remedy) => ({ code: remedy.code, sentence: remedy.sentence, command: remedy.command })),
  };
}

function rowOf({ history: { book, podVersions }, atMs }: Look, id: number, attempt: Attempt | undefined): AttemptRow {
  const { podNames, pods, texts, transitions } = book.tables;
  const transition = book.tables.transitionAt(id, atMs);
  const index = pods.columns.index.at(id);
  const since = (ms: number | null | undefined): number | undefined => (ms == null ? undefined : ms - book.startMs);
  return {
    id,
    pod: podNames[id]!,
    index: index === NONE ? undefined : index,
    node: attempt?.node ?? texts.at(transitions.columns.node.at(transition)),
    startMs: since(attempt?.startMs),
    endMs: since(attempt?.endMs),
    endedBy: attempt?.endedBy ?? "",
    sentence: attempt?.sentence ?? (podVersions.at(id, atMs) === undefined ? NOT_KEPT : NOT_READ),
    transition,
  };
}
