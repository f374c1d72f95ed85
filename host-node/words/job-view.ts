/**
 * What the command line shows of Jobs and Pods, read out of API objects once, so that no output format walks them
 * again.
 */
import { endOf } from "../../cluster/values/job-conditions.ts";
import { failedContainer, type FailedContainer } from "../../cluster/kubelet/pod-failure.ts";
import type { Job, Pod } from "../../cluster/values/kinds.ts";

const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

export interface ConditionView {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The shown facts about a Job. */
export interface JobView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** null: a work queue, whose pods decide when it is done. */
  readonly completions: number | null;
  readonly active: number;
  readonly ready: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly terminating: number;
  /** Interval text; absent unless the Job is Indexed. */
  readonly completedIndexes?: string;
  /** Interval text; absent unless each index has its own limit. */
  readonly failedIndexes?: string;
  readonly conditions: readonly ConditionView[];
  readonly state: "Running" | "Complete" | "Failed";
  readonly startTimeMs: number | undefined;
  /** When it became Complete or Failed. */
  readonly endTimeMs: number | undefined;
}

export function jobView(job: Job): JobView {
  const { metadata } = job;
  const spec = job.spec;
  const status = job.status ?? {};
  const conditions = status.conditions ?? [];
  const end = endOf(job);
  return {
    namespace: metadata.namespace!,
    name: metadata.name,
    uid: metadata.uid,
    completions: spec.completions ?? null,
    active: status.active ?? 0,
    ready: status.ready ?? 0,
    succeeded: status.succeeded ?? 0,
    failed: status.failed ?? 0,
    terminating: status.terminating ?? 0,
    ...(spec.completionMode === "Indexed" ? { completedIndexes: status.completedIndexes ?? "" } : {}),
    ...(spec.backoffLimitPerIndex === undefined ? {} : { failedIndexes: status.failedIndexes ?? "" }),
    conditions: conditions.map(({ type, status, reason, message }) => ({
      type,
      status,
      reason: reason ?? "",
      message: message ?? "",
    })),
    state: end?.type ?? "Running",
    startTimeMs: timeMs(status.startTime),
    endTimeMs: timeMs(end?.lastTransitionTime),
  };
}

/** The shown facts about a pod. */
export interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Name of the Job that owns it; "" if none does. */
  readonly job: string;
  readonly completionIndex: number | undefined;
  readonly phase: string;
  /** The pod was deleted, by the controller or by a user. */
  readonly isDeleted: boolean;
  /** How it failed: `DeadlineExceeded: message; container main: exit code 1 (Error): message`; "" if it did not. */
  readonly failure: string;
}

export function podView(pod: Pod): PodView {
  const { metadata } = pod;
  const status = pod.status ?? {};
  const index = metadata.annotations?.[COMPLETION_INDEX];
  return {
    namespace: metadata.namespace!,
    name: metadata.name,
    uid: metadata.uid,
    job: metadata.ownerReferences?.find(({ controller, kind }) => controller === true && kind === "Job")?.name ?? "",
    completionIndex: index === undefined ? undefined : Number(index),
    phase: status.phase ?? "Pending",
    isDeleted: metadata.deletionTimestamp !== undefined,
    failure: failureOf(pod),
  };
}

/** The pod of a Job that failed last, with the known details. */
export interface LastFailure {
  readonly pod: string;
  /** `container main: exit code 1 (Error): message`; empty when the pod does not show it. */
  readonly failure: string;
  /** The last lines that its container printed, oldest first. */
  readonly log: readonly string[];
}

/** One attempt of a container that failed. `container` is empty if the pod failed as a whole. */
export interface ContainerFailure {
  readonly container: string;
  readonly attempt: number;
  /** The container runs again, so its log is that of the previous attempt. */
  readonly isPrevious: boolean;
  readonly text: string;
}

/** The failure that ended the pod. If the pod restarts its containers: the last failure. */
export function lastFailureOf(pod: Pod): ContainerFailure | undefined {
  for (const which of ["state", "lastState"] as const) {
    const failed = failedContainer(pod, which);
    if (failed === undefined) continue;
    const { name, restartCount = 0, state } = failed.status;
    // While a container waits for its restart, its restart count does not include that restart yet. One that has
    // ended again has been restarted.
    const isPrevious = which === "lastState" && state?.waiting === undefined;
    return {
      container: name,
      attempt: restartCount - (isPrevious ? 1 : 0),
      isPrevious,
      text: which === "state" ? failureOf(pod) : containerFailureText(failed),
    };
  }
  return pod.status?.phase === "Failed"
    ? { container: "", attempt: 0, isPrevious: false, text: failureOf(pod) }
    : undefined;
}

/** Why the pod failed as a whole, if it did, and how its container ended. */
function failureOf(pod: Pod): string {
  const { reason, message = "" } = pod.status ?? {};
  const ended = failedContainer(pod, "state");
  const ofContainer = ended === undefined ? [] : [containerFailureText(ended)];
  if (reason === undefined) return ofContainer.join();
  // The kubelet's messages end in different ways.
  const ofPod = `${reason}: ${String(message).trim()}`;
  return [ended === undefined ? ofPod : ofPod.replace(/\.$/, ""), ...ofContainer].join("; ");
}

function containerFailureText({ status: { name }, end: { exitCode, reason, message } }: FailedContainer): string {
  const end = `exit code ${exitCode}${reason ? ` (${reason})` : ""}`;
  return `container ${name}: ${end}${message ? `: ${String(message).trim()}` : ""}`;
}

function timeMs(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
