/**
 * Jobs and pods reduced to what the invariants speak of. Read from what the API server stored, with the rules of
 * docs/spec/controller.md 3.1 written down the plain way; the engine has its own, and the two are compared.
 */
import type { KubeObject } from "../../cluster/types.ts";
import { parseIntervals } from "../naive/intervals.ts";

export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
export const INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index";
const RESERVED_MANAGER = "kubernetes.io/job-controller";

interface ObjectFacts {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** resourceVersion as a number. */
  readonly version: number;
  readonly isDeleting: boolean;
}

export interface PodFacts extends ObjectFacts {
  /** UID of the Job that controls it. */
  readonly jobUid: string | undefined;
  /** −1: none. */
  readonly index: number;
  readonly phase: string;
  readonly isBound: boolean;
  readonly holdsFinalizer: boolean;
  /** Restarts of all its containers. */
  readonly restarts: number;
}

export interface ConditionFacts {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

export interface JobFacts extends ObjectFacts {
  readonly isForeign: boolean;
  readonly parallelism: number;
  readonly completions: number | undefined;
  readonly isIndexed: boolean;
  readonly isOnFailure: boolean;
  readonly backoffLimit: number;
  readonly activeDeadlineSeconds: number | undefined;
  readonly startTimeMs: number | undefined;
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly completedText: string;
  readonly uncountedSucceeded: readonly string[];
  readonly uncountedFailed: readonly string[];
  readonly conditions: readonly ConditionFacts[];
}

export function podFacts({ metadata, spec, status }: KubeObject): PodFacts {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const index = metadata.annotations?.[INDEX_ANNOTATION] ?? "";
  const containers: { restartCount?: number }[] = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return {
    ...objectFacts(metadata),
    jobUid: owner?.kind === "Job" ? owner.uid : undefined,
    index: /^\d+$/.test(index) ? Number(index) : -1,
    phase: status?.phase ?? "",
    isBound: (spec?.nodeName ?? "") !== "",
    holdsFinalizer: metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false,
    restarts: containers.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0),
  };
}

export function jobFacts({ metadata, spec, status = {} }: KubeObject): JobFacts {
  return {
    ...objectFacts(metadata),
    isForeign: spec.managedBy !== undefined && spec.managedBy !== RESERVED_MANAGER,
    parallelism: spec.parallelism,
    completions: spec.completions,
    isIndexed: spec.completionMode === "Indexed",
    isOnFailure: spec.template.spec.restartPolicy === "OnFailure",
    backoffLimit: spec.backoffLimit,
    activeDeadlineSeconds: spec.activeDeadlineSeconds,
    startTimeMs: status.startTime === undefined ? undefined : Date.parse(status.startTime),
    active: status.active ?? 0,
    ready: status.ready ?? 0,
    terminating: status.terminating ?? 0,
    succeeded: status.succeeded ?? 0,
    failed: status.failed ?? 0,
    completedText: status.completedIndexes ?? "",
    uncountedSucceeded: status.uncountedTerminatedPods?.succeeded ?? [],
    uncountedFailed: status.uncountedTerminatedPods?.failed ?? [],
    conditions: status.conditions ?? [],
  };
}

function objectFacts(metadata: KubeObject["metadata"]): ObjectFacts {
  return {
    uid: metadata.uid,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    version: Number(metadata.resourceVersion),
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

/** Counts in status.active. */
export function isActive({ phase, isDeleting }: PodFacts): boolean {
  return !isDeleting && !isTerminal(phase);
}

/** Counts in status.terminating. */
export function isTerminating({ phase, isDeleting }: PodFacts): boolean {
  return isDeleting && !isTerminal(phase);
}

/** Counts as failed under podReplacementPolicy TerminatingOrFailed. */
export function isFailed({ phase, isDeleting }: PodFacts): boolean {
  return phase === "Failed" || (isDeleting && phase !== "Succeeded");
}

function isTerminal(phase: string): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

export function isTrue(job: Pick<JobFacts, "conditions">, type: string): boolean {
  return job.conditions.some((condition) => condition.type === type && condition.status === "True");
}

export function isFinished(job: Pick<JobFacts, "conditions">): boolean {
  return isTrue(job, "Complete") || isTrue(job, "Failed");
}

/** A criterion for the end is recorded, or the end itself. */
export function isEnding(job: JobFacts): boolean {
  return isFinished(job) || isTrue(job, "FailureTarget") || isTrue(job, "SuccessCriteriaMet");
}

/** The indexes that status.completedIndexes names, within the completions of now. */
export function completedIndexes(job: JobFacts): Set<number> {
  return parseIntervals(job.completedText, job.completions ?? 0);
}

export function isInRange(job: JobFacts, index: number): boolean {
  return index >= 0 && index < (job.completions ?? 0);
}
