/**
 * Summarizes the container statuses of a pod: the word of the column STATUS, and the numbers beside it. Source:
 * printPod in pkg/printers/internalversion.
 */
import { parseTime } from "../../values/times.ts";
import type { ContainerStateTerminated, ContainerStatus, Pod } from "../../values/kinds.ts";

/** The result of one walk over the container statuses. */
export interface PodSummary {
  reason: string;
  ready: number;
  restarts: number;
  /** The latest end of an earlier run, in milliseconds; 0: none is known. */
  lastRestartMs: number;
}

export function isSidecar(container: { restartPolicy?: string }): boolean {
  return container.restartPolicy === "Always";
}

export function hasCondition(pod: Pod, type: string, status: string): boolean {
  return (pod.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === status);
}

/** The STATUS of the pod in the table, and the other facts from its container statuses. */
export function summarize(pod: Pod): PodSummary {
  const status = pod.status ?? {};
  const isGated = (status.conditions ?? []).some(
    (condition: { type: string; reason?: string }) =>
      condition.type === "PodScheduled" && condition.reason === "SchedulingGated",
  );
  const summary: PodSummary = {
    reason: isGated ? "SchedulingGated" : status.reason || status.phase || "",
    ready: 0,
    restarts: 0,
    lastRestartMs: 0,
  };
  const isInitializing = walkInitContainers(pod, summary);
  if (!isInitializing || hasCondition(pod, "Initialized", "True")) walkContainers(pod, summary, isInitializing);
  if (pod.metadata.deletionTimestamp && status.reason === "NodeLost") summary.reason = "Unknown";
  else if (pod.metadata.deletionTimestamp && status.phase !== "Succeeded" && status.phase !== "Failed")
    summary.reason = "Terminating";
  return summary;
}

/** Whether the init containers are not done yet. */
function walkInitContainers(pod: Pod, summary: PodSummary): boolean {
  const statuses = pod.status?.initContainerStatuses ?? [];
  const containers = pod.spec?.initContainers ?? [];
  let sidecarRestarts = 0;
  for (const [index, container] of statuses.entries()) {
    const isRestartable = containers.some((other) => other.name === container.name && isSidecar(other));
    countRestarts(container, summary);
    if (isRestartable) sidecarRestarts += container.restartCount ?? 0;
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (isRestartable && container.started) {
      if (container.ready) summary.ready++;
      continue;
    }
    if (terminated) summary.reason = `Init:${exitReason(terminated)}`;
    else if (waiting?.reason && waiting.reason !== "PodInitializing") summary.reason = `Init:${waiting.reason}`;
    else summary.reason = `Init:${index}/${containers.length}`;
    return true;
  }
  summary.restarts = sidecarRestarts;
  return false;
}

function walkContainers(pod: Pod, summary: PodSummary, isInitializing: boolean): void {
  const statuses = pod.status?.containerStatuses ?? [];
  if (isInitializing) summary.restarts = 0;
  let isRunning = false;
  let errorReason = "";
  for (const container of statuses.toReversed()) {
    countRestarts(container, summary);
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) summary.reason = waiting.reason;
    else if (terminated) {
      summary.reason = exitReason(terminated);
      if (terminated.exitCode !== 0) errorReason = summary.reason;
    } else if (container.ready && running) {
      isRunning = true;
      summary.ready++;
    }
  }
  if (summary.reason !== "Completed") return;
  if (isRunning && hasCondition(pod, "Ready", "True")) summary.reason = "Running";
  else if (errorReason !== "") summary.reason = errorReason;
  else if (isRunning) summary.reason = "NotReady";
}

function countRestarts({ restartCount = 0, lastState }: ContainerStatus, summary: PodSummary): void {
  summary.restarts += restartCount;
  const finishedMs = parseTime(lastState?.terminated?.finishedAt);
  if (finishedMs > summary.lastRestartMs) summary.lastRestartMs = finishedMs;
}

function exitReason({ reason, signal, exitCode }: ContainerStateTerminated): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;
}
