/**
 * Turns Kubernetes objects into the rows that the page shows: the same columns that kubectl prints, taken from the API
 * server's own tables, so that the page and kubectl always agree.
 */
import { eventTable } from "../cluster/apiserver/tables/others.ts";
import { jobTable } from "../cluster/apiserver/tables/jobs.ts";
import { podTable } from "../cluster/apiserver/tables/pods.ts";
import type { TableDefinition } from "../cluster/apiserver/tables/table.ts";
import type { Decision } from "../bindings/js/engine.ts";
import type { KubeObject } from "../cluster/types.ts";
import type { DecisionRow, EventRow, JobRow, PodRow } from "./protocol.ts";

const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

/** @param explanation the engine's sentence about this Job */
export function jobRow(job: KubeObject, explanation: string, nowMs: number): JobRow {
  const cells = cellsOf(jobTable, job, nowMs);
  const status = job["status"] ?? {};
  const {
    active = 0,
    ready = 0,
    succeeded = 0,
    failed = 0,
    terminating = 0,
    completedIndexes = "",
    conditions = [],
  } = status;
  return {
    namespace: job.metadata.namespace ?? "",
    name: job.metadata.name,
    status: cells["Status"]!,
    completions: cells["Completions"]!,
    duration: cells["Duration"]!,
    explanation,
    counts: { active, ready, succeeded, failed, terminating },
    completedIndexes,
    conditions: conditions.map(({ type, status: value, reason = "", message = "" }: Record<string, string>) => ({
      type,
      status: value,
      reason,
      message,
    })),
  };
}

export function podRow(pod: KubeObject, nowMs: number): PodRow {
  const cells = cellsOf(podTable, pod, nowMs);
  return {
    uid: pod.metadata.uid,
    namespace: pod.metadata.namespace ?? "",
    name: pod.metadata.name,
    completionIndex: pod.metadata.annotations?.[COMPLETION_INDEX] ?? "",
    ready: cells["Ready"]!,
    status: cells["Status"]!,
    restarts: cells["Restarts"]!,
    age: cells["Age"]!,
  };
}

/** @param startMs when the run began, in milliseconds since 1970 */
export function eventRow(event: KubeObject, startMs: number): EventRow {
  const cells = cellsOf(eventTable, event, startMs);
  const last =
    event["series"]?.lastObservedTime ??
    event["lastTimestamp"] ??
    event["eventTime"] ??
    event.metadata.creationTimestamp;
  return {
    // Events have whole seconds. Without this, one in the first second could lie before the run.
    atMs: Math.max(0, Date.parse(last) - startMs),
    type: cells["Type"]!,
    reason: cells["Reason"]!,
    object: cells["Object"]!,
    message: cells["Message"]!,
    count: Number(cells["Count"]),
  };
}

export function decisionRow(decision: Decision, startMs: number): DecisionRow {
  const { atMs, job, code, message, nextMs } = decision;
  return { atMs: atMs - startMs, job, code, message, ...(nextMs === null ? {} : { nextMs: nextMs - startMs }) };
}

/** The cells of an object by the name of their column, as text. */
function cellsOf(table: TableDefinition, object: KubeObject, nowMs: number): Record<string, string> {
  const cells = table.cells(object, nowMs);
  return Object.fromEntries(table.columns.map((column, i) => [column.name, String(cells[i] ?? "")]));
}
