/**
 * A pod with the tracking finalizer cannot go unnoticed. So a controller may take it off only when the pod's outcome
 * is in a stored status, or when no pod has to be counted. Source: docs/spec/controller.md 4.9.
 */
import {
  hasEnded,
  hasFailed,
  hasFinished,
  hasSucceeded,
  holdsFinalizer,
  indexOf,
  isDeleting,
  isEnding,
  isIgnored,
  isIndexed,
  isOurs,
  isTrue,
  OUTCOMES,
  ownerOf,
  selects,
  uncounted,
} from "../facts.ts";
import type { Job, Pod, WriteLine } from "../format.ts";
import {
  bornAt,
  finalState,
  type History,
  type JobLife,
  type PodLife,
  type PodVersion,
  stateBefore,
} from "../history.ts";
import { readIndexes } from "../indexes.ts";
import type { Rule } from "./rule.ts";

/** Requests that a process had under way when it was killed arrive within this time. */
const DYING_MS = 1_000;

export const FINALIZERS: readonly Rule[] = [
  {
    name: "a finalizer goes only after the status that counts its pod",
    *breaches(history) {
      for (const pod of history.pods.values()) {
        for (const removal of removalsOf(history, pod)) {
          const why = whyNotYet(history, pod, removal);
          if (why !== undefined)
            yield `the finalizer of pod ${pod.name} was taken off at version ${removal.version.at}, and ${why}`;
        }
      }
    },
  },
  {
    name: "no pod is left with a finalizer when its Job has ended",
    *breaches(history) {
      for (const pod of history.pods.values()) {
        const state = finalState(pod)?.object;
        if (state === undefined || !holdsFinalizer(state)) continue;
        const life = history.jobs.get(ownerOf(state) ?? "");
        if (life === undefined) continue;
        const job = finalState(life)?.object;
        if (job === undefined) yield `pod ${pod.name} still holds its finalizer, and its Job is gone`;
        else if (hasFinished(job) && isOurs(job) && selects(job, state))
          yield `pod ${pod.name} still holds its finalizer, and its Job has ended`;
      }
    },
  },
];

interface Removal {
  /** The first that is without, or the pod's end. */
  readonly version: PodVersion;
  readonly before: Pod;
  /** None: no answer shows who did it, because the client was cut off, as a killed controller is. */
  readonly user: string | undefined;
}

/** What controllers took off; others may do as they like. */
function removalsOf(history: History, { versions }: PodLife): Removal[] {
  return versions.flatMap((version) => {
    const { before, write, object, isLast } = version;
    if (before === undefined || !holdsFinalizer(before.object) || (!isLast && holdsFinalizer(object))) return [];
    return write === undefined || history.isController(write.user)
      ? [{ version, before: before.object, user: write?.user }]
      : [];
  });
}

/** Undefined: the removal is right. */
function whyNotYet(history: History, pod: PodLife, removal: Removal): string | undefined {
  const { before, version } = removal;
  // Who releases a pod takes the finalizer with the owner.
  const life = ownerOf(version.object) === undefined ? undefined : history.jobs.get(ownerOf(before) ?? "");
  const job = life === undefined ? undefined : stateBefore(life, version.at)?.object;
  if (life === undefined || job === undefined || isDeleting(job) || !selects(job, before)) return undefined;
  if (isAccounted(life, pod, removal) || isNotToBeCounted(life, before) || isSurplus(history, pod, removal, life))
    return undefined;
  if (wasStoppedBySuccess(job, before) || cameAfterTheEnd(life, pod)) return undefined;
  return hasEnded(before)
    ? `it had ${hasSucceeded(before) ? "succeeded" : "failed"}, which no stored status says`
    : "it had not ended, and nothing says why it should not be counted";
}

/** A status that was stored before names the pod, or its index. */
function isAccounted({ versions }: JobLife, { uid }: PodLife, { before, version: { at } }: Removal): boolean {
  const index = indexOf(before);
  return versions.some((version) => {
    if (version.at >= at) return false;
    if (OUTCOMES.some((outcome) => uncounted(version.object, outcome).includes(uid))) return true;
    return (
      hasSucceeded(before) &&
      index !== undefined &&
      readIndexes(version.object.status?.completedIndexes ?? "")?.has(index) === true
    );
  });
}

/** Its failure is ignored by a rule of the Job, or its index was none of the Job's at some time. */
function isNotToBeCounted({ versions }: JobLife, pod: Pod): boolean {
  const index = indexOf(pod) ?? Infinity;
  const isOutside = ({ spec }: Job): boolean => index >= (spec.completions ?? Infinity);
  return versions.some(({ object }) => (isIndexed(object) && isOutside(object)) || isIgnored(object, pod));
}

/**
 * The client that removed the finalizer deletes it next: the Job has too many pods. A client killed in between deletes
 * nothing more, and writes no status.
 */
function isSurplus(
  { writes }: History,
  pod: PodLife,
  { before, version: { write }, user }: Removal,
  job: JobLife,
): boolean {
  if (write === undefined) return !hasEnded(before);
  const later = writes.filter((other) => other.user === user && other.sentMs >= write.sentMs && other !== write);
  const wasKilled = later.every(
    (other) =>
      other.sentMs < write.answeredMs + DYING_MS && !(other.subresource === "status" && nameIn(other) === job.name),
  );
  return (
    wasKilled ||
    later.some((other) => other.verb === "delete" && other.resource === "pods" && nameIn(other) === pod.name)
  );
}

const nameIn = ({ namespace, name }: WriteLine): string => `${namespace}/${name}`;

/** Pods that run when enough have succeeded are stopped, and are no failures. */
function wasStoppedBySuccess(job: Job, pod: Pod): boolean {
  return isTrue(job, "SuccessCriteriaMet") && !hasSucceeded(pod) && (!hasFailed(pod) || isDeleting(pod));
}

/** A creation that arrived when the Job had ended already. */
function cameAfterTheEnd({ versions }: JobLife, pod: PodLife): boolean {
  const end = versions.find(({ object }) => isEnding(object));
  return end !== undefined && bornAt(pod) > end.at;
}
