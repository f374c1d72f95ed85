/**
 * The messages between page and Worker: plain data for structured clone. Each run has a number that every notice of it
 * repeats, so the page can drop late notices of an earlier run. Times are whole milliseconds since the run began.
 */
import type { PanelName } from "../build/panel-names.ts";
import type { DoorAnswer } from "./door-answer.ts";
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
  /** Continues from the newest instant, this many times as fast as wall time; Infinity: without waiting. */
  | { readonly kind: "play"; readonly speed: number }
  | { readonly kind: "pause" }
  /** Continues to the next decision and pauses there. */
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
  | { readonly kind: "check"; readonly check: number; readonly yaml: string }
  /** Says what a text is, and what became of its Jobs. `nowMs` is wall time. */
  | { readonly kind: "explain"; readonly explain: number; readonly text: string; readonly nowMs: number };

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
  /** The `View` of history/view.ts, which the Worker passes on as it is. */
  | { readonly kind: "view"; readonly run: number; readonly look: number; readonly view: unknown }
  | { readonly kind: "checked"; readonly check: number; readonly problems: readonly Problem[] }
  | { readonly kind: "explained"; readonly explain: number; readonly answer: DoorAnswer }
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
  /** The open panel. Data that takes time is made for this one alone. Absent: none is open. */
  readonly panel?: PanelName;
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
