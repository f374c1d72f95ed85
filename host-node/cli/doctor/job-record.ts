/** What is kept of a Job while pods are read: little of one that has ended, nearly all of one that has not. */
import type { KubeObject } from "../../../cluster/types.ts";
import { managerOf } from "../why/objects.ts";

export interface JobRecord {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined: the built-in controller. */
  readonly manager: string | undefined;
  /** The labels that its pods must have. */
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly isFinished: boolean;
  /** Something removes it after its end: a time to live, or its owner. */
  readonly isRemoved: boolean;
  /** Undefined: it has ended, or is being deleted. */
  readonly object: KubeObject | undefined;
}

export function recordOf(job: KubeObject): JobRecord {
  const { uid, namespace = "", name, deletionTimestamp, ownerReferences = [] } = job.metadata;
  const isFinished = hasEnded(job);
  return {
    ...{ uid, namespace, name, manager: managerOf(job), isFinished },
    matchLabels: job["spec"]?.selector?.matchLabels ?? {},
    isRemoved: job["spec"]?.ttlSecondsAfterFinished !== undefined || ownerReferences.length > 0,
    object: isFinished || deletionTimestamp !== undefined ? undefined : withoutManagedFields(job),
  };
}

/** The condition Complete or Failed is True. */
export function hasEnded(job: KubeObject): boolean {
  const conditions = (job["status"]?.conditions ?? []) as { type: string; status: string }[];
  return conditions.some(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");
}

function withoutManagedFields(job: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = job.metadata;
  return { ...job, metadata };
}
