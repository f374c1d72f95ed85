/**
 * Every pod is counted at most once, and what the status says is what was counted: UIDs enter the uncounted lists once,
 * leave them into a counter, and counters move by nothing else. Completion indexes are counted by their text. An
 * adopted orphan gets a finalizer, and counts again, as upstream's does. Of a Job whose status others have written,
 * only what its controller changes is looked at. Source: docs/spec/controller.md 2.7 and section 4.
 */
import { formatIntervals, parseIntervals } from "../../naive/intervals.ts";
import { actionFor, failsItsIndex, isFailed, isSelected, isTrue, type JobFacts, type PodFacts } from "../facts.ts";
import type { Ledger, PodRecord, Write } from "../ledger.ts";
import { type Check, violate } from "./check.ts";

type Outcome = "succeeded" | "failed";

export class Counting implements Check {
  readonly #ledger: Ledger;
  /** UIDs that a counter has taken in, since their pod was last adopted. */
  readonly #counted = new Map<string, Outcome>();
  /** UIDs that have stood in an uncounted list. */
  readonly #listed = new Set<string>();
  /** The fewest completions that a Job has had since its status was last written. */
  readonly #fewestCompletions = new Map<string, number>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** In a stored list, or in a counter; where another client writes statuses, in a list that was stored once. */
  isAccountedFor(job: JobFacts, podUid: string): boolean {
    return (
      this.#counted.has(podUid) ||
      job.uncountedSucceeded.includes(podUid) ||
      job.uncountedFailed.includes(podUid) ||
      (this.#isMeddled(job) && this.#listed.has(podUid))
    );
  }

  #isMeddled(job: JobFacts): boolean {
    return this.#ledger.jobs.get(job.uid)!.isMeddled;
  }

  podWritten({ before, after }: Write<PodFacts>): void {
    if (before !== undefined && before.jobUid !== after.jobUid && after.jobUid !== undefined)
      this.#counted.delete(after.uid);
  }

  jobWritten({ type, before, after, actor }: Write<JobFacts>): void {
    if (type === "DELETED" || before === undefined) return;
    for (const uid of [...after.uncountedSucceeded, ...after.uncountedFailed]) this.#listed.add(uid);
    const fewest = Math.min(
      this.#fewestCompletions.get(after.uid) ?? Infinity,
      before.completions ?? 0,
      after.completions ?? 0,
    );
    // What another client writes is what a controller continues from, right or wrong.
    if (!actor.startsWith("controller")) {
      this.#fewestCompletions.set(after.uid, fewest);
      return;
    }
    this.#fewestCompletions.set(after.uid, after.completions ?? 0);
    this.#checkCounter("failed", before, after);
    if (after.isIndexed) this.#checkIndexes(before, after, fewest);
    else this.#checkCounter("succeeded", before, after);
  }

