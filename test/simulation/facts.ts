/**
 * Jobs and pods reduced to what the invariants speak of. Read from what the API server stored, with the rules of
 * docs/spec/controller.md 3.1 written down the plain way; the engine has its own, and the two are compared.
 */
import type { KubeObject } from "../../cluster/values/types.ts";
import { parseIntervals } from "../naive/intervals.ts";
import { type LabelSelector, matches } from "../naive/label-selector.ts";
import {
  type ContainerStatus,
  type Evidence,
  type FailureRule,
  finishTimeMs,
  judge,
  type SuccessRule,
} from "../naive/policies.ts";
import { isForeign, type Role } from "./role.ts";

/** By which the API server's own selectors choose the pods of a Job. */
export const CONTROLLER_UID_LABEL = "batch.kubernetes.io/controller-uid";
export const INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index";
export const FAILURES_ANNOTATION = "batch.kubernetes.io/job-index-failure-count";
export const IGNORED_FAILURES_ANNOTATION = "batch.kubernetes.io/job-index-ignored-failure-count";
/** On templates: tells apart what a template was before it was changed and after. */
export const REVISION_ANNOTATION = "example.com/revision";

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
  /** By anything at all. */
  readonly isControlled: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** −1: none. */
  readonly index: number;
  readonly phase: string;
  readonly isBound: boolean;
  readonly holdsFinalizer: boolean;
  readonly holdsOthersFinalizer: boolean;
  /** Restarts of all its containers. */
  readonly restarts: number;
  /** Failures of its index before it, by its annotations: those that count, and those that a rule ignored. */
  readonly indexFailures: number;
  readonly indexIgnoredFailures: number;
  readonly evidence: Evidence;
  readonly containers: readonly string[];
  readonly initContainers: readonly { readonly name: string; readonly restartPolicy?: string }[];
  /** When it ended; only for a pod that is over or is being deleted. */
  readonly finishMs: number;
}

export interface ConditionFacts {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
}

export interface JobFacts extends ObjectFacts {
  readonly isForeign: boolean;
  readonly selector: LabelSelector | undefined;
  readonly parallelism: number;
  readonly completions: number | undefined;
  readonly isIndexed: boolean;
  readonly isOnFailure: boolean;
  readonly backoffLimit: number;
  readonly activeDeadlineSeconds: number | undefined;
  readonly isSuspended: boolean;
  /** Only a pod whose phase is Failed has failed, and is replaced. */
  readonly onlyReplaceFailed: boolean;
  readonly backoffLimitPerIndex: number | undefined;
  readonly maxFailedIndexes: number | undefined;
  readonly failureRules: readonly FailureRule[];
  readonly successRules: readonly SuccessRule[];
  readonly ttlSeconds: number | undefined;
  readonly templateRevision: string | undefined;
  /** How many of its pods start together or not at all; undefined: it asks for no gang. */
  readonly gangSize: number | undefined;
  readonly startTimeMs: number | undefined;
  readonly completionTimeMs: number | undefined;
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly completedText: string;
  /** Undefined: not in the status. */
  readonly failedText: string | undefined;
  readonly uncountedSucceeded: readonly string[];
  readonly uncountedFailed: readonly string[];
  readonly conditions: readonly ConditionFacts[];
}

export function podFacts({ metadata, spec, status }: KubeObject, { finalizer, othersFinalizer }: Role): PodFacts {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const index = metadata.annotations?.[INDEX_ANNOTATION] ?? "";
  const containers: ContainerStatus[] = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
  ];
  const count = (annotation: string): number => {
    const text = metadata.annotations?.[annotation] ?? "";
    return /^\d{1,9}$/.test(text) ? Number(text) : 0;
  };
  return {
    ...objectFacts(metadata),
    jobUid: owner?.kind === "Job" ? owner.uid : undefined,
    isControlled: owner !== undefined,
    labels: metadata.labels ?? {},
    index: /^\d+$/.test(index) ? Number(index) : -1,
    phase: status?.phase ?? "",
    isBound: (spec?.nodeName ?? "") !== "",
    holdsFinalizer: metadata.finalizers?.includes(finalizer) ?? false,
    holdsOthersFinalizer: metadata.finalizers?.includes(othersFinalizer) ?? false,
    restarts: containers.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0),
    indexFailures: count(FAILURES_ANNOTATION),
    indexIgnoredFailures: count(IGNORED_FAILURES_ANNOTATION),
    evidence: { containers, conditions: status?.conditions ?? [] },
    containers: (spec.containers as { name: string }[]).map(({ name }) => name),
    initContainers: spec.initContainers ?? [],
    finishMs: finishTimeMs({ metadata, spec, status }),
  };
}

