/**
 * The messages between page and Worker: plain data for structured clone. The page sends commands, the Worker sends
 * notices. Each `load` has a run number, which every notice of that run repeats, so the page can drop late notices of
 * an earlier run. Times are whole milliseconds of simulated time since the run began, unless their comment says
 * something else.
 */

/** Commands of the page to the Worker. */
export type Command =
  /** Ends the present run and begins another: an empty cluster, then the Jobs of this YAML. It starts paused. */
  | { readonly kind: "load"; readonly run: number; readonly yaml: string; readonly seed: number }
  /** Lets time pass, this many times as fast as wall time; Infinity: from timer to timer without waiting. */
  | { readonly kind: "play"; readonly speed: number }
  | { readonly kind: "pause" }
  /** Moves to the next decision of the controller and pauses there. */
  | { readonly kind: "step" };

/** What the Worker tells the page. */
export type Notice =
  /** The engine is compiled; commands are taken. */
  | { readonly kind: "ready" }
  /** Warnings of the API server about a YAML that it accepts. */
  | { readonly kind: "warned"; readonly run: number; readonly problems: readonly Problem[] }
  /** The YAML of this run was refused; there is no run. */
  | { readonly kind: "refused"; readonly run: number; readonly problems: readonly Problem[] }
  | { readonly kind: "snapshot"; readonly run: number; readonly snapshot: Snapshot }
  /** A fault of Stint itself ended the run. */
  | { readonly kind: "fatal"; readonly run: number; readonly message: string };

/** A mistake in the input, and its place. */
export interface Problem {
  /** Begins with the field if it is about one: `spec.parallelism: Invalid value: …`. */
  readonly message: string;
  /** Line and column count from 1; absent if the problem has no place in the text. */
  readonly line?: number;
  readonly column?: number;
}

export type Mode =
  | "paused"
  | "playing"
  /** Running to the next decision. */
  | "stepping"
  /** Every Job has finished; no decision is left. */
  | "finished";

/** All that the page shows, at one instant. */
export interface Snapshot {
  readonly mode: Mode;
  readonly nowMs: number;
  /** Why a step ended without a decision; empty otherwise. */
  readonly note: string;
  readonly jobs: readonly JobRow[];
  /** In the order of their creation; at most the newest MAX_POD_ROWS. */
  readonly pods: readonly PodRow[];
  readonly podCount: number;
  /** Newest first, at most MAX_EVENT_ROWS. */
  readonly events: readonly EventRow[];
  /** Newest first, at most MAX_DECISION_ROWS. */
  readonly decisions: readonly DecisionRow[];
  readonly decisionCount: number;
}

/** The most rows in a snapshot. A page with more would not help a reader, and would be slow to draw. */
export const MAX_POD_ROWS = 200;
export const MAX_EVENT_ROWS = 100;
export const MAX_DECISION_ROWS = 200;

/** A Job: the columns of `kubectl get jobs`, the counts in its status, and the engine's explanation. */
export interface JobRow {
  readonly namespace: string;
  readonly name: string;
  readonly status: string;
  readonly completions: string;
  readonly duration: string;
  /** The engine's sentence: in what state the Job is, why, and what comes next. */
  readonly explanation: string;
  readonly counts: {
    readonly active: number;
    readonly ready: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly terminating: number;
  };
  /** As in the status: `0-3,5`; empty if there are none, or the Job is not Indexed. */
  readonly completedIndexes: string;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
}

/** A Pod: the columns of `kubectl get pods`, and its completion index. */
export interface PodRow {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Empty unless the Job is Indexed. */
  readonly completionIndex: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
  readonly age: string;
}

export interface EventRow {
  readonly atMs: number;
  readonly type: string;
  readonly reason: string;
  /** `job/pi`, `pod/pi-0-x7k2p`. */
  readonly object: string;
  readonly message: string;
  readonly count: number;
}

/** A decision of the controller, as the engine traced it. */
export interface DecisionRow {
  readonly atMs: number;
  readonly job: string;
  readonly code: string;
  readonly message: string;
  /** When the Job moves on without any event; absent: only an event moves it. */
  readonly nextMs?: number;
}
