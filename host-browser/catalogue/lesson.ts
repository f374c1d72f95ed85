/**
 * A lesson: one run that shows one thing, and the words that explain it.
 *
 * Invariant: a lesson is plain data. Its instants are fixed milliseconds, which is safe because a scenario repeats to
 * the millisecond; `shows` names the rule by which they were found, and the tests keep both consistent. A bookmark is
 * at the instant at which the controller has looked at what it shows (SETTLE_MS). Leaves out the texts themselves
 * (lessons-*.ts) and how a run is made (cluster/simulation/).
 */
import type { PodState } from "../records.ts";
import type { Scenario } from "../../cluster/simulation/scenario.ts";

/** Something to find in the columns of a run; the `nth` of its kind, 1 if absent. */
export type Sight = { readonly nth?: number } & (
  | { readonly decision: string }
  | { readonly pod: keyof typeof PodState }
  | { readonly event: string }
  | { readonly flag: string }
  /** A pod lost the finalizer that keeps it until it is counted. */
  | { readonly released: true }
  /** A Job of this name was deleted. */
  | { readonly deleted: string }
  /** A number in the status of a Job became so. */
  | { readonly job: string; readonly field: StatusField; readonly is: number }
);

/** `uncounted`: UIDs in uncountedTerminatedPods. */
export type StatusField = "active" | "ready" | "terminating" | "succeeded" | "failed" | "uncounted";

export interface Bookmark {
  /** Whole milliseconds since the run began. */
  readonly atMs: number;
  /** A few words: `the first backoff`. */
  readonly label: string;
  readonly shows: Sight;
  /** Name of the Job that it is about; absent: the first one, or that of `shows`. */
  readonly job?: string;
}

/** Where the controller looks at it within this time, and before the next bookmark, the bookmark is there. */
export const SETTLE_MS = 300;

/** The groups of the catalogue, in their order. */
export const GROUPS = [
  "Begin",
  "Share the work",
  "Fail, and try again",
  "The world intervenes",
  "Why does it wait?",
  "End, and clean up",
] as const;
export type Group = (typeof GROUPS)[number];

export interface Lesson {
  /** Lower-case words with hyphens. Addresses that were shared name it, so it never changes. */
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  /** Two sentences: what the reader sees, and why it is so. */
  readonly text: string;
  readonly scenario: Scenario;
  /** In the order of time. The middle one is the turning point, at which the picture opens. */
  readonly bookmarks: readonly [Bookmark, Bookmark, Bookmark];
  /** To answer before looking. */
  readonly question: string;
  readonly answer: string;
  /** How each Job ends, in the words of `# Ends:` in examples/; Jobs in the order of the manifest. */
  readonly ends: readonly string[];
}
