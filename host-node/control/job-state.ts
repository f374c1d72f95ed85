/** The state of a Job, as far as its object shows it. */
import { endOf, trueCondition } from "../../cluster/values/job-conditions.ts";
import type { Job, JobSpec } from "../../cluster/values/kinds.ts";

const BUILT_IN_MANAGER = "kubernetes.io/job-controller";

/** The Job has ended, is suspended without pods, or is left to another controller: it changes only from outside. */
export function isSettled(job: Job): boolean {
  const { spec = {} as JobSpec, status = {} } = job;
  if (spec.managedBy !== undefined && spec.managedBy !== BUILT_IN_MANAGER) return true;
  if (endOf(job) !== undefined) return true;
  return (
    spec.suspend === true && trueCondition(job, "Suspended") !== undefined && !status.active && !status.terminating
  );
}
