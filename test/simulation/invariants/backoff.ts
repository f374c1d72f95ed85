/**
 * No pod is created while a back-off runs. A controller remembers failures from its start on, and forgets them with a
 * success; how its syncs gather them is not seen from outside, so the delay asked for here is the least that any way of
 * gathering gives. With a limit per index the delay follows from the failed pod that waits for its successor, and so
 * does what the successor carries on. Leaves out controllers whose wall clock is or was wrong. Source:
 * docs/spec/controller.md 3.2, M6, M8 and section 5.
 */
import type { ApiResponse } from "../../../bindings/js/host.ts";
import { remainingBackoffMs } from "../../naive/backoff.ts";
import type { ControllerProcess, Seen } from "../controller-process.ts";
import { actionFor, isActive, isFailed, isInRange, isTerminal, type JobFacts, type PodFacts } from "../facts.ts";
import type { Ledger, Write } from "../ledger.ts";
import { type Check, violate } from "./check.ts";
import { failureCounts, type Sent } from "./requests.ts";

export class Backoff implements Check {
  readonly #ledger: Ledger;
  /** UIDs of failed pods that a controller has counted: by controller and Job. */
  readonly #counted = new Map<string, Set<string>>();

  /** Jobs in a namespace that is being deleted: nothing waits there any more. */
  readonly #doomed = new Set<string>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  jobWritten({ actor, before, after }: Write<JobFacts>): void {
    if (!actor.startsWith("controller") || before === undefined) return;
    const key = `${actor} ${after.uid}`;
    const counted = this.#counted.get(key) ?? new Set();
    for (const uid of after.uncountedFailed) if (!before.uncountedFailed.includes(uid)) counted.add(uid);
    this.#counted.set(key, counted);
  }

  handled(_process: ControllerProcess, sent: Sent, response: ApiResponse): void {
    if (sent.kind === "create" && String(response.body).includes("NamespaceTerminating")) this.#doomed.add(sent.jobUid);
  }

  /** What the annotations of a new pod of this index may say. */
  allowedFailureCounts(process: Seen, job: JobFacts, index: number, stripping: ReadonlySet<string>): string[] {
    if (job.backoffLimitPerIndex === undefined) return ["none"];
    const { delayed, mayBeNone } = this.#delayedOf(process, job, index, stripping);
    const allowed = delayed.map((pod) => {
      const isIgnored = actionFor(pod, job) === "Ignore";
      const ignored = pod.indexIgnoredFailures + (isIgnored ? 1 : 0);
      return failureCounts(
        String(pod.indexFailures + (isIgnored ? 0 : 1)),
        ignored === 0 ? undefined : String(ignored),
      );
    });
    return mayBeNone || this.#doomed.has(job.uid) ? [...allowed, failureCounts("0", undefined)] : allowed;
  }

  /**
   * A pod is created that begins a burst.
   * @param stripping UIDs of the pods whose finalizer the controller is taking off
   */
  check(process: Seen, job: JobFacts, index: number, stripping: ReadonlySet<string>): void {
    if (process.hasBeenWrong || this.#doomed.has(job.uid)) return;
    const remainingMs =
      job.backoffLimitPerIndex === undefined
        ? this.#remainingMs(process, job)
        : this.#remainingOfIndexMs(process, job, index, stripping);
    if (remainingMs > 0)
      violate(
        "back-off is kept",
        `a pod of Job ${job.name}, index ${index}, is created by ${process.name} at least ${remainingMs} ms too soon`,
      );
  }

  #remainingMs(process: Seen, job: JobFacts): number {
    const { podBackoffBaseMs, podBackoffMaxMs } = process.tuning.constants;
    // What is ignored is in no list, but delays too.
    if (job.failureRules.some(({ action }) => action === "Ignore")) return 0;
    const { failures, successes } = process.view.endsOf(job.uid);
    const lastSuccess = successes.reduce(
      (last, { order, finishMs }) => ({
        order: Math.max(last.order, order),
        finishMs: Math.max(last.finishMs, finishMs),
      }),
      { order: -1, finishMs: -1 },
    );
    const since = failures.filter(({ order }) => order > lastSuccess.order);
    const counted = this.#counted.get(`${process.name} ${job.uid}`) ?? new Set();
    const sure = since.filter(({ uid, finishMs }) => counted.has(uid) && finishMs > lastSuccess.finishMs);
    return remainingBackoffMs(
      { failures: sure.length, lastFailureTimeMs: Math.min(...since.map(({ finishMs }) => finishMs)) },
      process.wallNowMs,
      podBackoffBaseMs,
      podBackoffMaxMs,
    );
  }

  #remainingOfIndexMs(process: Seen, job: JobFacts, index: number, stripping: ReadonlySet<string>): number {
    const { delayed, mayBeNone } = this.#delayedOf(process, job, index, stripping);
    const { podBackoffBaseMs, podBackoffMaxMs } = process.tuning.constants;
    if (mayBeNone) return 0;
    return Math.min(
      ...delayed.map((pod) =>
        remainingBackoffMs(
          { failures: absoluteFailures(pod) + 1, lastFailureTimeMs: pod.finishMs },
          process.wallNowMs,
          podBackoffBaseMs,
          podBackoffMaxMs,
        ),
      ),
    );
  }

  /** Failed pods of the index that may be the one that waits for its successor, and whether none may. */
  #delayedOf(
    process: Seen,
    job: JobFacts,
    index: number,
    stripping: ReadonlySet<string>,
  ): { readonly delayed: PodFacts[]; readonly mayBeNone: boolean } {
    const failures = process.view
      .podsOf(job.uid)
      .filter(
        (pod) =>
          pod.index === index &&
          isInRange(job, index) &&
          pod.holdsFinalizer &&
          !stripping.has(pod.uid) &&
          isFailed(pod, job),
      );
    // Who has had a successor, even one that left no trace, waits for no other.
    const waiting = failures.filter((pod) => !this.#mayHaveHadSuccessor(job, pod));
    return { delayed: mayBeDelayed(failures, waiting), mayBeNone: waiting.length === 0 };
  }

  // Another pod of its index was active when the pod ended, or later.
  #mayHaveHadSuccessor(job: JobFacts, { uid, index }: PodFacts): boolean {
    const end = this.#ledger.pods
      .get(uid)!
      .versions.find((version) => version.isDeleting || isTerminal(version.phase))!;
    return this.#ledger.podsOf(job.uid).some(({ facts, versions, isGone }) => {
      const endOf = (i: number): number => versions[i + 1]?.version ?? (isGone ? facts.version : Infinity);
      return (
        facts.uid !== uid &&
        versions.some((version, i) => version.index === index && isActive(version) && endOf(i) > end.version)
      );
    });
  }
}

/**
 * Of failed pods of one index those that may be the one that waits. The pod looked at later takes the place if its
 * history is no shorter and it ended no earlier (S19); where one pod has the longer history and another the later end,
 * that hangs on an order that no rule promises.
 * @param waiting those of the pods that surely wait for a successor, if no other one does
 */
export function mayBeDelayed<Failure extends Pick<PodFacts, "indexFailures" | "indexIgnoredFailures" | "finishMs">>(
  failures: readonly Failure[],
  waiting: readonly Failure[],
): Failure[] {
  const yieldsTo = (pod: Failure, other: Failure): boolean =>
    absoluteFailures(other) >= absoluteFailures(pod) && other.finishMs >= pod.finishMs;
  return failures.filter((pod) => waiting.every((other) => !yieldsTo(pod, other) || yieldsTo(other, pod)));
}

function absoluteFailures({
  indexFailures,
  indexIgnoredFailures,
}: Pick<PodFacts, "indexFailures" | "indexIgnoredFailures">): number {
  return indexFailures + indexIgnoredFailures;
}
