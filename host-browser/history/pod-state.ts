/**
 * What a picture shows of a pod: its state, and one word about it. The words are those of the column STATUS of
 * `kubectl get pods`, and for a container that failed its exit code, which that column hides behind `Error`. Leaves out
 * who ended the pod (account.ts): the engine of the first picture cannot say it.
 */
import { type PodSummary, summarize } from "../../cluster/apiserver/tables/pod-summary.ts";
import { failedContainer } from "../../cluster/kubelet/pod-failure.ts";
import { PodState } from "../records.ts";
import type { Pod } from "../../cluster/values/kinds.ts";

export interface PodMoment {
  readonly state: PodState;
  /** Empty: the state says it all. */
  readonly detail: string;
  readonly restarts: number;
  /** Empty: none yet. */
  readonly node: string;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** Reasons without trouble: the pod is starting. */
const STARTING = new Set(["ContainerCreating", "PodInitializing", "Pending"]);
/** The table's words for a pod whose main containers run. */
const RUNNING = new Set(["Running", "NotReady"]);

/** @param pod an object that is in the API; one that was deleted is GONE, and keeps nothing else */
export function podMoment(pod: Pod): PodMoment {
  const summary = summarize(pod);
  const node: string = pod.spec?.nodeName ?? "";
  const { restarts } = summary;
  const phase: string = pod.status?.phase ?? "Pending";
  if (phase === "Succeeded") return { state: PodState.SUCCEEDED, detail: "", restarts, node };
  if (phase === "Failed") return { state: PodState.FAILED, detail: failureOf(pod, summary), restarts, node };
  if (pod.metadata.deletionTimestamp !== undefined)
    return { state: PodState.TERMINATING, detail: disruptionOf(pod), restarts, node };
  return { ...(phase === "Running" ? started(pod, summary) : pending(pod, summary, node)), restarts, node };
}

function started(pod: Pod, { reason }: PodSummary): Pick<PodMoment, "state" | "detail"> {
  if (!RUNNING.has(reason)) return { state: PodState.WAITING, detail: waitOf(pod, reason) };
  const isReady = conditionOf(pod, "Ready")?.status === "True";
  return { state: isReady ? PodState.READY : PodState.RUNNING, detail: "" };
}

function pending(pod: Pod, { reason }: PodSummary, node: string): Pick<PodMoment, "state" | "detail"> {
  if (node === "") {
    const scheduled = conditionOf(pod, "PodScheduled");
    const detail = scheduled?.status === "False" ? (scheduled.reason ?? "") : "";
    return { state: PodState.PENDING, detail };
  }
  if (STARTING.has(reason)) return { state: PodState.STARTING, detail: "" };
  if (/^Init:\d+\/\d+$/.test(reason)) return { state: PodState.STARTING, detail: reason };
  return { state: PodState.WAITING, detail: waitOf(pod, reason) };
}

/** Between two runs of a container the table says `Error` or `Completed`: how the earlier run ended says more. */
function waitOf(pod: Pod, reason: string): string {
  return reason === "Error" ? failedEnd(pod) || reason : reason;
}

function failureOf(pod: Pod, { reason }: PodSummary): string {
  return disruptionOf(pod) || pod.status?.reason || failedEnd(pod) || reason;
}

/** What disrupted the pod, other than the Job's own failure: `EvictionByEvictionAPI`; empty: no disruption. */
function disruptionOf(pod: Pod): string {
  const disruption = conditionOf(pod, "DisruptionTarget");
  return disruption?.status === "True" ? (disruption.reason ?? "") : "";
}

/**
 * `exit code 3` or `OOMKilled` of the container that failed. kubectl's column names another one when a sidecar was
 * stopped with a signal, or when the first container succeeded.
 * @returns empty: none has failed, or it is an init container, which the column names
 */
function failedEnd(pod: Pod): string {
  const failed = failedContainer(pod);
  if (failed === undefined || failed.list === "initContainers") return "";
  const { exitCode, reason = "Error" } = failed.end;
  return reason === "Error" ? `exit code ${exitCode}` : reason;
}

function conditionOf(pod: Pod, type: string): Condition | undefined {
  const conditions: readonly Condition[] = pod.status?.conditions ?? [];
  return conditions.find((condition) => condition.type === type);
}
