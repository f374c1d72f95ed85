/** Where a Job stands, as far as its object says it. */
import type { KubeObject } from "../../cluster/types.ts";

const BUILT_IN_MANAGER = "kubernetes.io/job-controller";

/** The Job has ended, is suspended without pods, or is left to another controller: nothing happens to it by itself. */
export function isSettled(job: KubeObject): boolean {
  const { spec = {}, status = {} } = job as Readonly<Record<string, any>>;
  if (spec.managedBy !== undefined && spec.managedBy !== BUILT_IN_MANAGER) return true;
  if (hasCondition(job, "Complete") || hasCondition(job, "Failed")) return true;
  return spec.suspend === true && hasCondition(job, "Suspended") && !status.active && !status.terminating;
}

export function hasCondition(job: KubeObject, wanted: string): boolean {
  const conditions: readonly Record<string, string>[] = job["status"]?.conditions ?? [];
  return conditions.some(({ type, status }) => type === wanted && status === "True");
}
