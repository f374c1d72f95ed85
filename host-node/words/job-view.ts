/**
 * What the command line shows of Jobs and Pods, read out of API objects once, so that no output format walks them
 * again.
 */
import type { EndCode } from "../../bindings/js/abi.ts";
import { endOf } from "../../cluster/values/job-conditions.ts";
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
  readonly state: "Running" | "Complete" | "Failed";
  /** Null: a work queue, whose pods decide when it is done. */
  readonly completions: number | null;
  readonly active: number;
  readonly ready: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly terminating: number;
  /** Of an Indexed Job: `0,2-4`. */
  readonly completedIndexes?: string;
  /** Of a Job with backoffLimitPerIndex. */
  readonly failedIndexes?: string;
  readonly conditions: readonly ConditionView[];
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
  /** Who or what ended it: `container main exited (exit code 1, Error): message`; "" if it has not failed. */
  readonly failure: string;
}

/** @param failure who or what ended it, if it is known */
export function podView(pod: Pod, failure = ""): PodView {
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
    failure,
  };
}

/** A pod that has ended, and that is not there any more. */
export interface EndedPod {
  readonly pod: string;
  /** One of the codes of bindings/ABI.md, "account". */
  readonly endedBy: EndCode;
  /** Who or what ended it: `it was evicted through the API, as kubectl drain does it`. */
  readonly cause: string;
}

/** The pod of a Job that failed last, with the known details. */
export interface LastFailure {
  readonly pod: string;
  /** Who or what ended it: `container main exited (exit code 1, Error): message`. */
  readonly failure: string;
  /** The same as a code of bindings/ABI.md, "account". */
  readonly endedBy: EndCode | null;
  /** The last lines that its container printed, oldest first. */
  readonly log: readonly string[];
}

function timeMs(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
