/** What the door says of a text: plain data, which travels from the Worker to the page. */

import type { Scenario } from "../cluster/simulation/scenario.ts";

export interface DoorAnswer {
  /** A name of the table in door/kinds.ts. */
  readonly kind: string;
  /** What was given: `objects of Kubernetes: 1 Job, 3 Pods`. */
  readonly given: string;
  /** Why there is no answer, as one sentence; absent: there is one. */
  readonly problem?: string;
  readonly notes: readonly string[];
  /** Of the Jobs that have a status. */
  readonly jobs: readonly JobAnswer[];
  /** What the page runs; absent: nothing. */
  readonly yaml?: string;
  /** Where it ends with the conditions and counters of the text; absent: in any world. */
  readonly world?: Omit<Scenario, "yaml" | "inputs">;
  /** Whether there is such a world; absent: none was searched. */
  readonly isReconstructed?: boolean;
  /** What the page plays instead, until a remedy is tried. */
  readonly recording?: string;
}

export interface ToDo {
  /** A code of `account`. */
  readonly code: string;
  readonly sentence: string;
  readonly command: string;
  /** Absent: the remedy changes nothing that is in the text. */
  readonly change?: {
    readonly diff: readonly DiffLine[];
    readonly yaml: string;
    /** It changes the pods themselves, so they are taken to succeed with it. */
    readonly isOfPods: boolean;
  };
}

export interface JobAnswer {
  readonly namespace: string;
  readonly name: string;
  readonly verdict: string;
  /** What happened: the sentence of the account. */
  readonly what: string;
  readonly why: Why;
  /** What comes next, or has to happen first. */
  readonly next: string;
  readonly toDo: readonly ToDo[];
}

/** A field of the text, and where it stands. */
export interface Evidence {
  readonly field: string;
  /** As text; empty: it is no plain value. */
  readonly value: string;
  /** In the text that was given. */
  readonly line: number;
  /** In the manifest of the run; absent: it is not there. */
  readonly shownLine?: number;
}

export interface Why {
  /** Empty: what happened says it all. */
  readonly sentence: string;
  readonly evidence: readonly Evidence[];
}

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}