export function jobFacts({ metadata, spec, status = {} }: KubeObject, role: Role): JobFacts {
  return {
    ...objectFacts(metadata),
    isForeign: isForeign(role, spec.managedBy),
    selector: spec.selector,
    parallelism: spec.parallelism,
    completions: spec.completions,
    isIndexed: spec.completionMode === "Indexed",
    isOnFailure: spec.template.spec.restartPolicy === "OnFailure",
    backoffLimit: spec.backoffLimit,
    activeDeadlineSeconds: spec.activeDeadlineSeconds,
    isSuspended: spec.suspend === true,
    onlyReplaceFailed: spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined,
    backoffLimitPerIndex: spec.backoffLimitPerIndex,
    maxFailedIndexes: spec.maxFailedIndexes,
    failureRules: spec.podFailurePolicy?.rules ?? [],
    successRules: spec.successPolicy?.rules ?? [],
    ttlSeconds: spec.ttlSecondsAfterFinished,
    templateRevision: spec.template.metadata?.annotations?.[REVISION_ANNOTATION],
    gangSize: gangSize(spec),
    startTimeMs: timeOf(status.startTime),
    completionTimeMs: timeOf(status.completionTime),
    active: status.active ?? 0,
    ready: status.ready ?? 0,
    terminating: status.terminating ?? 0,
    succeeded: status.succeeded ?? 0,
    failed: status.failed ?? 0,
    completedText: status.completedIndexes ?? "",
    failedText: status.failedIndexes,
    uncountedSucceeded: status.uncountedTerminatedPods?.succeeded ?? [],
    uncountedFailed: status.uncountedTerminatedPods?.failed ?? [],
    conditions: status.conditions ?? [],
  };
}

function gangSize({ scheduling, parallelism }: KubeObject["spec"]): number | undefined {
  const gang = scheduling?.schedulingPolicy?.gang;
  return gang && (gang.minCount ?? Math.max(1, parallelism));
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
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

/** The Job has a selector that the API server made. */
export function isSelectedByUid({ selector, uid }: JobFacts): boolean {
  return selector?.matchLabels?.[CONTROLLER_UID_LABEL] === uid;
}

/** The Job's selector matches the pod, whatever its controller is. */
export function isSelected({ selector, namespace }: JobFacts, pod: PodFacts): boolean {
  return namespace === pod.namespace && selector !== undefined && matches(selector, pod.labels);
}

/** The pod has no controller, and the Job may adopt it: it lives, and its selector matches. */
export function isAdoptable(pod: PodFacts, job: JobFacts): boolean {
  return (
    !pod.isControlled &&
    !pod.isDeleting &&
    !job.isForeign &&
    !job.isDeleting &&
    !isFinished(job) &&
    isSelected(job, pod)
  );
}

/** The Job controls the pod, and its selector does not match it. */
export function isReleasable(pod: PodFacts, job: JobFacts): boolean {
  return pod.jobUid === job.uid && !job.isForeign && !job.isDeleting && !isFinished(job) && !isSelected(job, pod);
}

/** Counts in status.active. */
export function isActive({ phase, isDeleting }: PodFacts): boolean {
  return !isDeleting && !isTerminal(phase);
}

/** Counts in status.terminating. */
export function isTerminating({ phase, isDeleting }: PodFacts): boolean {
  return isDeleting && !isTerminal(phase);
}

/**
 * Counts as failed: with podReplacementPolicy Failed only a pod whose phase says so, else also one that is deleted
 * before it succeeded.
 */
export function isFailed(
  { phase, isDeleting }: PodFacts,
  { onlyReplaceFailed }: Pick<JobFacts, "onlyReplaceFailed">,
): boolean {
  return phase === "Failed" || (!onlyReplaceFailed && isDeleting && phase !== "Succeeded");
}

/** What the podFailurePolicy says of a failed pod; undefined: nothing, and it counts. */
export function actionFor(
  { evidence }: PodFacts,
  { failureRules }: Pick<JobFacts, "failureRules">,
): string | undefined {
  return judge(failureRules, evidence).action;
}

/** The index of a failed pod is not started again. */
export function failsItsIndex(pod: PodFacts, job: JobFacts): boolean {
  const action = actionFor(pod, job);
  return action === "FailIndex" || (action !== "Ignore" && pod.indexFailures >= (job.backoffLimitPerIndex ?? Infinity));
}

export function isTerminal(phase: string): boolean {
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

/** The indexes that status.failedIndexes names, within the completions of now. */
export function storedFailedIndexes(job: JobFacts): Set<number> {
  return parseIntervals(job.failedText ?? "", job.completions ?? 0);
}

/** When the Job finished, by its terminal condition; undefined: it has not. */
export function finishedAtMs({ conditions }: Pick<JobFacts, "conditions">): number | undefined {
  const terminal = conditions.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  return timeOf(terminal?.lastTransitionTime);
}

export function isInRange(job: JobFacts, index: number): boolean {
  return index >= 0 && index < (job.completions ?? 0);
}
