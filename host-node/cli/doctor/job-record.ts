/** What is kept of a Job while pods are read: little of one that has ended, nearly all of one that has not. */
import { endOf } from "../../../cluster/values/job-conditions.ts";
import { managerOf } from "../why/objects.ts";
import type { Job } from "../../../cluster/values/kinds.ts";

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
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  /** The UID of the CronJob that controls it; undefined: none does. */
  readonly cronJob: string | undefined;
  /** Undefined: it has ended, or is being deleted. */
  readonly object: Job | undefined;
}

export function recordOf(job: Job): JobRecord {
  const { uid, namespace = "", name, deletionTimestamp, ownerReferences = [] } = job.metadata;
  const owner = ownerReferences.find(({ controller, kind }) => controller === true && kind === "CronJob");
  const isFinished = endOf(job) !== undefined;
  return {
    uid,
    namespace,
    name,
    manager: managerOf(job),
    isFinished,
    createdMs: Date.parse(job.metadata.creationTimestamp),
    cronJob: owner?.uid,
    matchLabels: job.spec?.selector?.matchLabels ?? {},
    isRemoved: job.spec?.ttlSecondsAfterFinished !== undefined || ownerReferences.length > 0,
    object: isFinished || deletionTimestamp !== undefined ? undefined : shortJob(job),
  };
}

/** Who has suspended a Job is in its managedFields, which are larger than all the rest. */
function shortJob(job: Job): Job {
  if (job.spec?.suspend === true) return job;
  const { managedFields: _, ...metadata } = job.metadata;
  return { ...job, metadata };
}
