/**
 * What a world tells whoever keeps its history. Everything is by reference: objects never change, and what is told must
 * not be changed.
 *
 * Invariant: calls come in the order in which things happen, and `nowMs` never goes back. All instants but those inside
 * objects and decisions are milliseconds since the run began.
 */
import type { Decision, Explanation } from "../../bindings/js/engine.ts";
import type { ApiRequest, ApiResponse } from "../../bindings/js/host.ts";
import type { Write } from "../apiserver/server.ts";

/** Something that people did or that the scenario does: a flag on the time axis. */
export interface FlagRecord {
  readonly atMs: number;
  /** Absent: an instant. */
  readonly untilMs?: number;
  /** Kind of the action: `drain`. */
  readonly kind: string;
  /** `drain node-2` */
  readonly label: string;
  /** What went wrong with it, as the API server said; absent: nothing. */
  readonly problem?: string;
}

/** The controller's own words about a Job at the newest instant; undefined: there is no controller at the moment. */
export type Explain = (namespace: string, name: string) => Explanation | undefined;

export interface RunRecorder {
  onWrite(write: Write, nowMs: number): void;
  /** Comes just before the requests that the decisions lead to. */
  onDecisions(decisions: readonly Decision[], nowMs: number): void;
  /** A controller begins: its decisions count from 1. */
  onController?(): void;
  /** The controller sends a request. */
  onRequest(id: number, request: ApiRequest, nowMs: number): void;
  /** The API server has carried the request out. What was written since `onRequest` was its doing. */
  onSent(): void;
  onAnswer(id: number, response: ApiResponse, nowMs: number): void;
  onFlag(flag: FlagRecord): void;
  /** Everything that happens by itself at this instant has happened; more may follow if somebody does something. */
  onInstant(nowMs: number, explain: Explain): void;
}
