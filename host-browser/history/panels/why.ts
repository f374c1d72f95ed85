/**
 * The reason of something: the decision behind a row, its rule, its numbers, and the lines of the manifest that the
 * rule comes from. Unlike the rest of a view it may name a decision that was made after the instant: the controller
 * takes an end that it did not cause into account a moment later.
 */
import type { Attempt, Decision } from "../../../bindings/js/engine.ts";
import type { Cause } from "../../messages.ts";
import { LateTable, NONE, PodState } from "../../records.ts";
import { asSentence } from "../../../cluster/values/sentence.ts";
import { spanText } from "../../../cluster/values/time-span.ts";
import { MOMENTS } from "../sentences.ts";
import { attemptsAt } from "../account.ts";
import type { History } from "../history.ts";
import { jobVersionAt } from "../job-versions.ts";
import { fieldsBehind, messageOf } from "../pod-reasons.ts";
import { type DecisionRow, decisionRow } from "../rows.ts";
import type { Look } from "../look.ts";
import type { Tables } from "../tables.ts";
import { type FieldLine, fieldLinesOf } from "../field-lines.ts";
import { Role, ruleOf } from "../rules.ts";
import { tellOf } from "../tell.ts";

/** The reason of something. */
export interface Why {
  readonly cause: Cause;
  /** The decision; absent: the controller had no part in it (a container ended without it). */
  readonly decision?: DecisionRow;
  /** Who or what ended the pod: a code of `account` (bindings/ABI.md). Absent: it is not about the end of a pod. */
  readonly endedBy?: string;
  /** One or two sentences: what happened, and which rule made it so. */
  readonly text: string;
  /** The numbers that the rule looked at. */
  readonly numbers: readonly (readonly [name: string, value: string])[];
  /** Fields of the manifest that the rule comes from. */
  readonly fields: readonly FieldLine[];
  /** The next instant that matters. */
  readonly nextMs?: number;
}

export function data(look: Look): { readonly why?: Why } {
  const { why: cause } = look.query;
  const why = cause === undefined ? undefined : whyAt(look, cause);
  return why === undefined ? {} : { why };
}

/** Undefined: there is no such row. */
function whyAt(look: Look, cause: Cause): Why | undefined {
  const { history, atMs } = look;
  const length = lengthOf(history, cause);
  if (!Number.isInteger(cause.id) || cause.id < 0 || cause.id >= length) return undefined;
  const made = madeBy(history, cause);
  const id = made ?? decisionOf(history, cause);
  const own = cause.of === "transition" ? behindTransition(look, cause.id) : NOTHING;
  const told = [own.told ?? tellOf(history, cause), ...own.messages].map(asSentence).join(" ");
  const about = { cause, ...(own.endedBy === undefined ? {} : { endedBy: own.endedBy }) };
  if (id === NONE) return { ...about, text: told, numbers: [], fields: fieldsOf(history, own.job, own.paths, atMs) };
  const row = decisionRow(history, id);
  const next = cause.of === "transition" && made === undefined ? waitAfter(history, id) : NONE;
  const reasons = (next === NONE ? [id] : [id, next]).map((of) => reasonOf(history, of));
  const says = reasons.map(({ text }) => text).join(" Then: ");
  const nextMs = reasons.at(-1)!.nextMs;
  return {
    ...about,
    decision: row,
    text:
      cause.of === "decision"
        ? says
        : `${told} ${made === undefined ? leadTo(cause) : "The controller made it:"} ${says}`,
    numbers: [...new Map(reasons.flatMap(({ numbers }) => numbers))],
    fields: fieldsOf(history, row.job, [...new Set([...own.paths, ...reasons.flatMap(({ paths }) => paths)])], atMs),
    ...(nextMs === undefined ? {} : { nextMs }),
  };
}

interface Reason {
  readonly text: string;
  readonly numbers: Why["numbers"];
  readonly paths: readonly string[];
  readonly nextMs: number | undefined;
}

function reasonOf(history: History, id: number): Reason {
  const { code, message, nextMs } = decisionRow(history, id);
  const decision = history.decisions.decisions[id];
  return {
    text: asSentence(message),
    numbers: Object.entries(decision?.numbers ?? {}).map(([name, value]) => [name, numberText(name, value)]),
    paths: ruleOf(code).fields.map((path) => withRule(path, code, decision)),
    nextMs,
  };
}

/** The wait on which the controller decided at the same instant, after this decision of the same Job; NONE: no wait. */
function waitAfter({ book: { tables } }: History, id: number): number {
  const { atMs, code, job, nextMs } = tables.decisions.columns;
  let wait: number = NONE;
  for (let at = id + 1; at < tables.decisions.length && atMs.at(at) === atMs.at(id); at++) {
    const isWait = ruleOf(tables.texts.at(code.at(at))).role === Role.WAITS && !Number.isNaN(nextMs.at(at));
    if (isWait && job.at(at) === job.at(id)) wait = at;
  }
  return wait;
}

interface Behind {
  readonly job: number;
  /** The engine's sentence about the end of the pod. Undefined: there is none. */
  readonly told: string | undefined;
  /** What scheduler or kubelet said, and who ended the pod. */
  readonly messages: readonly string[];
  readonly endedBy: string | undefined;
  readonly paths: readonly string[];
}

