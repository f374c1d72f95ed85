/**
 * The history of a run as the Worker sends it to the page: columns of numbers that only grow. The page draws from them,
 * and never asks the Worker in order to draw.
 *
 * Invariant: a chunk has only what is new since the chunk before it. Rows of every table are in the order of their
 * time, except gaps, whose rows come when a gap becomes known. Ids are row numbers from 0, over all chunks of a run.
 * Times are whole milliseconds since the run began. Leaves out texts of objects: the page asks for those, for one
 * instant (messages.ts).
 */
import type { FlagRecord } from "../cluster/simulation/recorder.ts";

/** The states of a pod, by number. A pod goes through them in any order, and ends with GONE when it is deleted. */
export const PodState = {
  /** There is a pod, and no node yet. */
  PENDING: 0,
  /** Bound to a node; the kubelet is making its containers. */
  STARTING: 1,
  /** A container cannot start, or waits before its restart; the detail is the reason: ImagePullBackOff. */
  WAITING: 2,
  RUNNING: 3,
  READY: 4,
  /** Deletion was requested; the containers have time to end. */
  TERMINATING: 5,
  SUCCEEDED: 6,
  FAILED: 7,
  GONE: 8,
} as const;
export type PodState = (typeof PodState)[keyof typeof PodState];

/** No text, no decision, no completion index, no Job. */
export const NONE = -1;

export interface JobRecord {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdMs: number;
}

/** Pods in the order of their creation. All columns have one entry a pod. */
export interface PodColumns {
  /** Id of the Job, or NONE. */
  readonly job: Int32Array;
  /** Completion index, or NONE. */
  readonly index: Int32Array;
  /** How many pods of the same Job and completion index (of the same Job, where there are no indexes) came before. */
  readonly attempt: Int32Array;
  readonly createdMs: Float64Array;
  /** The decision that created it, or NONE. */
  readonly decision: Int32Array;
  /** Names, joined by line feeds. */
  readonly names: string;
}

/** What changed about pods. The first row of a pod is its creation. */
export interface TransitionColumns {
  readonly pod: Int32Array;
  readonly atMs: Float64Array;
  /** A PodState. */
  readonly state: Uint8Array;
  /** Text id of the reason (`OOMKilled`, `exit code 1`, `ImagePullBackOff`), or NONE. */
  readonly detail: Int32Array;
  /** Restarts of all containers so far. */
  readonly restarts: Int32Array;
  /** Text id of the node, or NONE. */
  readonly node: Int32Array;
  /** The decision that caused it or, for what nodes and users cause, the first one that takes it into account. */
  readonly decision: Int32Array;
}

/** Versions of Job objects: what their status said. */
export interface JobColumns {
  readonly job: Int32Array;
  readonly atMs: Float64Array;
  readonly active: Int32Array;
  readonly ready: Int32Array;
  readonly terminating: Int32Array;
  readonly succeeded: Int32Array;
  readonly failed: Int32Array;
  /** A JobPhase. */
  readonly phase: Uint8Array;
  /** spec.completions, or NONE: indexes that have no pod yet get a place in the picture too. */
  readonly completions: Int32Array;
  /** spec.parallelism. */
  readonly parallelism: Int32Array;
  /** The decision that caused the write, or NONE. */
  readonly decision: Int32Array;
}

export const JobPhase = { RUNNING: 0, SUSPENDED: 1, COMPLETE: 2, FAILED: 3, GONE: 4 } as const;
export type JobPhase = (typeof JobPhase)[keyof typeof JobPhase];

export interface DecisionColumns {
  readonly job: Int32Array;
  readonly atMs: Float64Array;
  /** Text id of its code: `Backoff`. */
  readonly code: Int32Array;
  /** When the Job moves on without any event; NaN: only an event moves it. */
  readonly nextMs: Float64Array;
}

export interface EventColumns {
  /** Id of the Job that it is about or whose pod it is about, or NONE. */
  readonly job: Int32Array;
  readonly atMs: Float64Array;
  /** Text id of the reason. */
  readonly reason: Int32Array;
  /** 1: type Warning. */
  readonly isWarning: Uint8Array;
  /** The decision that it reports, or NONE. */
  readonly decision: Int32Array;
}

/** A time in which the controller waits before it creates a pod again. */
export interface GapColumns {
  readonly job: Int32Array;
  /** The completion index that waits, or NONE: the whole Job. */
  readonly index: Int32Array;
  readonly fromMs: Float64Array;
  readonly untilMs: Float64Array;
  readonly decision: Int32Array;
}

/** Whether a node takes pods. */
export const NodeState = { READY: 0, CORDONED: 1, GONE: 2 } as const;
export type NodeState = (typeof NodeState)[keyof typeof NodeState];

/** What changed about nodes. The first row of a node is its creation. */
export interface NodeColumns {
  /** Text id of its name. */
  readonly node: Int32Array;
  readonly atMs: Float64Array;
  /** A NodeState. */
  readonly state: Uint8Array;
}

/** The tables whose rows may get their decision later, by number. */
export const LateTable = { TRANSITION: 0, VERSION: 1, EVENT: 2, POD: 3, GAP: 4 } as const;
export type LateTable = (typeof LateTable)[keyof typeof LateTable];

/**
 * Rows of earlier chunks whose decision is known now: what nodes and users cause belongs to the first decision that
 * takes it into account.
 */
export interface LateColumns {
  /** A LateTable. */
  readonly table: Uint8Array;
  readonly row: Int32Array;
  readonly decision: Int32Array;
}

/** What is new since the chunk before. */
export interface Chunk {
  /** Texts in the order of their ids. */
  readonly texts: readonly string[];
  readonly jobs: readonly JobRecord[];
  readonly pods: PodColumns;
  readonly transitions: TransitionColumns;
  readonly versions: JobColumns;
  readonly decisions: DecisionColumns;
  readonly events: EventColumns;
  readonly gaps: GapColumns;
  readonly nodes: NodeColumns;
  readonly late: LateColumns;
  readonly flags: readonly FlagRecord[];
  /** All columns lie in it. A browser needs several hundred bytes for each buffer that is sent. */
  readonly buffer: ArrayBuffer;
}
