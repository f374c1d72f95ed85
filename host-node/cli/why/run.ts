/** One Job among others, in a line: those of a CronJob or of a JobSet. Pure functions. */
import type { Account, Hold } from "../../../bindings/js/engine.ts";
import type { Job } from "../../../cluster/values/kinds.ts";
import { endOf } from "../../../cluster/values/job-conditions.ts";
import { ageText } from "../../../cluster/values/time-span.ts";
import { timeText } from "../../words/explanation.ts";
import { counted } from "../../words/counted.ts";
import { printable } from "../../words/printable.ts";
import type { Style } from "../../words/style.ts";

export type RunState = "Complete" | "Failed" | "Deleting" | "Suspended" | "Running" | "Waiting";

export interface Run {
  readonly job: string;
  readonly uid: string;
  readonly createdMs: number;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly state: RunState;
  /** Of a Job that has failed. */
  readonly reason: string;
  readonly message: string;
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** What ends without help. */
const PASSES: ReadonlySet<Hold["code"]> = new Set(["Backoff", "CrashLoopBackOff", "NotConfirmed"]);
/** What holds a Job also when its deadline is over. */
const OUTLASTS_DEADLINE: ReadonlySet<Hold["code"]> = new Set(["Deleting", "NoController", "Terminating"]);

/** Whether a Job does not go on unless a user acts. */
export function isHeld(job: Job, account: Account | undefined): boolean {
  const hasDeadline = job.spec?.activeDeadlineSeconds !== undefined;
  return (account?.holds ?? []).some(
    ({ code, reason }) =>
      !PASSES.has(code) && reason !== "GracePeriod" && (!hasDeadline || OUTLASTS_DEADLINE.has(code)),
  );
}

export function runOf(job: Job): Run {
  const { metadata, spec, status = {} } = job;
  const end = endOf(job) as
    | { type: "Complete" | "Failed"; reason?: string; message?: string; lastTransitionTime?: string }
    | undefined;
  const { active = 0, succeeded = 0, failed = 0, startTime, completionTime } = status;
  const endTime = completionTime ?? end?.lastTransitionTime;
  return {
    job: metadata.name,
    uid: metadata.uid,
    createdMs: Date.parse(metadata.creationTimestamp),
    startMs: startTime === undefined ? null : Date.parse(startTime),
    endMs: end === undefined || endTime === undefined ? null : Date.parse(endTime),
    state: end?.type ?? openState(metadata.deletionTimestamp !== undefined, spec?.suspend === true, active),
    reason: end?.type === "Failed" ? (end.reason ?? "") : "",
    message: end?.type === "Failed" ? (end.message ?? "") : "",
    active,
    succeeded,
    failed,
  };
}

function openState(isDeleted: boolean, isSuspended: boolean, active: number): RunState {
  if (isDeleted) return "Deleting";
  if (isSuspended) return "Suspended";
  return active > 0 ? "Running" : "Waiting";
}

/** A table: a Job, when it was created, how long it took, and how it ended. */
export function runLines(runs: readonly Run[], nowMs: number, style: Style): string[] {
  if (runs.length === 0) return [];
  const rows = runs.map((run) => [
    printable(run.job),
    timeText(run.createdMs, nowMs),
    ageText((run.endMs ?? nowMs) - run.createdMs),
    stateText(run),
  ]);
  const header = ["JOB", "CREATED (UTC)", "TOOK", "STATE"];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const lineOf = (cells: readonly string[]): string =>
    `  ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join("  ")}`.trimEnd();
  return [
    style.dim(lineOf(header)),
    ...rows.map((row, i) => {
      const { state } = runs[i]!;
      const paint = state === "Failed" ? style.red : state === "Complete" ? style.green : style.yellow;
      return paint(lineOf(row));
    }),
  ];
}

function stateText({ state, reason, active, failed }: Run): string {
  if (state === "Failed") return `Failed${reason === "" ? "" : `: ${printable(reason)}`}`;
  if (state === "Complete") return failed === 0 ? "Complete" : `Complete, after ${counted(failed, "failed pod")}`;
  const tried = failed === 0 ? "" : `, ${counted(failed, "failed pod")}`;
  return `${state}: ${counted(active, "active pod")}${tried}`;
}
