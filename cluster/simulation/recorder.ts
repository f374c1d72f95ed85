/**
 * What a world reports to the recorder of its history. Everything is passed by reference: objects never change, and the
 * recorder must not change what it gets.
 *
 * Invariant: calls come in the order in which things happen, and `nowMs` never goes back. All instants but those inside
 * objects and decisions are milliseconds since the run began.
 */
import type { Decision, Explanation } from "../../bindings/js/engine.ts";
import type { ApiRequest, ApiResponse } from "../../bindings/js/host.ts";
import type { Write } from "../apiserver/server.ts";

/** An action of the user or of the scenario: a flag on the time axis. */
export interface FlagRecord {
  readonly atMs: number;
  /** Absent: an instant. */
  readonly untilMs?: number;
  /** Kind of the action: `drain`. */
  readonly kind: string;
  /** `drain node-2` */
  readonly label: string;
  /** The API server's error; absent: none. */
  readonly problem?: string;
}

/** The controller's explanation of a Job at the newest instant; undefined: no controller is running. */
export type Explain = (namespace: string, name: string) => Explanation | undefined;

export interface RunRecorder {
  onWrite(write: Write, nowMs: number): void;
  /** Called just before the requests that the decisions lead to. */
  onDecisions(decisions: readonly Decision[], nowMs: number): void;
  /** A new controller begins: its decisions count from 1. */
  onController?(): void;
  /** The controller sends a request. */
  onRequest(id: number, request: ApiRequest, nowMs: number): void;
  /** The API server has carried the request out. It caused the writes since `onRequest`. */
  onSent(): void;
  onAnswer(id: number, response: ApiResponse, nowMs: number): void;
  onFlag(flag: FlagRecord): void;
  /** Everything that happens automatically at this instant has happened; more may follow if the user acts. */
  onInstant(nowMs: number, explain: Explain): void;
}
