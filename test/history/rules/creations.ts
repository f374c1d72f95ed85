/**
 * No pod is started that the controller could not think was wanted. It may hold any version of the Job since the one
 * that it must know; its own pods it knows all, and those that were there when it first listed; and of each it may know
 * the latest that was stored before its request was, which is what speaks most for it, as pods only ever come to their
 * end. Source: docs/spec/controller.md 3.6.
 *
 * A request that came late (format.ts) is not judged, and no controller has to know of it in time.
 */
import {
  counted,
  hasEnded,
  hasSucceeded,
  holdsFinalizer,
  indexesIn,
  indexOf,
  isActive,
  isDeleting,
  isEnding,
  isIndexed,
  isSuspended,
  isTerminating,
  isTrue,
  ownerOf,
  parallelismOf,
  replacesOnlyEnded,
  selects,
  uncounted,
} from "../facts.ts";
import type { Job, Pod } from "../format.ts";
import { bornAt, type History, type JobLife, type JobVersion, type PodLife, stateBefore } from "../history.ts";
import type { Rule } from "./rule.ts";

/** A request may be on its way for so long; tests hold them back for half of that. */
const MAX_TRANSIT_MS = 1_000;

export const CREATIONS: readonly Rule[] = [
  {
    name: "a suspended Job starts nothing",
    *breaches(history) {
      for (const creation of creationsOf(history)) {
        if (creation.beliefs.every(({ object }) => isSuspended(object)))
          yield `${describe(creation)}, which it knew to be suspended`;
      }
    },
  },
  {
    name: "a Job at its end starts nothing",
    *breaches(history) {
      for (const creation of creationsOf(history)) {
        if (creation.beliefs.every(({ object }) => isEnding(object) || isDeleting(object)))
          yield `${describe(creation)}, of which it knew that its end was decided`;
      }
    },
  },
  {
    name: "no more pods than the controller could think were wanted",
    *breaches(history) {
      for (const creation of creationsOf(history)) {
        const room = Math.max(...creation.beliefs.map((belief) => roomIn(belief, creation)));
        if (room < 1)
          yield `${describe(creation)}, which by its ${creation.mates.length} pods that it knew had no room`;
      }
    },
  },
  {
    name: "an index is one that the Job has",
    *breaches(history) {
      for (const creation of creationsOf(history)) {
        const { index, beliefs } = creation;
        if (!isIndexed(beliefs[0]!.object)) continue;
        if (beliefs.every(({ object }) => index === undefined || index >= (object.spec.completions ?? 0)))
          yield `${describe(creation)} for index ${index}, which that does not have`;
      }
    },
  },
  {
    name: "an index has one pod at a time, and none when it is done",
    *breaches(history) {
      for (const creation of creationsOf(history)) {
        const { index, beliefs, mates } = creation;
        if (index === undefined || !isIndexed(beliefs[0]!.object)) continue;
        const holder = mates.find(
          (mate) =>
            indexOf(mate.state) === index &&
            (isSureSuccess(creation, mate) || beliefs.every(({ object }) => isHeldBy(object, mate))),
        );
        if (holder !== undefined)
          yield `${describe(creation)} for index ${index}, which its pod ${holder.pod.name} had`;
        else if (beliefs.every(({ object }) => isDone(object, index)))
          yield `${describe(creation)} for index ${index}, which was done`;
      }
    },
  },
];

interface Mate {
  readonly pod: PodLife;
  readonly state: Pod;
}

/** A pod that a controller has made. */
interface Creation {
  readonly pod: PodLife;
  readonly job: JobLife;
  readonly user: string;
  readonly index: number | undefined;
  /** Versions of the Job that the controller could hold when it asked for the pod; at least one. */
  readonly beliefs: readonly JobVersion[];
  /** Pods of the Job that it must have known, as they were when the new one was stored. */
  readonly mates: readonly Mate[];
}

const known = new WeakMap<History, readonly Creation[]>();

function creationsOf(history: History): readonly Creation[] {
  const creations = known.get(history) ?? [...history.pods.values()].flatMap((pod) => creationOf(history, pod) ?? []);
  known.set(history, creations);
  return creations;
}

function creationOf(history: History, pod: PodLife): Creation | undefined {
  const [{ write, object, at }] = pod.versions as [PodLife["versions"][number]];
  const job = history.jobs.get(ownerOf(object) ?? "");
  if (job === undefined || write === undefined || write.isLate || !history.isController(write.user)) return undefined;
  const { user, sentMs } = write;
  const beliefs = beliefsOf(history, job, { user, at, sentMs });
  if (beliefs.length === 0) return undefined;
  return { pod, job, user, index: indexOf(object), beliefs, mates: matesOf(history, job, { pod, user, at, sentMs }) };
}

