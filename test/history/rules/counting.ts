/**
 * Every pod that ends is counted once: its UID enters a list of uncounted pods, and leaves it into the counter of that
 * list; nothing else moves the counter. Pods of an index that succeed are counted by the index alone.
 * Source: docs/spec/controller.md 4.1 and 4.2.
 *
 * A Job whose status another client than a controller wrote is left out: nothing follows from counters that a user has
 * written.
 */
import {
  counted,
  hasFailed,
  hasSucceeded,
  holdsFinalizer,
  indexOf,
  isDeleting,
  isIgnored,
  isIndexed,
  isTrue,
  OUTCOMES,
  type Outcome,
  ownerOf,
  replacesOnlyEnded,
  selects,
  uncounted,
} from "../facts.ts";
import type { Job, Pod } from "../format.ts";
import { type History, type JobLife, type JobVersion, type PodLife, stateBefore } from "../history.ts";
import { readIndexes } from "../indexes.ts";
import type { Rule } from "./rule.ts";

export const COUNTING: readonly Rule[] = [
  {
    name: "a pod is counted once",
    *breaches(history) {
      const entered = new Map<string, number>();
      for (const { job, uid, outcome, at } of entries(history)) {
        const first = entered.get(uid);
        entered.set(uid, at);
        const entry = `${uid} entered the ${outcome} of Job ${job.name} at version ${at}`;
        if (first !== undefined) yield `pod ${entry}, and had been taken in at version ${first}`;
        if (!history.podsOf(job.uid).some((pod) => pod.uid === uid)) yield `${entry}, and is no pod of that Job`;
      }
    },
  },
  {
    name: "a pod is counted as what it is",
    *breaches(history) {
      for (const entry of entries(history)) {
        const pod = history.pods.get(entry.uid);
        if (pod === undefined || isSo(pod, entry)) continue;
        const { outcome, job, at } = entry;
        yield `pod ${pod.name} entered the ${outcome} of Job ${job.name} at version ${at}, and was not so by then`;
      }
    },
  },
  {
    name: "counters move by what leaves the uncounted lists",
    *breaches(history) {
      for (const { job, was, is, at } of changes(history)) {
        for (const outcome of OUTCOMES) {
          if (outcome === "succeeded" && isIndexed(is)) continue;
          const [before, after] = [counted(was, outcome), counted(is, outcome)];
          const left = leavers(was, is, outcome).length;
          if (after - before === left) continue;
          const change = `from ${before} to ${after} at version ${at}`;
          yield `${outcome} of Job ${job.name} went ${change}, while ${left} pods left its list`;
        }
      }
    },
  },
  {
    name: "a pod leaves the uncounted list when its finalizer is off",
    *breaches(history) {
      for (const { job, was, is, at } of changes(history)) {
        for (const uid of OUTCOMES.flatMap((outcome) => leavers(was, is, outcome))) {
          const pod = history.pods.get(uid);
          const state = pod === undefined ? undefined : stateBefore(pod, at)?.object;
          // Who has lost the pod counts it all the same.
          const isOwn = state !== undefined && ownerOf(state) === job.uid && selects(is, state);
          if (isOwn && holdsFinalizer(state))
            yield `Job ${job.name} counted pod ${pod!.name} at version ${at}, which held its finalizer still`;
        }
      }
    },
  },
  {
    name: "succeeded is the number of completed indexes",
    *breaches(history) {
      for (const { job, was, is, at } of changes(history)) {
        if (!isIndexed(is)) continue;
        const text = is.status?.completedIndexes ?? "";
        const succeeded = counted(is, "succeeded");
        // A Job that shrinks may keep its number: the API lets none go back that is not elastic.
        const isResized = new Set(job.versions.map(({ object }) => object.spec.completions)).size > 1;
        if (succeeded === readIndexes(text)?.size || (isResized && succeeded === counted(was, "succeeded"))) continue;
        yield `Job ${job.name} says succeeded ${succeeded} at version ${at}, and completedIndexes "${text}"`;
      }
    },
  },
  {
    name: "an index is done as one of its pods is",
    *breaches(history) {
      for (const { job, was, is, at } of changes(history)) {
        for (const [field, isDone] of DONE_INDEXES) {
          const before = readIndexes(was.status?.[field] ?? "");
          for (const index of readIndexes(is.status?.[field] ?? "") ?? []) {
            if (before?.has(index) === true) continue;
            const states = history
              .podsOf(job.uid)
              .flatMap(({ versions }) => versions.filter((version) => version.at < at));
            if (states.some(({ object }) => indexOf(object) === index && isDone(object))) continue;
            yield `index ${index} of Job ${job.name} entered ${field} at version ${at}, and no pod of it had ended so`;
          }
        }
      }
    },
  },
];

const failedOrDeleted = (pod: Pod): boolean => hasFailed(pod) || (isDeleting(pod) && !hasSucceeded(pod));
const DONE_INDEXES = [
  ["completedIndexes", hasSucceeded],
  ["failedIndexes", failedOrDeleted],
] as const;

/** A version of a Job in which the status is another than before. */
interface Change {
  readonly job: JobLife;
  readonly at: number;
  readonly was: Job;
  readonly is: Job;
}

function changes(history: History): Change[] {
  return [...history.jobs.values()].flatMap((job) => {
    const changed = job.versions.filter(changesStatus);
    const isByControllers = changed.every(({ write }) => write === undefined || history.isController(write.user));
    return isByControllers
      ? changed.map(({ at, object, before }) => ({ job, at, was: before!.object, is: object }))
      : [];
  });
}

function changesStatus({ before, object, isLast }: JobVersion): boolean {
  return before !== undefined && !isLast && JSON.stringify(object.status) !== JSON.stringify(before.object.status);
}

/** A UID that enters an uncounted list. */
interface Entry extends Change {
  readonly uid: string;
  readonly outcome: Outcome;
}

function entries(history: History): Entry[] {
  return changes(history).flatMap((change) =>
    OUTCOMES.flatMap((outcome) =>
      added(uncounted(change.was, outcome), uncounted(change.is, outcome)).map((uid) => ({ ...change, uid, outcome })),
    ),
  );
}

/** What a list has more of than before; a duplicate is new the second time. */
function added(was: readonly string[], is: readonly string[]): string[] {
  const old = new Set(was);
  return is.filter((uid) => !old.delete(uid));
}

function leavers(was: Job, is: Job, outcome: Outcome): string[] {
  const stays = new Set(uncounted(is, outcome));
  return uncounted(was, outcome).filter((uid) => !stays.has(uid));
}

/** Some version of the pod that could be known when the status was written is of that outcome. */
function isSo(pod: PodLife, { outcome, job, at, is }: Entry): boolean {
  const failsByDeletion = !job.versions.every(({ object }) => replacesOnlyEnded(object));
  const isFailure = (state: Pod): boolean =>
    isTrue(is, "FailureTarget") || hasFailed(state) || (failsByDeletion && failedOrDeleted(state));
  const isOfThat = (state: Pod): boolean =>
    outcome === "succeeded" ? hasSucceeded(state) : isFailure(state) && !isIgnored(is, state);
  return pod.versions.some((version) => version.at < at && isOfThat(version.object));
}
