/** What the rules ask of one version of a Job or a Pod. Written from docs/spec/controller.md 3.1 and 3.7. */
import type { Condition, FailureRule, Job, Pod } from "./format.ts";
import { readIndexes } from "./indexes.ts";

export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
const INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index";
const BUILT_IN_CONTROLLER = "kubernetes.io/job-controller";

export type Outcome = "succeeded" | "failed";
export const OUTCOMES = ["succeeded", "failed"] as const;

export const hasSucceeded = ({ status }: Pod): boolean => status?.phase === "Succeeded";
export const hasFailed = ({ status }: Pod): boolean => status?.phase === "Failed";
export const hasEnded = (pod: Pod): boolean => hasSucceeded(pod) || hasFailed(pod);
export const isDeleting = ({ metadata }: Job | Pod): boolean => metadata.deletionTimestamp !== undefined;
export const isActive = (pod: Pod): boolean => !hasEnded(pod) && !isDeleting(pod);
export const isTerminating = (pod: Pod): boolean => !hasEnded(pod) && isDeleting(pod);
export const holdsFinalizer = ({ metadata }: Pod): boolean =>
  metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;

/** UID of the Job that controls the pod. */
export function ownerOf({ metadata }: Pod): string | undefined {
  return metadata.ownerReferences?.find(({ kind, controller }) => kind === "Job" && controller === true)?.uid;
}

/** By the labels that its selector asks for; expressions are not looked at. */
export function selects({ spec }: Job, { metadata }: Pod): boolean {
  return Object.entries(spec.selector?.matchLabels ?? {}).every(
    ([key, value]) => key === "controller-uid" || metadata.labels?.[key] === value,
  );
}

/** Completion index of a pod; undefined when it says none that is one. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX_ANNOTATION];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed";
export const isOurs = ({ spec }: Job): boolean =>
  spec.managedBy === undefined || spec.managedBy === BUILT_IN_CONTROLLER;
export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true;
export const parallelismOf = ({ spec }: Job): number => spec.parallelism ?? 1;
export const counted = ({ status }: Job, outcome: Outcome): number => status?.[outcome] ?? 0;
export const uncounted = ({ status }: Job, outcome: Outcome): readonly string[] =>
  status?.uncountedTerminatedPods?.[outcome] ?? [];
export const isTrue = ({ status }: Job, type: string): boolean => isTrueIn(status?.conditions ?? [], type);
export const hasFinished = (job: Job): boolean => isTrue(job, "Complete") || isTrue(job, "Failed");
/** Its end is decided: no pod is started any more. */
export const isEnding = (job: Job): boolean =>
  hasFinished(job) || isTrue(job, "SuccessCriteriaMet") || isTrue(job, "FailureTarget");
/** A pod that is being deleted is replaced when it has ended, and not before. */
export const replacesOnlyEnded = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;

const isTrueIn = (conditions: readonly Condition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === "True");

/**
 * Indexes of completedIndexes or failedIndexes that the Job has; those that it lost by becoming smaller do not count.
 */
export function indexesIn(job: Job, field: "completedIndexes" | "failedIndexes"): Set<number> {
  const all = readIndexes(job.status?.[field] ?? "") ?? new Set<number>();
  return new Set([...all].filter((index) => index < (job.spec.completions ?? Infinity)));
}

/** A rule of the Job's pod failure policy says that this failure counts for nothing. */
export function isIgnored({ spec }: Job, pod: Pod): boolean {
  return spec.podFailurePolicy?.rules.find((rule) => matches(rule, pod))?.action === "Ignore";
}

function matches({ onExitCodes, onPodConditions = [] }: FailureRule, { status = {} }: Pod): boolean {
  if (onExitCodes === undefined)
    return onPodConditions.some(({ type, status: wanted = "True" }) =>
      status.conditions?.some((condition) => condition.type === type && condition.status === wanted),
    );
  const { containerName, operator, values } = onExitCodes;
  return [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].some(({ name, state }) => {
    const exitCode = state?.terminated?.exitCode ?? 0;
    return (
      exitCode !== 0 &&
      (containerName === undefined || containerName === name) &&
      values.includes(exitCode) === (operator === "In")
    );
  });
}
