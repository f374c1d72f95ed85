/**
 * Reads the status of a PodDisruptionBudget, for the controller that counts the pods and for evictions, which use the
 * budget up. Source: k8s.io/component-helpers/apps/poddisruptionbudget.
 */
import { formatTime } from "./times.ts";
import type { Condition, Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from "./kinds.ts";

/** An evicted pod counts as gone for this time; if it still exists after that, it counts again. */
export const DELETION_TIMEOUT_MS = 120_000;

export function statusOf(budget: PodDisruptionBudget): PodDisruptionBudgetStatus {
  const none = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  return { ...none, ...budget.status };
}

export function disruptionCondition({ conditions = [] }: PodDisruptionBudgetStatus): Condition | undefined {
  return conditions.find(({ type }) => type === "DisruptionAllowed");
}

/** The status with the condition that follows from its numbers, or that says why there are none. */
export function withDisruptionCondition(
  status: PodDisruptionBudgetStatus,
  nowMs: number,
  syncError?: string,
): PodDisruptionBudgetStatus {
  const isAllowed = syncError === undefined && status.disruptionsAllowed > 0;
  const reason = isAllowed ? "SufficientPods" : syncError === undefined ? "InsufficientPods" : "SyncFailed";
  const before = disruptionCondition(status);
  const value = isAllowed ? "True" : "False";
  const { observedGeneration } = status;
  const condition: Condition = {
    type: "DisruptionAllowed",
    status: value,
    ...(observedGeneration && { observedGeneration }),
    lastTransitionTime: before?.status === value ? before.lastTransitionTime : formatTime(nowMs),
    reason,
    message: syncError ?? "",
  };
  const { conditions = [] } = status;
  const at = conditions.findIndex(({ type }) => type === condition.type);
  return { ...status, conditions: at < 0 ? [...conditions, condition] : conditions.with(at, condition) };
}

export function isReady(pod: Pod): boolean {
  const conditions: { type: string; status: string }[] = pod.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}
