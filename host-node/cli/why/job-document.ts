/** What `stint why` says of a Job, as a document; docs/why.md has the meaning of each member. */
import type { Account, Decision, PodGroup } from "../../../bindings/js/engine.ts";
import type { EndedPod, LastFailure } from "../../words/job-view.ts";
import { type Document, head } from "../json/document.ts";
import type { WarningEvent } from "../output/warning-events.ts";
import type { Answer } from "./answer.ts";

/** The account of a Job: why it is in its state, what holds it, what comes next, and what to do. */
export interface JobAccount extends Document<"JobAccount"> {
  readonly namespace: string;
  readonly job: string;
  readonly uid?: string;
  readonly found: boolean;
  /** One word: Waiting, Running, Suspended, Complete, Failed, Deleting, Refused, Foreign, Unreadable. */
  readonly state: string;
  /** Which rule holds it: a DecisionCode or a code of `explain`. `stint explain CODE` says what it means. */
  readonly code?: string;
  /** The numbers of the code, as of now. */
  readonly numbers?: Readonly<Record<string, number>>;
  /** Of IndexBackoff: the completion indexes that wait, if there are several: `1,3-5`. */
  readonly indexes?: string;
  /** One English sentence: what state, why, by which rule and numbers, and what comes next. */
  readonly sentence: string;
  /** When something happens without any input, in ms since 1970; null: nothing does. */
  readonly nextMs: number | null;
  /** When activeDeadlineSeconds end the Job, in ms since 1970; null: they do not. */
  readonly deadlineMs?: number | null;
  readonly parallelism?: number;
  readonly backoffLimit?: number;
  /** Null: not set. */
  readonly completions?: number | null;
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  /** Its pods, grouped by what they do or wait for. */
  readonly pods?: readonly PodGroup[];
  /** The latest decisions of its controller, newest last. */
  readonly decisions: readonly Decision[];
  /** `controller`: by the one that runs it. `objects`: worked out from the Job and its pods. */
  readonly source: "controller" | "objects";
  /** The pod that failed last, how, and the end of its log. */
  readonly lastFailure?: LastFailure | undefined;
  /** Other pods of it that have ended and are gone, as its controller remembers. */
  readonly endedPods?: readonly EndedPod[] | undefined;
  /** What keeps it from going on, the most important first. */
  readonly holds?: Account["holds"] | undefined;
  readonly next?: Account["next"] | undefined;
  /** What to do: at most two. */
  readonly remedies?: Account["remedies"] | undefined;
  /** Where this comes from, and what could not be read: a sentence each. */
  readonly remarks: readonly string[];
  /** Warnings about the Job and its pods. */
  readonly events: readonly WarningEvent[];
}

export function jobAccount({ explanation, source, lastFailure, ended, account, remarks, events }: Answer): JobAccount {
  const { holds, next, remedies } = account ?? {};
  const endedPods = ended?.length === 0 ? undefined : ended;
  const known = { source, lastFailure, endedPods, holds, next, remedies, remarks, events };
  // The members of an explanation are those that its engine gives.
  return { ...head("JobAccount"), ...explanation, ...known } as JobAccount;
}
