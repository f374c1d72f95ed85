/**
 * What a Job needs, worked out the plain way from the Job and the pods that a controller has been shown: how many pods should
 * be active, which ones are surplus, and whether it is at its end. Source: docs/spec/controller.md 3.1, 3.3 and 3.6.
 */
import { completedIndexes, isActive, isEnding, isFailed, isInRange, type JobFacts, type PodFacts } from "../facts.ts";

/** Indexes known to have succeeded: the stored ones and those of pods that are not yet counted. */
export function succeededIndexes(job: JobFacts, pods: readonly PodFacts[]): Set<number> {
  const indexes = completedIndexes(job);
  for (const pod of pods) if (pod.phase === "Succeeded" && pod.holdsFinalizer && isInRange(job, pod.index)) indexes.add(pod.index);
  return indexes;
}

export function totalSucceeded(job: JobFacts, pods: readonly PodFacts[]): number {
  if (job.isIndexed) return succeededIndexes(job, pods).size;
  const listed = new Set([...job.uncountedSucceeded, ...job.uncountedFailed]);
  return job.succeeded + job.uncountedSucceeded.length + pods.filter((pod) => pod.phase === "Succeeded" && pod.holdsFinalizer && !listed.has(pod.uid)).length;
}

export function totalFailed(job: JobFacts, pods: readonly PodFacts[]): number {
  const listed = new Set([...job.uncountedSucceeded, ...job.uncountedFailed]);
  const isNew = (pod: PodFacts): boolean => isFailed(pod) && pod.holdsFinalizer && !listed.has(pod.uid) && (!job.isIndexed || isInRange(job, pod.index));
  return job.failed + job.uncountedFailed.length + pods.filter(isNew).length;
}

/** How many pods should be active (M2). */
export function wantedActive(job: JobFacts, pods: readonly PodFacts[]): number {
  const succeeded = totalSucceeded(job, pods);
  if (job.completions === undefined) return succeeded > 0 ? pods.filter(isActive).length : job.parallelism;
  return Math.max(0, Math.min(job.completions - succeeded, job.parallelism));
}

/** Active pods of an Indexed Job of which one is to be deleted whatever the number: no index, out of range, or not alone (M3). */
export function mandatoryVictims(job: JobFacts, pods: readonly PodFacts[]): Set<string> {
  if (!job.isIndexed) return new Set();
  const active = pods.filter(isActive);
  const isAlone = ({ index, uid }: PodFacts): boolean => !active.some((other) => other.uid !== uid && other.index === index);
  return new Set(active.filter((pod) => !isInRange(job, pod.index) || !isAlone(pod)).map(({ uid }) => uid));
}

/** Its active pods may be deleted: the end is recorded, or a rule calls for it. @param wallMs the latest that the controller's clock has shown */
export function isAtItsEnd(job: JobFacts, pods: readonly PodFacts[], wallMs: number): boolean {
  return isEnding(job) || totalFailed(job, pods) > job.backoffLimit || hasTooManyRestarts(job, pods) || isPastDeadline(job, wallMs);
}

export function hasTooManyRestarts(job: JobFacts, pods: readonly PodFacts[]): boolean {
  if (!job.isOnFailure) return false;
  const restarts = pods.filter(({ phase }) => phase === "Pending" || phase === "Running").reduce((sum, pod) => sum + pod.restarts, 0);
  return job.backoffLimit === 0 ? restarts > 0 : restarts >= job.backoffLimit;
}

export function isPastDeadline({ activeDeadlineSeconds, startTimeMs }: JobFacts, wallMs: number): boolean {
  if (activeDeadlineSeconds === undefined) return false;
  return startTimeMs !== undefined && wallMs >= startTimeMs + activeDeadlineSeconds * 1000;
}