interface Asked {
  readonly user: string;
  /** Version of the pod that was asked for. */
  readonly at: number;
  readonly sentMs: number;
}

/** Versions since the newest that it must have known when it asked. */
function beliefsOf(history: History, { versions }: JobLife, asked: Asked): readonly JobVersion[] {
  const earlier = versions.filter((version) => version.at < asked.at && !version.isLast);
  const oldest = earlier.findLastIndex(
    (version) => version.at <= history.firstSeen(asked.user, "jobs") || hasWritten(version, asked),
  );
  return earlier.slice(Math.max(0, oldest));
}

/**
 * It has written this version, and did so before it asked for the pod. A request that overtakes another proves nothing;
 * but no controller writes that a Job ends or is suspended while it has a creation for that Job in flight.
 */
function hasWritten({ write, object }: JobVersion, { user, sentMs }: Asked): boolean {
  return (
    write?.user === user &&
    (write.answeredMs + MAX_TRANSIT_MS <= sentMs || isEnding(object) || isTrue(object, "Suspended"))
  );
}

function matesOf(history: History, job: JobLife, { pod, user, at }: Asked & { readonly pod: PodLife }): Mate[] {
  const { object: latest } = stateBefore(job, at) ?? job.versions[0]!;
  return history.podsOf(job.uid).flatMap((other) => {
    const { write } = other.versions[0]!;
    const isKnown = (write?.user === user && !write.isLate) || bornAt(other) <= history.firstSeen(user, "pods");
    const state = stateBefore(other, at)?.object;
    return other !== pod && isKnown && state !== undefined && ownerOf(state) === job.uid && selects(latest, state)
      ? [{ pod: other, state }]
      : [];
  });
}

/** How many pods the Job can take by one version of it. */
function roomIn({ object: job, at }: JobVersion, creation: Creation): number {
  const { mates } = creation;
  const taken = mates.filter((mate) => isHeldBy(job, mate)).length;
  const successes = mates.filter((mate) => isSureSuccess(creation, mate));
  const { completions } = job.spec;
  if (isIndexed(job)) {
    const done = indexesIn(job, "completedIndexes");
    const more = new Set(successes.map(({ state }) => indexOf(state)!).filter((index) => !done.has(index)));
    return Math.min(parallelismOf(job), (completions ?? 0) - done.size - more.size) - taken;
  }
  const succeeded = counted(job, "succeeded") + uncounted(job, "succeeded").length;
  const more = successes.filter((mate) => !isCountedBy(creation.job, at, mate)).length;
  // With the first success a work queue starts nothing more; but that success may be taken for a pod that still runs.
  if (completions === undefined) return succeeded > 0 ? 0 : parallelismOf(job) - taken - more;
  return Math.min(parallelismOf(job), completions - succeeded - more) - taken;
}

/** A place among the Job's pods that no other pod can have. */
function isHeldBy(job: Job, { state }: Mate): boolean {
  return isActive(state) || (replacesOnlyEnded(job) && isTerminating(state));
}

/**
 * It has succeeded, and can only count as that: a controller that does not know it takes it for active. One that was
 * being deleted may be a failure, one without its finalizer is not counted, and an index that the Job has lost by
 * becoming smaller may be started again.
 */
function isSureSuccess(
  {
    job,
    pod: {
      versions: [first],
    },
  }: Creation,
  { pod, state }: Mate,
): boolean {
  const index = indexOf(state);
  const hasLostIt = ({ at, object }: JobVersion): boolean =>
    at < first!.at && isIndexed(object) && (index ?? Infinity) >= (object.spec.completions ?? 0);
  const isClean = pod.versions.every(
    ({ object }) => hasEnded(object) || (!isDeleting(object) && holdsFinalizer(object)),
  );
  return hasSucceeded(state) && isClean && !job.versions.some(hasLostIt);
}

function isCountedBy({ versions }: JobLife, at: number, { pod }: Mate): boolean {
  return versions.some((version) => version.at <= at && uncounted(version.object, "succeeded").includes(pod.uid));
}

const isDone = (job: Job, index: number): boolean =>
  indexesIn(job, "completedIndexes").has(index) || indexesIn(job, "failedIndexes").has(index);

const describe = ({ user, pod, job }: Creation): string =>
  `${user} made pod ${pod.name} at version ${bornAt(pod)} for Job ${job.name}`;
