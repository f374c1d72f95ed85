/** The steps of a vector, as far as they are written here: test/vectors/README.md says what the runner does in each. */
import type { Json, JsonObject } from "../../../cluster/values/types.ts";

export type SourceName = "jobs" | "pods";

export type Step =
  | { readonly start: Readonly<Record<string, JsonObject>> }
  | { readonly restart: true }
  | { readonly relist: SourceName }
  | { readonly bookmark: SourceName }
  | { readonly ingest: SourceName; readonly kind: "streamLost" }
  | ChangeStep
  | RunStep
  | { readonly settle: string; readonly at: number; readonly answer?: Answer };

export interface RunStep {
  readonly run: number;
  readonly requests: readonly (ExpectedRequest | readonly ExpectedRequest[])[];
  readonly events: readonly (readonly [string, string, string] | JsonObject)[];
  /** Of all of them, if some were refused. */
  readonly eventAnswers?: readonly Answer[];
}

export type ChangeStep = (
  | { readonly add: Readonly<Record<string, JsonObject>> }
  | { readonly change: Readonly<Record<string, JsonObject>> }
  | { readonly delete: readonly string[] }
  | { readonly show: readonly string[] }
) & { readonly at?: number; readonly silent?: true };

export interface ExpectedRequest {
  create?: string;
  readonly index?: number;
  readonly strip?: string;
  readonly adopt?: string;
  readonly release?: string;
  readonly delete?: string;
  readonly status?: Json;
  readonly list?: string;
  readonly read?: string;
  readonly remove?: string;
  readonly job?: string;
  readonly uid?: string;
  readonly answer: "later";
}

export type Answer = "lost" | { readonly status: number; readonly retryAfterMs?: number; readonly body: Json };
