/**
 * What the engine says of pods of a Job: who or what ended each (bindings/ABI.md, "account"). The history hands over
 * the Job, the pods and their Events as they were at an instant, and takes code and sentence from the answer.
 *
 * Invariant: nothing here finds out what ended a pod. Of the Events about the Job the question has those that name the
 * pods, because a Job of many pods has more than fit in.
 */
import type { Account, AccountQuestion, Attempt } from "../../bindings/js/engine.ts";
import { deletedAt } from "../../cluster/values/deleted-object.ts";
import type { Pod } from "../../cluster/values/kinds.ts";
import { NONE, PodState } from "../records.ts";
import type { EitherEvent } from "./event-recorder.ts";
import type { History } from "./history.ts";
import { jobVersion, versionCount } from "./job-versions.ts";
import type { JobTrack } from "./job-track.ts";
import { eventsFrom } from "./rows.ts";

/** Asks the whole engine, which is fetched after the first picture. Undefined: it cannot read the question. */
export type AskAccount = (question: AccountQuestion, nowMs: number) => Account | undefined;

/** A question has an upper limit of 250,000 values, and a pod of production some thousand. */
const PODS_A_QUESTION = 50;
const ENDED: ReadonlySet<number> = new Set([PodState.SUCCEEDED, PodState.FAILED, PodState.GONE]);
/** How many Events about the Job are searched for the names of pods. */
const MAX_SEARCHED_EVENTS = 10_000;

/**
 * What became of these pods of the Job, by their ids.
 * @param atMs of the instant; Infinity: the newest
 * @returns without pods whose version is not kept
 */
export function attemptsAt(
  history: History,
  ask: AskAccount,
  track: JobTrack,
  ids: readonly number[],
  atMs: number,
): ReadonlyMap<number, Attempt> {
  const found = new Map<number, Attempt>();
  const pods = podsThen(history, ids, atMs);
  for (let from = 0; from < pods.length; from += PODS_A_QUESTION) {
    const part = pods.slice(from, from + PODS_A_QUESTION);
    const attempts = accountOf(history, ask, track, part, atMs)?.attempts ?? [];
    const byUid = new Map(attempts.map((attempt) => [attempt.uid, attempt]));
    for (const { id, pod } of part) {
      const attempt = byUid.get(pod.metadata.uid);
      if (attempt !== undefined) found.set(id, attempt);
    }
  }
  return found;
}

/**
 * What became of the Job, what holds it and what to do, by its pods that have not ended, and the newest of the others.
 * Undefined: the engine cannot read them.
 * @param count how many pods it has had up to the instant
 */
export function jobAccountAt(
  history: History,
  ask: AskAccount,
  track: JobTrack,
  count: number,
  atMs: number,
): Account | undefined {
  const active: number[] = [];
  const ended: number[] = [];
  const { columns } = history.book.tables.transitions;
  for (let i = count - 1; i >= 0 && active.length < PODS_A_QUESTION; i--) {
    const id = track.pods.at(i);
    const row = history.book.tables.transitionAt(id, atMs);
    const isOver = row === NONE || ENDED.has(columns.state.at(row));
    if (!isOver) active.push(id);
    else if (ended.length < PODS_A_QUESTION) ended.push(id);
  }
  const ids = [...active, ...ended].slice(0, PODS_A_QUESTION);
  return accountOf(history, ask, track, podsThen(history, ids, atMs), atMs);
}

interface PodThen {
  readonly id: number;
  readonly pod: Pod;
}

function podsThen(history: History, ids: readonly number[], atMs: number): PodThen[] {
  return ids.flatMap((id) => {
    const pod = podThen(history, id, atMs);
    return pod === undefined ? [] : [{ id, pod }];
  });
}

function accountOf(
  history: History,
  ask: AskAccount,
  track: JobTrack,
  pods: readonly PodThen[],
  atMs: number,
): Account | undefined {
  const { nowMs, startMs } = history.book;
  const events = pods.flatMap(({ id }) => eventsFrom(history, history.events.lastAboutPod(id), atMs));
  const names = new Set(pods.map(({ pod }) => pod.metadata.name));
  const question = {
    job: jobThen(history, track, atMs),
    pods: pods.map(({ pod }) => pod),
    events: [...events, ...eventsOfJob(history, track, names, atMs)],
  };
  return ask(question, Math.min(atMs, nowMs) + startMs);
}

/** The last version up to the instant. Of a Job that is gone it says so, as its deletion did. */
function jobThen(history: History, track: JobTrack, atMs: number): object {
  const newest = versionCount(history, track, atMs) - 1;
  const job = jobVersion(history, track, newest);
  if (job !== undefined) return job;
  const last = jobVersion(history, track, newest - 1);
  if (last === undefined) return { metadata: { name: track.name, uid: track.uid } };
  const { atMs: times } = history.book.tables.versions.columns;
  return deletedAt(last, times.at(track.versions.at(newest)) + history.book.startMs);
}

/** The pod's last version up to the instant. One that went without an end was deleted. */
function podThen({ book, podVersions }: History, id: number, atMs: number): Pod | undefined {
  const object = podVersions.at(id, atMs);
  const row = book.tables.transitionAt(id, atMs);
  if (object === undefined || row === NONE) return undefined;
  const { columns } = book.tables.transitions;
  const phase = object.status?.phase;
  const isOver = phase === "Succeeded" || phase === "Failed";
  return columns.state.at(row) === PodState.GONE && !isOver
    ? deletedAt(object, columns.atMs.at(row) + book.startMs)
    : object;
}

/** The newest Event about the Job, which shows that Events are known, and those of deletions of these pods. */
function eventsOfJob(
  { events }: History,
  track: JobTrack,
  names: ReadonlySet<string>,
  atMs: number,
): readonly EitherEvent[] {
  const found: EitherEvent[] = [];
  let searched = 0;
  for (const row of events.backFrom(events.lastAboutJob(track.id), atMs)) {
    const event = events.at(row);
    if (event === undefined || searched++ === MAX_SEARCHED_EVENTS) break;
    if (found.length === 0 || isDeletionOf(names, event)) found.push(event);
  }
  return found;
}

/** The controller combines Events of many deletions; those name no pod. */
function isDeletionOf(names: ReadonlySet<string>, { reason, message, note }: Partial<EitherEvent>): boolean {
  if (reason !== "SuccessfulDelete") return false;
  const text = message ?? note ?? "";
  return text.startsWith("(combined from similar events)") || names.has(text.slice("Deleted pod: ".length));
}
