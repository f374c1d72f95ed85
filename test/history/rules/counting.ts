/**
 * Every pod that ends is counted once: its UID enters a list of uncounted pods, and leaves it into the counter of that list; nothing else moves the counter. Pods of
 * an index that succeeds are counted by the index alone. Source: docs/spec/controller.md 4.1 and 4.2.
 *
 * A Job of which somebody else than a controller wrote the status is left out: nothing follows from numbers that a hand has made.
 */
import { counted, hasFailed, hasSucceeded, holdsFinalizer, indexOf, isDeleting, isIgnored, isIndexed, isTrue, OUTCOMES, type Outcome, ownerOf, replacesOnlyEnded, selects, uncounted } from "../facts.ts";
import type { Pod } from "../format.ts";
import { type History, type JobLife, type JobVersion, type PodLife, stateBefore } from "../history.ts";
import { readIndexes } from "../indexes.ts";
import type { Rule } from "./rule.ts";

const FIELDS = { completedIndexes: "succeeded", failedIndexes: "failed" } as const;

export const COUNTING: readonly Rule[] = [
  {
    name: "a pod is counted once",
    *breaches(history) {
      for (const job of countedJobs(history)) {
        const entered = new Map<string, number>();
        for (const { uid, outcome, at } of entrants(job)) {
          const first = entered.get(uid);
          if (first !== undefined) yield `pod ${uid} of Job ${job.name} entered uncountedTerminatedPods.${outcome} at version ${at}, and had been taken in at version ${first}`;
          entered.set(uid, at);
          if (!history.podsOf(job.uid).some((pod) => pod.uid === uid)) yield `${uid}, which is no pod of Job ${job.name}, entered uncountedTerminatedPods.${outcome} at version ${at}`;
        }
      }
    },
  },
  {
    name: "a pod is counted as what it is",
    *breaches(history) {
      for (const job of countedJobs(history)) {
        for (const { uid, outcome, at, version } of entrants(job)) {
          const pod = history.pods.get(uid);
          if (pod !== undefined && !isSo(pod, outcome, { job, version })) yield `pod ${pod.name} entered uncountedTerminatedPods.${outcome} of Job ${job.name} at version ${at}, and was not so by then`;
        }
      }
    },
  },
  {
    name: "counters move by what leaves the uncounted lists",
    *breaches(history) {
      for (const job of countedJobs(history)) {
        for (const { before, object, at } of changesOf(job)) {
          for (const outcome of OUTCOMES) {
            if (outcome === "succeeded" && isIndexed(object)) continue;
            const left = uncounted(before.object, outcome).filter((uid) => !uncounted(object, outcome).includes(uid)).length;
            const [was, is] = [counted(before.object, outcome), counted(object, outcome)];
            if (is - was !== left) yield `${outcome} of Job ${job.name} went from ${was} to ${is} at version ${at}, while ${left} pods left its list`;
          }
        }
      }
    },
  },
  {
    name: "a pod leaves the uncounted list when its finalizer is off",
    *breaches(history) {
      for (const job of countedJobs(history)) {
        for (const { before, object, at } of changesOf(job)) {
          for (const outcome of OUTCOMES) {
            for (const uid of uncounted(before.object, outcome)) {
              if (uncounted(object, outcome).includes(uid)) continue;
              const pod = history.pods.get(uid);
              const state = pod === undefined ? undefined : stateBefore(pod, at)?.object;
              // Who has lost the pod counts it all the same.
              if (state !== undefined && holdsFinalizer(state) && ownerOf(state) === job.uid && selects(object, state)) yield `pod ${pod!.name} was counted as ${outcome} by Job ${job.name} at version ${at}, and held its finalizer still`;
            }
          }
        }
      }
    },
  },
  {
    name: "succeeded is the number of completed indexes",
    *breaches(history) {
      for (const job of countedJobs(history)) {
        // One that shrinks may keep its number, for the API lets none go back that is not elastic.
        const isResized = new Set(job.versions.map(({ object }) => object.spec.completions)).size > 1;
        for (const { before, object, at } of changesOf(job)) {
          if (!isIndexed(object)) continue;
          const size = readIndexes(object.status?.completedIndexes ?? "")?.size;
          const succeeded = counted(object, "succeeded");
          if (succeeded !== size && !(isResized && succeeded === counted(before.object, "succeeded"))) yield `Job ${job.name} says succeeded ${succeeded} at version ${at}, and completedIndexes "${object.status?.completedIndexes ?? ""}"`;
        }
      }
    },
  },
  {
    name: "an index is done as one of its pods is",
    *breaches(history) {
      for (const job of countedJobs(history)) {
        for (const { before, object, at, } of changesOf(job)) {
          for (const [field, outcome] of Object.entries(FIELDS) as [keyof typeof FIELDS, Outcome][]) {
            const was = readIndexes(before.object.status?.[field] ?? "");
            for (const index of readIndexes(object.status?.[field] ?? "") ?? []) {
              if (was?.has(index)) continue;
              const has = outcome === "succeeded" ? hasSucceeded : (pod: Pod): boolean => hasFailed(pod) || (isDeleting(pod) && !hasSucceeded(pod));
              const isDone = history.podsOf(job.uid).some(({ versions }) => versions.some((version) => version.at < at && indexOf(version.object) === index && has(version.object)));
              if (!isDone) yield `index ${index} of Job ${job.name} entered ${field} at version ${at}, and none of its pods had ${outcome}`;
            }
          }
        }
      }
    },
  },
];

interface Change extends JobVersion {
  readonly before: JobVersion;
}

/** The versions in which the status is another. */
function changesOf({ versions }: JobLife): Change[] {
  return versions.filter((version): version is Change => version.before !== undefined && !version.isLast && JSON.stringify(version.object.status) !== JSON.stringify(version.before.object.status));
}

function countedJobs(history: History): JobLife[] {
  return [...history.jobs.values()].filter((job) => changesOf(job).every(({ write }) => write === undefined || history.isController(write.user)));
}

interface Entrant {
  readonly uid: string;
  readonly outcome: Outcome;
  readonly at: number;
  readonly version: JobVersion;
}

function entrants(job: JobLife): Entrant[] {
  return changesOf(job).flatMap((version) =>
    OUTCOMES.flatMap((outcome) => {
      const was = [...uncounted(version.before.object, outcome)];
      const isNew = (uid: string): boolean => {
        const place = was.indexOf(uid);
        if (place >= 0) was.splice(place, 1);
        return place < 0;
      };
      return uncounted(version.object, outcome).filter(isNew).map((uid) => ({ uid, outcome, at: version.at, version }));
    }),
  );
}

/** Some version of the pod that could be known when the status was written is of that outcome. */
function isSo(pod: PodLife, outcome: Outcome, { job, version }: { readonly job: JobLife; readonly version: JobVersion }): boolean {
  const isFailing = isTrue(version.object, "FailureTarget");
  const failsByDeletion = !job.versions.every(({ object }) => replacesOnlyEnded(object));
  const failed = (state: Pod): boolean => !isIgnored(version.object, state) && (isFailing || hasFailed(state) || (failsByDeletion && isDeleting(state) && !hasSucceeded(state)));
  return pod.versions.some(({ at, object }) => at < version.at && (outcome === "succeeded" ? hasSucceeded(object) : failed(object)));
}
