/**
 * What a Job needs, worked out the plain way from the Job and the pods that a controller has been shown: how many pods
 * should be active, which ones are surplus, and whether it is at its end. Source: docs/spec/controller.md 3.1, 3.3, 3.4
 * and 3.6.
 */
import { metRule } from "../../naive/policies.ts";
import {
  actionFor,
  completedIndexes,
  failsItsIndex,
  isActive,
  isEnding,
  isFailed,
  isInRange,
  isTerminating,
  type JobFacts,
  type PodFacts,
  storedFailedIndexes,
} from "../facts.ts";

/**
 * Indexes known to have succeeded: the stored ones and those of pods that are not yet counted. One that is stored as
 * failed stays so.
 */
export function succeededIndexes(job: JobFacts, pods: readonly PodFacts[]): Set<number> {
  const indexes = completedIndexes(job);
  const failed = storedFailedIndexes(job);
  for (const pod of pods)
    if (pod.phase === "Succeeded" && pod.holdsFinalizer && isInRange(job, pod.index) && !failed.has(pod.index))
      indexes.add(pod.index);
  return indexes;
}

/** Indexes known to have failed for good; none without backoffLimitPerIndex. */
export function failedIndexes(
  job: JobFacts,
  pods: readonly PodFacts[],
  mayHaveFailed: readonly PodFacts[] = pods,
): Set<number> {
  const indexes = storedFailedIndexes(job);
  if (job.backoffLimitPerIndex === undefined) return indexes;
  const succeeded = succeededIndexes(job, pods);
  for (const pod of mayHaveFailed)
    if (
      !succeeded.has(pod.index) &&
      pod.holdsFinalizer &&
      isFailed(pod, job) &&
      isInRange(job, pod.index) &&
      failsItsIndex(pod, job)
    )
      indexes.add(pod.index);
  return indexes;
}

export function totalSucceeded(job: JobFacts, pods: readonly PodFacts[]): number {
  if (job.isIndexed) return succeededIndexes(job, pods).size;
  const listed = new Set([...job.uncountedSucceeded, ...job.uncountedFailed]);
  return (
    job.succeeded +
    job.uncountedSucceeded.length +
    pods.filter((pod) => pod.phase === "Succeeded" && pod.holdsFinalizer && !listed.has(pod.uid)).length
  );
}

export function totalFailed(job: JobFacts, pods: readonly PodFacts[]): number {
  const listed = new Set([...job.uncountedSucceeded, ...job.uncountedFailed]);
  const isNew = (pod: PodFacts): boolean =>
    isFailed(pod, job) &&
    pod.holdsFinalizer &&
    !listed.has(pod.uid) &&
    (!job.isIndexed || isInRange(job, pod.index)) &&
    actionFor(pod, job) !== "Ignore";
  return job.failed + job.uncountedFailed.length + pods.filter(isNew).length;
}

/** How many pods should be active (M1 and M2). */
export function wantedActive(job: JobFacts, pods: readonly PodFacts[]): number {
  if (job.isSuspended) return 0;
  const succeeded = totalSucceeded(job, pods);
  if (job.completions === undefined) return succeeded > 0 ? pods.filter(isActive).length : job.parallelism;
  return Math.max(0, Math.min(job.completions - succeeded, job.parallelism));
}

/** How many pods have to be created (M5). @param inFlight creations that are not answered */
export function missing(job: JobFacts, pods: readonly PodFacts[], inFlight: number): number {
  return (
    wantedActive(job, pods) -
    pods.filter((pod) => isActive(pod) || (job.onlyReplaceFailed && isTerminating(pod))).length -
    inFlight
  );
}

/**
 * Indexes that no pod may be started for (M8).
 * @param mayHaveFailed those of the pods that are not known to have been deleted for a success
 */
export function takenIndexes(
  job: JobFacts,
  pods: readonly PodFacts[],
  mayHaveFailed: readonly PodFacts[] = pods,
): Set<number> {
  if (!job.isIndexed) return new Set();
  const holders = pods.filter((pod) => isActive(pod) || (job.onlyReplaceFailed && isTerminating(pod)));
  return new Set([
    ...holders.map(({ index }) => index),
    ...succeededIndexes(job, pods),
    ...failedIndexes(job, pods, mayHaveFailed),
  ]);
}

/**
 * Active pods of an Indexed Job of which one has to be deleted whatever the number: no index, out of range, or not
 * alone (M3).
 */
export function mandatoryVictims(job: JobFacts, pods: readonly PodFacts[]): Set<string> {
  if (!job.isIndexed) return new Set();
  const active = pods.filter(isActive);
  const isAlone = ({ index, uid }: PodFacts): boolean =>
    !active.some((other) => other.uid !== uid && other.index === index);
  return new Set(active.filter((pod) => !isInRange(job, pod.index) || !isAlone(pod)).map(({ uid }) => uid));
}

/**
 * Its active pods may be deleted: the end is recorded, or a rule calls for it.
 * @param wallMs what the controller's clock shows
 * @param mayHaveFailed those of the pods that are not known to have been deleted for a success
 */
export function isAtItsEnd(
  job: JobFacts,
  pods: readonly PodFacts[],
  wallMs: number,
  mayHaveFailed: readonly PodFacts[] = pods,
): boolean {
  if (isEnding(job) || failsJob(job, mayHaveFailed) || totalFailed(job, mayHaveFailed) > job.backoffLimit) return true;
  return hasTooManyRestarts(job, pods) || isPastDeadline(job, wallMs) || isAtItsEndByIndexes(job, pods, mayHaveFailed);
}

/** A pod has failed in a way that the policy calls final (S16). */
export function failsJob(job: JobFacts, pods: readonly PodFacts[]): boolean {
  return pods.some((pod) => isFailed(pod, job) && actionFor(pod, job) === "FailJob");
}

// S19 and S20.
function isAtItsEndByIndexes(job: JobFacts, pods: readonly PodFacts[], mayHaveFailed: readonly PodFacts[]): boolean {
  if (!job.isIndexed) return false;
  const succeeded = succeededIndexes(job, pods);
  const failed = failedIndexes(job, pods, mayHaveFailed).size;
  return (
    failed > (job.maxFailedIndexes ?? Infinity) ||
    (failed > 0 && failed + succeeded.size >= (job.completions ?? 0)) ||
    meetsSuccessPolicy(job, pods)
  );
}

export function meetsSuccessPolicy(job: JobFacts, pods: readonly PodFacts[]): boolean {
  return job.isIndexed && metRule(job.successRules, succeededIndexes(job, pods), job.completions ?? 0) >= 0;
}

export function hasTooManyRestarts(job: JobFacts, pods: readonly PodFacts[]): boolean {
  if (!job.isOnFailure) return false;
  const restarts = pods
    .filter(({ phase }) => phase === "Pending" || phase === "Running")
    .reduce((sum, pod) => sum + pod.restarts, 0);
  return job.backoffLimit === 0 ? restarts > 0 : restarts >= job.backoffLimit;
}

export function isPastDeadline({ activeDeadlineSeconds, startTimeMs, isSuspended }: JobFacts, wallMs: number): boolean {
  if (activeDeadlineSeconds === undefined || isSuspended) return false;
  return startTimeMs !== undefined && wallMs >= startTimeMs + activeDeadlineSeconds * 1000;
}
