/**
 * The messages between page and Worker: plain data for structured clone. Each run has a number that every notice of it
 * repeats, so the page can drop late notices of an earlier run. Times are whole milliseconds since the run began.
 */
import type { Chunk } from "./records.ts";
import type { Action, Scenario } from "../cluster/simulation/scenario.ts";
import type { Problem } from "../cluster/simulation/loaded-manifest.ts";

/** The page's first message to the Worker: the engine, which it needs before it can carry out commands. */
export interface EngineFile {
  readonly kind: "engine";
  readonly module: WebAssembly.Module;
}

/** The first picture is drawn: the Worker may fetch what later commands need, so that they need no network. */
export interface FetchTheRest {
  readonly kind: "fetch-the-rest";
}

/** Commands of the page to the Worker. */
export type Command =
  /**
   * Ends the present run and begins another from time 0. It runs at once, without waiting, up to `untilMs` (Infinity:
   * to its end), and pauses there.
   */
  | { readonly kind: "load"; readonly run: number; readonly scenario: Scenario; readonly untilMs: number }
  /** Goes on from the newest instant, this many times as fast as wall time; Infinity: without waiting. */
  | { readonly kind: "play"; readonly speed: number }
  | { readonly kind: "pause" }
  /** Goes on to the next decision and pauses there. */
  | { readonly kind: "step" }
  /** Acts on the cluster at the newest instant. To change the past, load a scenario with one more input. */
  | { readonly kind: "act"; readonly action: Action }
  /**
   * Asks for everything that can be read at an instant of the present run. Of looks at a simulated run that wait, only
   * the latest is answered.
   */
  | { readonly kind: "look"; readonly look: number; readonly query: Query }
  /**
   * Ends the present run and shows a recording instead (bindings/js/recording.ts). It arrives as a finished run, with a
   * scenario of the first versions of its Jobs, which can be forked. A bad recording is refused.
   */
  | { readonly kind: "import"; readonly run: number; readonly recording: string }
  /** Makes the run of this scenario once more, and returns it as a file. */
  | { readonly kind: "export"; readonly run: number; readonly scenario: Scenario; readonly form: ExportForm }
  /** Reads a manifest, without a run: for the editor. */
  | { readonly kind: "check"; readonly check: number; readonly yaml: string };

export type ExportForm =
  /** For `stint replay`: bindings/js/recording.ts. */
  | { readonly as: "recording" }
  /** A test for every language: test/vectors/README.md. `name` says what it shows. */
  | { readonly as: "vector"; readonly name: string };

export type Notice =
  /** The engine is there; commands are obeyed. */
  | { readonly kind: "ready"; readonly engineVersion: string }
  /** The scenario was refused; there is no run. */
  | { readonly kind: "refused"; readonly run: number; readonly problems: readonly Problem[] }
  | { readonly kind: "warned"; readonly run: number; readonly problems: readonly Problem[] }
  | Progress
  | { readonly kind: "view"; readonly run: number; readonly look: number; readonly view: View }
  | { readonly kind: "checked"; readonly check: number; readonly problems: readonly Problem[] }
  /** The file, or why there is none. */
  | { readonly kind: "exported"; readonly run: number; readonly text: string; readonly problem: string }
  /** A fault of Stint itself ended the run. */
  | { readonly kind: "fatal"; readonly run: number; readonly message: string };

/** What happened since the last progress notice. Its arrays are transferred. */
export interface Progress {
  readonly kind: "progress";
  readonly run: number;
  readonly mode: Mode;
  /** The newest instant of the run. */
  readonly nowMs: number;
  /** Why the last step ended without a decision; empty otherwise. */
  readonly note: string;
  /** Equal for equal runs: a hash of everything written and decided so far, in hexadecimal digits. */
  readonly digest: string;
  /** The scenario with all actions on the run so far; absent: unchanged. */
  readonly scenario?: Scenario;
  readonly chunk: Chunk;
}

export type Mode =
  | "paused"
  /** Running without waiting to where `load` said. */
  | "loading"
  | "playing"
  /** Running to the next decision. */
  | "stepping"
  /** Nothing is left to happen. */
  | "finished";