  #checkCounter(outcome: Outcome, before: JobFacts, after: JobFacts): void {
    const [was, is] = [listOf(before, outcome), listOf(after, outcome)];
    const both = listOf(after, outcome === "failed" ? "succeeded" : "failed");
    if (new Set(is).size < is.length)
      violate(
        "counted once",
        `a UID is twice in uncountedTerminatedPods.${outcome} of Job ${after.name}: ${is.join(" ")}`,
      );
    for (const uid of is.filter((candidate) => !was.includes(candidate))) {
      if (both.includes(uid)) violate("counted once", `pod ${uid} of Job ${after.name} is in both uncounted lists`);
      this.#checkEntrant(outcome, uid, after);
    }
    const left = was.filter((uid) => !is.includes(uid));
    for (const uid of left) this.#checkLeaver(outcome, uid, after);
    if (after[outcome] < before[outcome])
      violate(
        "counters never go back",
        `${outcome} of Job ${after.name} went from ${before[outcome]} to ${after[outcome]}`,
      );
    if (after[outcome] - before[outcome] !== left.length) {
      violate(
        "counted once",
        `${outcome} of Job ${after.name} went from ${before[outcome]} to ${after[outcome]} while ${left.length} UIDs left its list`,
      );
    }
  }

  #checkEntrant(outcome: Outcome, uid: string, job: JobFacts): void {
    const pod = this.#ledger.pods.get(uid);
    if (pod === undefined || !pod.jobUids.has(job.uid))
      violate("counted once", `${uid}, which is no pod of Job ${job.name}, entered uncountedTerminatedPods.${outcome}`);
    if (this.#counted.has(uid) && !this.#isMeddled(job))
      violate(
        "counted once",
        `pod ${pod.facts.name} was counted as ${this.#counted.get(uid)} before, and is to be counted as ${outcome} again`,
      );
    const onlyReplaceFailed = !this.#ledger.jobs.get(job.uid)!.hasReplacedTerminating;
    const countsAsFailed = (version: PodFacts): boolean =>
      (isFailed(version, { onlyReplaceFailed }) || isTrue(job, "FailureTarget")) &&
      actionFor(version, job) !== "Ignore";
    const isSo = outcome === "succeeded" ? pod.hasSucceeded : pod.versions.some(countsAsFailed);
    if (!isSo)
      violate(
        "counted as what it is",
        `pod ${pod.facts.name} of Job ${job.name} is to be counted as ${outcome}, but is ${pod.facts.phase}, or a rule ignores it`,
      );
  }

  #checkLeaver(outcome: Outcome, uid: string, job: JobFacts): void {
    const pod = this.#ledger.pods.get(uid);
    // Another client has put it there.
    if (pod === undefined) return;
    // Who lost the pod, by its owner or its labels, counts it all the same; a finalizer that it has then is not that
    // Job's business.
    if (hasLost(job, pod)) return;
    if (!pod.isGone && pod.facts.holdsFinalizer)
      violate(
        "counted after its finalizer is off",
        `pod ${pod.facts.name} of Job ${job.name} was counted as ${outcome} and still has the finalizer`,
      );
    this.#counted.set(uid, outcome);
  }

  #checkIndexes(before: JobFacts, after: JobFacts, fewest: number): void {
    this.#checkFailedIndexes(before, after, fewest);
    if (after.completedText === before.completedText && after.succeeded === before.succeeded) return;
    const is = parseIntervals(after.completedText, Infinity);
    // The API server lets succeeded go back only while the Job is elastic (docs/spec/api.md V86).
    const isElastic = after.completions === after.parallelism;
    if (
      !this.#isMeddled(after) &&
      after.succeeded !== is.size &&
      (isElastic || after.succeeded !== Math.max(is.size, before.succeeded))
    ) {
      violate(
        "succeeded is the number of completed indexes",
        `Job ${after.name} says succeeded ${after.succeeded} and completedIndexes "${after.completedText}"`,
      );
    }
    const pods = this.#ledger.podsOf(after.uid);
    const texts = { field: "completedIndexes", was: before.completedText, is: after.completedText };
    for (const index of newIndexes(after, texts, fewest)) {
      const hasSucceeded = pods.some(({ versions }) =>
        versions.some((pod) => pod.phase === "Succeeded" && pod.index === index),
      );
      if (!hasSucceeded)
        violate(
          "counted as what it is",
          `index ${index} of Job ${after.name} is completed, but none of its pods has succeeded`,
        );
    }
  }

  #checkFailedIndexes(before: JobFacts, after: JobFacts, fewest: number): void {
    const { failedText: was = "" } = before;
    const { failedText: is = "" } = after;
    if (is === was) return;
    const { hasReplacedTerminating } = this.#ledger.jobs.get(after.uid)!;
    const pods = this.#ledger.podsOf(after.uid).flatMap(({ versions }) => versions);
    for (const index of newIndexes(after, { field: "failedIndexes", was, is }, fewest)) {
      const hasFailed = pods.some(
        (pod) =>
          pod.index === index &&
          isFailed(pod, { onlyReplaceFailed: !hasReplacedTerminating }) &&
          failsItsIndex(pod, after),
      );
      if (!hasFailed)
        violate(
          "failed indexes have a cause",
          `index ${index} of Job ${after.name} has failed for good, but none of its pods has failed for the last time`,
        );
    }
  }
}

/** The pod is not the Job's any more, or was not among those it selects at some time since it became so. */
function hasLost(job: JobFacts, { versions }: PodRecord): boolean {
  const since = versions.slice(versions.findLastIndex(({ jobUid }) => jobUid !== job.uid) + 1);
  return since.length === 0 || since.some((version) => !isSelected(job, version));
}

interface Texts {
  readonly field: string;
  readonly was: string;
  readonly is: string;
}

/**
 * The indexes that a text has gained. It must be canonical and in range, and may lose none but those that a smaller Job
 * dropped.
 */
function newIndexes(job: JobFacts, { field, was, is }: Texts, fewest: number): number[] {
  const [before, now] = [parseIntervals(was, Infinity), parseIntervals(is, Infinity)];
  if (formatIntervals(now) !== is)
    violate(
      "intervals are canonical",
      `${field} of Job ${job.name} is "${is}"; its canonical form is "${formatIntervals(now)}"`,
    );
  for (const index of now)
    if (index >= (job.completions ?? 0))
      violate("indexes are in range", `${field} of Job ${job.name} is "${is}" with completions ${job.completions}`);
  for (const index of before)
    if (!now.has(index) && index < fewest)
      violate("counters never go back", `index ${index} of Job ${job.name} has left ${field}: "${was}" became "${is}"`);
  return [...now].filter((index) => !before.has(index));
}

function listOf(job: JobFacts, outcome: Outcome): readonly string[] {
  return outcome === "succeeded" ? job.uncountedSucceeded : job.uncountedFailed;
}