const NOTHING: Behind = { job: NONE, told: undefined, messages: [], endedBy: undefined, paths: [] };

/** The explanation of a state by the pod itself and its template, and of an end by the engine. */
function behindTransition(look: Look, row: number): Behind {
  const { book, podVersions } = look.history;
  const { pods, texts, transitions } = book.tables;
  const { atMs, detail, pod, state } = transitions.columns;
  const then = state.at(row) as PodState;
  const object = podVersions.at(pod.at(row), atMs.at(row));
  const attempt = attemptOf(look, row);
  const isOver = then === PodState.SUCCEEDED || then === PodState.FAILED;
  const message = object === undefined ? "" : messageOf(then, object);
  const cause = isOver || attempt === undefined || attempt.cause === "" ? "" : `The cause: ${attempt.cause}`;
  return {
    job: pods.columns.job.at(pod.at(row)),
    told: isOver ? attempt?.sentence : undefined,
    messages: [message, cause].filter((text) => text !== ""),
    endedBy: attempt?.endedBy ?? undefined,
    paths: fieldsBehind(then, texts.at(detail.at(row)), object, attempt),
  };
}

/**
 * What the engine says of the end of a pod, or of a container that waits to be started again; undefined: nothing has
 * ended, or it cannot be asked. Of an end all is taken that is known by now: Events tell of it a moment later.
 */
function attemptOf({ history, ask }: Look, row: number): Attempt | undefined {
  const { pods, transitions } = history.book.tables;
  const { atMs, pod, state } = transitions.columns;
  const then = state.at(row) as PodState;
  const track = history.book.track(pods.columns.job.at(pod.at(row)));
  if (ask === undefined || track === undefined || (then < PodState.TERMINATING && then !== PodState.WAITING))
    return undefined;
  const untilMs = then === PodState.WAITING ? atMs.at(row) : Infinity;
  const attempt = attemptsAt(history, ask, track, [pod.at(row)], untilMs).get(pod.at(row));
  return attempt?.endedBy == null ? undefined : attempt;
}

function leadTo({ of }: Cause): string {
  return of === "transition" ? "The controller:" : "It comes from this decision:";
}

function lengthOf({ book: { tables } }: History, { of }: Cause): number {
  if (of === "decision") return tables.decisions.length;
  if (of === "transition") return tables.transitions.length;
  if (of === "version") return tables.versions.length;
  if (of === "event") return tables.events.length;
  return of === "pod" ? tables.pods.length : tables.gaps.length;
}

const TABLES = {
  transition: LateTable.TRANSITION,
  version: LateTable.VERSION,
  event: LateTable.EVENT,
  pod: LateTable.POD,
  gap: LateTable.GAP,
} as const;

function decisionOf({ book: { tables } }: History, { of, id }: Cause): number {
  if (of === "decision") return id;
  const decision = tables.decisionOf(TABLES[of], id, Infinity);
  const state = of === "transition" ? tables.transitions.columns.state.at(id) : PodState.READY;
  return decision === NONE || state < PodState.SUCCEEDED ? decision : countAfter(tables, decision, state);
}

/** The controller replaces ended pods, or waits for them, before it counts them: they belong to the count. */
function countAfter({ decisions, texts }: Tables, id: number, state: number): number {
  const { atMs, code, job } = decisions.columns;
  const roleOf = (at: number): Role => ruleOf(texts.at(code.at(at))).role;
  const role = roleOf(id);
  // A wait after a failure is the failure's consequence.
  if (role !== Role.CREATES && (role !== Role.WAITS || state !== PodState.SUCCEEDED)) return id;
  for (let at = id + 1; at < decisions.length && atMs.at(at) === atMs.at(id); at++)
    if (job.at(at) === job.at(id) && roleOf(at) === Role.COUNTS) return at;
  return id;
}

function fieldsOf(history: History, job: number, paths: readonly string[], atMs: number): Why["fields"] {
  const track = history.book.track(job);
  if (track === undefined) return [];
  const object = jobVersionAt(history, track, atMs)?.object;
  return fieldLinesOf(history.source).of(track.namespace, track.name, object, paths);
}

/** For a pod at work, whose present state the controller did not cause: the decision that created the pod. */
function madeBy({ book: { tables } }: History, { of, id }: Cause): number | undefined {
  const { pod, state } = tables.transitions.columns;
  if (of !== "transition" || state.at(id) === PodState.PENDING || state.at(id) > PodState.READY) return undefined;
  return tables.decisionOf(LateTable.POD, pod.at(id), Infinity);
}

/** The matched rule of a policy, if the decision names it. */
function withRule(path: string, code: string, decision: Decision | undefined): string {
  if (code === "SuccessPolicyMet" && decision?.numbers.rule !== undefined)
    return `${path}.rules[${decision.numbers.rule}]`;
  const index = code === "PolicyFailsJob" ? /rule at index (\d+)/.exec(decision?.message ?? "")?.[1] : undefined;
  return index === undefined ? path : `${path}.rules[${index}]`;
}

/** Durations in the format of the sentences, instants as times of day in UTC. */
function numberText(name: string, value: number): string {
  if (MOMENTS.has(name)) return `${new Date(value).toISOString().slice(11, 19)} UTC`;
  return name.endsWith("Ms") ? spanText(value) : String(value);
}
