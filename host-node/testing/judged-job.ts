/**
 * The Job that a matcher is given, as it is now, and its cluster. A name means a Job of the cluster that was started
 * last; an object is looked up by its uid in each running cluster. An object that no cluster knows is judged as given.
 */
import { JOBS, resourcePath } from "../../cluster/client/client.ts";
import { ControlError } from "../control/control-error.ts";
import { liveClusters } from "./live-clusters.ts";
import { qualified } from "../control/targets.ts";
import { JobHandle, type TestCluster } from "./test-cluster.ts";
import type { Job } from "../../cluster/values/kinds.ts";

export interface JudgedJob {
  readonly name: string;
  readonly job: Job;
  /** Undefined: no running cluster has it. */
  readonly cluster: TestCluster | undefined;
  /** What the Job waits for; undefined: unknown. */
  readonly why: string | undefined;
}

/** @throws ControlError when it is no Job, or does not exist */
export function judgedJob(given: unknown): JudgedJob {
  const { job, cluster } = found(given);
  const { namespace = "default", name } = job.metadata;
  const why = cluster?.hasController ? cluster.why(`${namespace}/job/${name}`) : undefined;
  return { name: qualified({ namespace, name }), job, cluster, why };
}

function found(given: unknown): Pick<JudgedJob, "job" | "cluster"> {
  if (given instanceof JobHandle) return { job: given.get() as Job, cluster: given.cluster };
  if (typeof given === "string") {
    const [cluster] = liveClusters();
    if (cluster === undefined)
      throw new ControlError(409, `the Job is given as ${JSON.stringify(given)}, but no cluster runs; start one`);
    return { job: cluster.job(given).get() as Job, cluster };
  }
  const job = given as Job;
  if (typeof given !== "object" || given === null || typeof job.metadata?.name !== "string" || !isJob(job))
    throw new ControlError(
      400,
      `a matcher of Jobs is given ${textOf(given)}; allowed are a Job, what job() of a cluster returns, or a name`,
    );
  for (const cluster of liveClusters()) {
    const now = cluster.find(resourcePath(JOBS, job.metadata.namespace ?? "default", job.metadata.name));
    if (now !== undefined && (job.metadata.uid === undefined || now.metadata.uid === job.metadata.uid))
      return { job: now as Job, cluster };
  }
  return { job, cluster: undefined };
}

/** Objects in lists have no kind. */
function isJob({ kind, ...rest }: Job): boolean {
  return kind === "Job" || (kind === undefined && rest.spec?.template !== undefined);
}

function textOf(given: unknown): string {
  return given instanceof Promise
    ? "a promise (await it first)"
    : (JSON.stringify(given)?.slice(0, 100) ?? String(given));
}
