/**
 * The format of the engine's vectors as types: test/vectors/README.md has it in words, test/vectors/engine.schema.json
 * as a JSON Schema. Leaves out what the words mean: vector-server.ts and vector-runner.ts do what they say.
 */
import type { Json, JsonObject } from "../../../cluster/values/types.ts";

export interface VectorFile {
  /** Named objects that other objects start `from`. */
  readonly objects?: Readonly<Record<string, JsonObject>>;
  readonly cases: readonly VectorCase[];
}

export interface VectorCase {
  readonly name: string;
  /** The place of the rule: `controller.md S21`. */
  readonly spec: string;
  readonly constants?: Readonly<Record<string, number>>;
  /** Members that override those of the runner's configuration. */
  readonly configuration?: JsonObject;
  readonly steps: readonly Step[];
}

/** Objects by name; each may have `from` (a named object) and `index` (a completion index) beside its own fields. */
export type ObjectsByName = Readonly<Record<string, JsonObject>>;

export type Step =
  | { readonly start: ObjectsByName }
  | { readonly restart: true }
  | ({ readonly add: ObjectsByName } & Shown)
  | ({ readonly change: ObjectsByName } & Shown)
  | ({ readonly delete: readonly string[] } & Shown)
  | ({ readonly show: readonly string[] } & Shown)
  | { readonly replay: readonly string[]; readonly type: string }
  | { readonly bookmark: SourceName; readonly endsInitialEvents?: true }
  | { readonly relist: SourceName; readonly stale?: true; readonly result?: string }
  | { readonly ingest: SourceName; readonly kind: IngestKindName; readonly text?: string; readonly result?: string }
  | RunStep
  | { readonly settle: string; readonly at: number; readonly answer?: Answer }
  | { readonly explain: string; readonly at?: number; readonly expect: JsonObject }
  | { readonly metrics: JsonObject };

/** How the watch shows what happens: not at all, or with this return code (`ok` where it is left out); and when. */
export interface Shown {
  readonly at?: number;
  readonly silent?: true;
  readonly result?: string;
}

export type SourceName = "jobs" | "pods" | "workloads" | "podgroups";
export type IngestKindName = "listBegin" | "page" | "listEnd" | "watchLines" | "streamLost";

export interface RunStep {
  readonly run: number;
  readonly requests?: readonly (ExpectedRequest | readonly ExpectedRequest[])[];
  /** Each `[type, reason, message]`, or the whole body. */
  readonly events?: readonly (readonly [string, string, string] | JsonObject)[];
  /** To the events in order; those without one are taken. */
  readonly eventAnswers?: readonly Exclude<Answer, "later" | "lostAfter">[];
  /** null: none. */
  readonly nextWakeUp?: number | null;
  readonly maxRequests?: number;
}

/** Exactly one of the members down to `patchPodGroup`, `index`, `body` and `continue` apart, says what is expected. */
export interface ExpectedRequest {
  /** POST of a pod, which gets this name. */
  readonly create?: string;
  readonly index?: number;
  /** The whole body of a `create`, or of the POST or PATCH of a Workload or a PodGroup. */
  readonly body?: Json;
  /** The finalizer patch of this pod. */
  readonly strip?: string;
  /** The patch that makes this pod one of `job`. */
  readonly adopt?: string;
  /** The patch after which this pod is no longer one of `job`. */
  readonly release?: string;
  readonly delete?: string;
  /** The status patch of `job`. */
  readonly status?: JsonObject;
  /** GET of the pods of this Job: the first page or, with `continue`, the one that this token asks for. */
  readonly list?: string;
  readonly continue?: string;
  /** GET of this Job. */
  readonly read?: string;
  /** DELETE of this Job, which is over. */
  readonly remove?: string;
  /** POST of the Workload, or of the PodGroup, of this name. */
  readonly createWorkload?: string;
  readonly createPodGroup?: string;
  /** GET of it. */
  readonly readWorkload?: string;
  readonly readPodGroup?: string;
  /** The patch that changes its size. */
  readonly patchWorkload?: string;
  readonly patchPodGroup?: string;
  /** Whose pod or status; `j` where it is left out. */
  readonly job?: string;
  /** The UID of that Job, of `adopt` and `release`; `uid-<job>` where it is left out. */
  readonly uid?: string;
  readonly answer?: Answer;
}

/**
 * Left out: as the server model answers. `lost`: it never got there. `lostAfter`: it was carried out, and the answer
 * was lost. `later`: a step `settle` answers it.
 */
export type Answer =
  | "lost"
  | "lostAfter"
  | "later"
  | {
      readonly status: number;
      readonly retryAfterMs?: number;
      readonly body?: Json;
      readonly text?: string;
      readonly result?: string;
    };