/** What to read, and for which instant. */
export interface Query {
  readonly atMs: number;
  /** Id of the Job that the panels show. */
  readonly job: number;
  /** A pod to describe. */
  readonly pod?: number;
  /** What to explain. */
  readonly why?: Cause;
  /** In every list, how many rows to skip before the shown ones: a page of MAX_VIEW_ROWS each. Absent: none. */
  readonly skip?: number;
}

/** Something that has a reason: a row of a column table. */
export interface Cause {
  readonly of: "decision" | "transition" | "version" | "event" | "pod" | "gap";
  readonly id: number;
}

/** The most rows of a view's list: the newest ones before the instant, or a page of older ones. */
export const MAX_VIEW_ROWS = 200;

/** Everything that panels show for one instant. */
export interface View {
  readonly atMs: number;
  /** The engine's sentence at that instant: the state of the Job, its reason, what comes next. */
  readonly sentence: string;
  /** Code of the decision or explanation that the sentence is; for docs/decisions.md. */
  readonly code: string;
  /** When the Job moves on without any event. */
  readonly nextMs?: number;
  /** Where the controller's view differs from the API (a write under way, a watch event not seen): sentences. */
  readonly differences: readonly string[];
  /** `kubectl get jobs`, `kubectl get pods`: columns and cells, of all namespaces' objects of this Job. */
  readonly jobTable: TextTable;
  readonly podTable: TextTable;
  /** All there are at that instant; the lists have at most MAX_VIEW_ROWS, after `skip` others. */
  readonly podCount: number;
  readonly eventCount: number;
  readonly decisionCount: number;
  readonly requestCount: number;
  readonly skip: number;
  /** The version of the Job that is shown: a row of JobColumns, or NONE. It is the cause of what has changed. */
  readonly version: number;
  /** The Job's status as YAML, with what the last write changed. Empty before there is a Job. */
  readonly status: readonly StatusLine[];
  readonly conditions: readonly ConditionRow[];
  /** `kubectl describe job`. */
  readonly description: string;
  /** Newest first. */
  readonly events: readonly EventRow[];
  readonly decisions: readonly DecisionRow[];
  readonly requests: readonly RequestRow[];
  /** The requested pod: `kubectl describe pod`, and its YAML. Absent: none requested, or it did not exist then. */
  readonly pod?: { readonly description: string; readonly yaml: string };
  readonly why?: Why;
}

export interface TextTable {
  readonly columns: readonly string[];
  /** Ids of the Jobs or pods, one a row. */
  readonly ids: readonly number[];
  readonly rows: readonly (readonly string[])[];
}

export interface StatusLine {
  readonly text: string;
  /** By the last write of the Job. */
  readonly isChanged: boolean;
  /** The version of the Job that wrote it last: a row of JobColumns. */
  readonly version: number;
}

export interface ConditionRow {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** When it became so. */
  readonly atMs: number;
  /** The version of the Job that made it so: a row of JobColumns. */
  readonly version: number;
  /** NONE: no decision of this controller. */
  readonly decision: number;
}

export interface EventRow {
  readonly id: number;
  readonly atMs: number;
  readonly type: string;
  readonly reason: string;
  /** `job/pi`, `pod/pi-0-x7k2p`. */
  readonly object: string;
  readonly message: string;
  readonly count: number;
  readonly decision: number;
}

export interface DecisionRow {
  readonly id: number;
  readonly atMs: number;
  readonly job: number;
  readonly code: string;
  readonly message: string;
  readonly nextMs?: number;
}

/** A request of the controller, and its answer. */
export interface RequestRow {
  readonly id: number;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  /** 0: there was no answer yet at that instant. */
  readonly status: number;
  readonly answeredMs: number;
  /** First line of the body, shortened. */
  readonly summary: string;
  readonly decision: number;
}

/** The reason of something. */
export interface Why {
  readonly cause: Cause;
  /** The decision; absent: the controller had no part in it (a container ended without it). */
  readonly decision?: DecisionRow;
  /** One or two sentences: what happened, and which rule made it so. */
  readonly text: string;
  /** The numbers that the rule looked at. */
  readonly numbers: readonly (readonly [name: string, value: string])[];
  /** Fields of the manifest that the rule comes from: `spec.backoffLimit`, with their lines if it has them. */
  readonly fields: readonly { readonly path: string; readonly line?: number }[];
  /** The next instant that matters. */
  readonly nextMs?: number;
}
