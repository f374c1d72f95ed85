/** Describes a row of the tables in a sentence. Leaves out the reason: why.ts. */
import type { Cause } from "../messages.ts";
import { JobPhase, NONE, PodState } from "../records.ts";
import { spanText } from "../../cluster/values/time-span.ts";
import type { History } from "./history.ts";

const STATES: Readonly<Record<PodState, string>> = {
  [PodState.PENDING]: "has no node yet",
  [PodState.STARTING]: "is bound to a node, which makes its containers",
  [PodState.WAITING]: "cannot run now",
  [PodState.RUNNING]: "runs",
  [PodState.READY]: "runs and is ready",
  [PodState.TERMINATING]: "is being deleted: its containers are given time to end",
  [PodState.SUCCEEDED]: "has succeeded",
  [PodState.FAILED]: "has failed",
  [PodState.GONE]: "is gone from the API",
};

const PHASES: Readonly<Record<JobPhase, string>> = {
  [JobPhase.RUNNING]: "The status of the Job was written",
  [JobPhase.SUSPENDED]: "The Job is suspended",
  [JobPhase.COMPLETE]: "The Job is complete",
  [JobPhase.FAILED]: "The Job has failed",
  [JobPhase.GONE]: "The Job was deleted",
};

export function tellOf(history: History, { of, id }: Cause): string {
  if (of === "transition") return transition(history, id);
  if (of === "version") return version(history, id);
  if (of === "event") return event(history, id);
  if (of === "pod") return pod(history, id);
  return of === "gap" ? gap(history, id) : "";
}

function transition({ book: { tables } }: History, row: number): string {
  const columns = tables.transitions.columns;
  const name = tables.podNames[columns.pod.at(row)]!;
  const detail = tables.texts.at(columns.detail.at(row));
  const node = tables.texts.at(columns.node.at(row));
  const state = columns.state.at(row) as PodState;
  const where = state === PodState.STARTING && node !== "" ? ` (${node})` : "";
  return `Pod ${name} ${STATES[state]}${where}${detail === "" ? "" : `: ${detail}`}.`;
}

function version({ book: { tables, tracks } }: History, row: number): string {
  const columns = tables.versions.columns;
  const phase = columns.phase.at(row) as JobPhase;
  const rows = tracks[columns.job.at(row)]!.versions;
  let before = NONE;
  for (let i = rows.length - 1; i >= 0; i--) {
    if (rows.at(i) < row) {
      before = rows.at(i);
      break;
    }
  }
  if (before === NONE) return "The Job was created.";
  const names = ["active", "ready", "terminating", "succeeded", "failed", "parallelism", "completions"] as const;
  const changes = names.flatMap((name) => {
    const [from, to] = [columns[name].at(before), columns[name].at(row)];
    return from === to ? [] : [`${name} ${from} → ${to}`];
  });
  const isNews = columns.phase.at(before) !== phase || phase === JobPhase.RUNNING;
  const what = isNews ? PHASES[phase] : PHASES[JobPhase.RUNNING];
  return `${what}${changes.length === 0 ? "" : `: ${changes.join(", ")}`}.`;
}

function event(history: History, row: number): string {
  const object = history.events.at(row);
  if (object === undefined) return "So many events were written that this one is not kept.";
  const { reason = "", message = "" } = object;
  const source: string = object.source?.component ?? object.reportingComponent ?? "";
  return `Event ${reason}${source === "" ? "" : ` of ${source}`}: ${message}${/[.!?]$/.test(message) ? "" : "."}`;
}

function pod({ book: { tables } }: History, id: number): string {
  const { attempt, index } = tables.pods.columns;
  const which = index.at(id) === NONE ? `pod ${attempt.at(id) + 1} of its Job` : "";
  const indexed = `attempt ${attempt.at(id) + 1} of completion index ${index.at(id)}`;
  return `Pod ${tables.podNames[id]!} was created: ${which || indexed}.`;
}

function gap({ book: { tables } }: History, row: number): string {
  const { fromMs, index, untilMs } = tables.gaps.columns;
  const decision = tables.gaps.columns.decision.at(row);
  const isRetry = decision !== NONE && tables.texts.at(tables.decisions.columns.code.at(decision)) === "Retry";
  if (isRetry) return `The controller waits ${spanText(untilMs.at(row) - fromMs.at(row))} before it tries again.`;
  const who = index.at(row) === NONE ? "The Job" : `Completion index ${index.at(row)}`;
  return `${who} waits ${spanText(untilMs.at(row) - fromMs.at(row))} before a pod is created again.`;
}
