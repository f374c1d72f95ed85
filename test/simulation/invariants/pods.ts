/**
 * Pods are made and removed for a reason. What a controller has been shown, its own answers included, says how many
 * pods a Job still needs and which are too many; a creation beyond that, or a removal without that, is a violation. A
 * sync acts on what was known when it began, so requests that belong together are judged by the first of them. Source:
 * docs/spec/controller.md 3.6, 4.4 and 4.9; design of unknown outcomes: bindings/ABI.md.
 */
import type { ApiResponse, Clock } from "../../../bindings/js/host.ts";
import type { ControllerProcess, Seen } from "../controller-process.ts";
import {
  actionFor,
  isActive,
  isFailed,
  isFinished,
  isInRange,
  isSelectedByUid,
  isTrue,
  type JobFacts,
  type PodFacts,
  storedFailedIndexes,
} from "../facts.ts";
import type { Ledger, PodRecord } from "../ledger.ts";
import { versionOfList, type View } from "../view.ts";
import type { Backoff } from "./backoff.ts";
import { type Check, firstThatHolds, type InvariantName, Violation, violate } from "./check.ts";
import type { Counting } from "./counting.ts";
import {
  failsJob,
  isAtItsEnd,
  mandatoryVictims,
  meetsSuccessPolicy,
  missing,
  succeededIndexes,
  takenIndexes,
  wantedActive,
} from "./expected.ts";
import type { Sent } from "./requests.ts";

/** Creations of one Job by one controller. */
class Creations {
  inFlight = 0;
  inFlightIndexes: number[] = [];
  lastAnswerMs = -1;
  /** How many more the present burst may ask for, and the indexes that it may not. */
  left = 0;
  taken = new Set<number>();
  /**
   * The moment at which an answer was lost; Infinity: none was. Until the pods were listed, and the watch has come as
   * far as that list, nothing may be decided.
   */
  unclearSince = Infinity;
  clearFromVersion = 0;
}

/** A removal of a surplus pod that a controller asked for. */
interface Removal {
  readonly moment: number;
  readonly atMs: number;
  readonly podUid: string;
}

export interface PodRequestsOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly counting: Counting;
  readonly backoff: Backoff;
}

export class PodRequests implements Check {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #counting: Counting;
  readonly #backoff: Backoff;
  readonly #creations = new Map<ControllerProcess, Map<string, Creations>>();
  readonly #removals = new Map<ControllerProcess, Map<string, Removal[]>>();
  /** Pods whose finalizer some controller took off, or meant to, so as to delete them. */
  readonly #surplus = new Set<string>();

  /**
   * Pods that a controller deleted because their Job had met a success criterion: they have not failed, and it does not
   * count them.
   */
  readonly #notNeeded = new Map<ControllerProcess, Set<string>>();

  /**
   * Pods whose finalizer a controller is removing, with the answer outstanding: it counts none of them (controller.md
   * 3.1, expectedRm).
   */
  readonly #stripping = new Map<ControllerProcess, Set<string>>();

  /** By controller and Job: the versions of its pods that were known when its status was last written. */
  readonly #written = new Map<ControllerProcess, Map<string, Map<string, number>>>();

  constructor({ ledger, clock, counting, backoff }: PodRequestsOptions) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#counting = counting;
    this.#backoff = backoff;
  }

  sent(process: ControllerProcess, sent: Sent): void {
    if (sent.kind === "create") this.#checkCreation(process, sent);
    else if (sent.kind === "strip") {
      const pod = this.#podOf(sent);
      this.#checkStrip(process, pod);
      this.#strippingBy(process).add(pod.facts.uid);
    } else if (sent.kind === "delete") this.#checkDeletion(process, this.#podOf(sent));
    else if (sent.kind === "status") {
      this.#checkVerdict(process, sent);
      this.#writtenBy(process).set(
        sent.uid,
        new Map(process.view.podsOf(sent.uid).map(({ uid, version }) => [uid, version])),
      );
    }
  }

  // A pod that no controller knows of may run, and what it does counts.
  #checkVerdict(process: ControllerProcess, { uid, status }: Extract<Sent, { kind: "status" }>): void {
    const creations = this.#creationsOf(process, uid);
    firstThatHolds(process, ({ view, moment }) => {
      const job = view.jobs.get(uid);
      if (job === undefined || !this.#isUnclear(view, moment, job, creations)) return;
      const decided = { conditions: (status["conditions"] ?? []) as unknown as JobFacts["conditions"] };
      const verdict = ["SuccessCriteriaMet", "FailureTarget"].find(
        (type) => isTrue(decided, type) && !isTrue(job, type),
      );
      if (verdict !== undefined)
        violate(
          "nothing is decided while pods are unclear",
          `Job ${job.name} gets ${verdict} after a lost answer, and before its pods were listed and seen`,
        );
    });
  }

  // The list goes by the label of generated selectors.
  #isUnclear(view: View, moment: number, job: JobFacts, { unclearSince, clearFromVersion }: Creations): boolean {
    return moment > unclearSince || (!isSelectedByUid(job) && view.reached("pods") < clearFromVersion);
  }

  answered(process: ControllerProcess, sent: Sent, response: ApiResponse): void {
    if (sent.kind === "create") {
      const creations = this.#creationsOf(process, sent.jobUid);
      creations.inFlight--;
      creations.inFlightIndexes.splice(creations.inFlightIndexes.indexOf(sent.index), 1);
      creations.lastAnswerMs = this.#clock.now();
      // After a failure a sync creates nothing more.
      if (response.status < 200 || response.status >= 300) creations.left = 0;
      if (response.status === 0) creations.unclearSince = Math.min(creations.unclearSince, process.moment);
    } else if (sent.kind === "list pods of" && response.status === 200) {
      const creations = this.#creationsOf(process, sent.jobUid);
      creations.unclearSince = Infinity;
      creations.clearFromVersion = versionOfList(String(response.body));
    } else if (sent.kind === "strip") {
      this.#strippingBy(process).delete(this.#podOf(sent).facts.uid);
    }
  }

  #podOf({ namespace, pod }: Extract<Sent, { pod: string }>): PodRecord {
    return (
      this.#ledger.podNamed(namespace, pod) ??
      violate("requests make sense", `a request names pod ${namespace}/${pod}, which never was`)
    );
  }

  #creationsOf(process: ControllerProcess, jobUid: string): Creations {
    return entryOf(
      entryOf(this.#creations, process, () => new Map<string, Creations>()),
      jobUid,
      () => new Creations(),
    );
  }

  // Allowed by what is known now, or by what was known when the burst began that it belongs to.
  #checkCreation(
    process: ControllerProcess,
    { jobUid, index, failures, revision }: Extract<Sent, { kind: "create" }>,
  ): void {
    const creations = this.#creationsOf(process, jobUid);
    const isContinued = creations.inFlight > 0 || creations.lastAnswerMs === this.#clock.now();
    const isWithinBurst = isContinued && creations.left > 0 && !creations.taken.has(index);
    try {
      const { left, taken } = firstThatHolds(process, (seen) => {
        const { job, ...need } = this.#needOf(seen, jobUid, index, creations, process);
        if (!isWithinBurst) this.#backoff.check(seen, job, index, this.#strippingBy(process));
        if (failures !== "none" || job.backoffLimitPerIndex !== undefined)
          this.#checkFailureCounts(seen, job, index, failures, process);
        if (revision !== job.templateRevision)
          violate(
            "pods are as the template of now says",
            `a pod of Job ${job.name} is created with revision ${revision} of a template at ${job.templateRevision}`,
          );
        return need;
      });
      if (!isWithinBurst || left > creations.left) Object.assign(creations, { left, taken });
    } catch (error) {
      if (!(error instanceof Violation) || !isWithinBurst) throw error;
    }
    creations.left--;
    creations.inFlight++;
    creations.inFlightIndexes.push(index);
    if (index >= 0) creations.taken.add(index);
  }

  #checkFailureCounts(seen: Seen, job: JobFacts, index: number, failures: string, process: ControllerProcess): void {
    // Which of its predecessors a pod goes by hangs on the order in which they are seen. Of a Job that is gone, and not
    // shown to be, none matters.
    if (this.#storedJobOf(job.uid) === undefined) return;
    const allowed = this.#backoff.allowedFailureCounts(seen, job, index, this.#strippingBy(process));
    if (!allowed.includes(failures))
      violate(
        "failure counts are handed on",
        `a pod of Job ${job.name}, index ${index}, is created with failure counts ${failures}; its predecessors give ${allowed.join(" or ")}`,
      );
  }

  /** How many pods the Job still needs as far as this controller was shown, and the indexes that it may not start. */
  #needOf(
    { view, name, wallNowMs, moment }: Seen,
    jobUid: string,
    index: number,
    creations: Creations,
    process: ControllerProcess,
  ): Pick<Creations, "left" | "taken"> & { readonly job: JobFacts } {
    const job =
      view.jobs.get(jobUid) ??
      violate(
        "pods are created for live Jobs",
        `a pod is created for Job ${jobUid}, which ${name} does not know, or knows to be gone`,
      );
    if (isFinished(job) || job.isDeleting || job.isForeign)
      violate(
        "pods are created for live Jobs",
        `a pod is created for Job ${job.name}, which is finished, being deleted or managed by another controller`,
      );
    if (this.#isUnclear(view, moment, job, creations)) {
      violate(
        "nothing is created while pods are unclear",
        `a pod of Job ${job.name} is created after a lost answer, and before the pods were listed and the watch, at ${view.reached("pods")}, has come to that list of ${creations.clearFromVersion}`,
      );
    }
    const stripping = this.#strippingBy(process);
    const pods = view.podsOf(jobUid).map((pod) => (stripping.has(pod.uid) ? { ...pod, holdsFinalizer: false } : pod));
    if (job.isSuspended)
      violate(
        "suspended Jobs create nothing",
        `a pod is created for Job ${job.name}, which is suspended, as ${name} was shown`,
      );
    // How a surplus pod ends says nothing, nor how one does that looks like it (docs/differences.md).
    const isLetGo = (pod: PodFacts): boolean => !pod.holdsFinalizer && (pod.isDeleting || this.#surplus.has(pod.uid));
    const mayHaveFailed = pods.filter((pod) => !this.#notNeededBy(process).has(pod.uid) && !isLetGo(pod));
    if (isAtItsEnd(job, pods, wallNowMs, mayHaveFailed))
      violate(
        "Jobs at their end create nothing",
        `a pod is created for Job ${job.name}, which is at its end as far as ${name} was shown`,
      );
    const left = missing(job, pods, creations.inFlight);
    if (left <= 0) {
      violate(
        "no more pods than wanted",
        `a pod of Job ${job.name} is created with ${pods.filter(isActive).length} active, ${creations.inFlight} under way and ${wantedActive(job, pods)} wanted, as far as ${name} was shown`,
      );
    }
    const taken = new Set([
      ...takenIndexes(job, pods, mayHaveFailed),
      ...(job.isIndexed ? creations.inFlightIndexes : []),
    ]);
    if (job.isIndexed && !isInRange(job, index))
      violate(
        "indexes are in range",
        `index ${index} of Job ${job.name} is started with completions ${job.completions}`,
      );
    if (taken.has(index))
      violate(
        "no index is started without cause",
        `index ${index} of Job ${job.name} is started though it is held, has succeeded or has failed for good`,
      );
    return { job, left, taken };
  }

  // A finalizer goes only after the pod is in the stored status, unless it is not to be counted (controller.md 4.9).
  #checkStrip(process: ControllerProcess, record: PodRecord): void {
    const pod = record.facts;
    const job = this.#storedJobOf(pod.jobUid);
    const isSurplus = firstThatHolds(process, (seen) => {
      const known = seen.view.pods.get(pod.uid);
      // By what it was shown the pod is an orphan; an adoption by its predecessor may have been in flight.
      if (known !== undefined && !known.isControlled) return false;
      // Active, as far as this controller knows: it means to delete the pod, and may do so whatever happens meanwhile.
      if (known !== undefined && isActive(known)) this.#surplus.add(pod.uid);
      if (job === undefined || this.#isNotToBeCounted(process, seen, record, job)) return false;
      this.#checkSurplus(
        "a finalizer goes only after its pod is counted",
        seen,
        job.uid,
        pod,
        this.#removalsOf(process, job.uid),
      );
      return true;
    });
    if (isSurplus) this.#noteRemoval(process, job!.uid, pod.uid);
  }

  /** The finalizer of the pod may go: the pod is counted, or is not to be counted. */
  #isNotToBeCounted(process: ControllerProcess, { view }: Seen, record: PodRecord, job: JobFacts): boolean {
    const pod = record.facts;
    const known = view.pods.get(pod.uid);
    if (
      job.isDeleting ||
      isFinished(job) ||
      isTrue(job, "SuccessCriteriaMet") ||
      this.#counting.isAccountedFor(job, pod.uid)
    )
      return true;
    if (this.#notNeededBy(process).has(pod.uid)) return true;
    // A pod that is being deleted, of a Job that was not shown yet, is an orphan (2.4).
    if (known?.isDeleting === true && !view.jobs.has(job.uid)) return true;
    const knownJob = view.jobs.get(job.uid) ?? job;
    if (known !== undefined && this.#isIgnored(process, record, known, job)) return true;
    // Its index may have been changed since the status was written.
    const isOutOfRange =
      job.isIndexed &&
      [pod, ...this.#sinceWritten(process, record, known)].some(
        ({ index }) => !isInRange(job, index) || !isInRange(knownJob, index),
      );
    if (job.isIndexed && (pod.phase === "Succeeded" || known?.phase === "Succeeded")) {
      // Its index may have been changed since it was counted, or has failed for good with another pod.
      const hasSucceededIn = (counted: JobFacts): boolean =>
        record.versions.some(({ phase, index }) => phase === "Succeeded" && this.#hasCompleted(counted, index));
      // A user may have written another status over the one that counts it: a controller that was not shown that uses
      // its own.
      return isOutOfRange || storedFailedIndexes(job).has(pod.index) || hasSucceededIn(job) || hasSucceededIn(knownJob);
    }
    return isOutOfRange && known !== undefined && !isActive(known);
  }

  // As the controller knew it when it last wrote the status of its Job, and since: what a sync takes off it has looked
  // at before that.
  #sinceWritten(
    process: ControllerProcess,
    { versions, jobUid = "" }: PodRecord,
    known: PodFacts | undefined,
  ): PodFacts[] {
    if (known === undefined) return [];
    const written = this.#writtenBy(process).get(jobUid)?.get(known.uid) ?? known.version;
    return versions.filter(({ version }) => version >= written && version <= known.version);
  }

  // No controller counts what a rule ignores.
  #isIgnored(process: ControllerProcess, record: PodRecord, known: PodFacts, job: JobFacts): boolean {
    return this.#sinceWritten(process, record, known).some(
      (version) => (isFailed(version, job) || isTrue(job, "FailureTarget")) && actionFor(version, job) === "Ignore",
    );
  }

  #checkDeletion(process: ControllerProcess, record: PodRecord): void {
    const pod = record.facts;
    const known = process.view.jobs.get(process.view.pods.get(pod.uid)?.jobUid ?? record.jobUid ?? "");
    if (known !== undefined && meetsSuccessPolicy(known, process.view.podsOf(known.uid)))
      this.#notNeededBy(process).add(pod.uid);
    if (this.#surplus.has(pod.uid)) return;
    const surplusOf = firstThatHolds(process, (seen) => {
      const { view, name, highestWallMs } = seen;
      const job = view.jobs.get(view.pods.get(pod.uid)?.jobUid ?? record.jobUid ?? "");
      if (job === undefined)
        violate("pods are deleted for a reason", `pod ${pod.name} is deleted, but ${name} knows no Job of it`);
      // What a policy calls final stays so when the pod is gone.
      const everSeen = this.#ledger.podsOf(job.uid).flatMap(({ versions }) => versions);
      if (isAtItsEnd(job, view.podsOf(job.uid), highestWallMs) || failsJob(job, everSeen)) return undefined;
      this.#checkSurplus("pods are deleted for a reason", seen, job.uid, pod, this.#removalsOf(process, job.uid));
      return job.uid;
    });
    if (surplusOf !== undefined) this.#noteRemoval(process, surplusOf, pod.uid);
  }

  #removalsOf(process: ControllerProcess, jobUid: string): Removal[] {
    return entryOf(
      entryOf(this.#removals, process, () => new Map<string, Removal[]>()),
      jobUid,
      () => [],
    );
  }

  #noteRemoval(process: ControllerProcess, jobUid: string, podUid: string): void {
    this.#removalsOf(process, jobUid).push({ moment: process.moment, atMs: this.#clock.now(), podUid });
  }

  #checkSurplus(
    invariant: InvariantName,
    { view, name, moment }: Seen,
    jobUid: string,
    pod: PodFacts,
    removals: readonly Removal[],
  ): void {
    const known = view.jobs.get(jobUid);
    const shown = view.pods.get(pod.uid);
    if (known === undefined || shown === undefined || !isActive(shown)) {
      violate(
        invariant,
        `pod ${pod.name} (${pod.phase}; ${name} was shown ${shown === undefined ? "nothing of it" : shown.phase}) is in no list of Job ${known?.name ?? jobUid} and no surplus`,
      );
    }
    const pods = view.podsOf(jobUid);
    const active = pods.filter(isActive);
    // Those that were asked for with this one, or since.
    const others = removals.filter(
      (other) =>
        (other.moment >= moment || other.atMs === this.#clock.now()) && active.some(({ uid }) => uid === other.podUid),
    );
    const left = active.length - wantedActive(known, pods) - others.length;
    if (left <= 0 && !mandatoryVictims(known, pods).has(pod.uid))
      violate(
        invariant,
        `pod ${pod.name} of Job ${known.name} is active, is not counted, and is not surplus as far as ${name} was shown`,
      );
  }

  #notNeededBy(process: ControllerProcess): Set<string> {
    return entryOf(this.#notNeeded, process, () => new Set());
  }

  #writtenBy(process: ControllerProcess): Map<string, Map<string, number>> {
    return entryOf(this.#written, process, () => new Map());
  }

  #strippingBy(process: ControllerProcess): Set<string> {
    return entryOf(this.#stripping, process, () => new Set());
  }

  #storedJobOf(jobUid: string | undefined): JobFacts | undefined {
    const record = this.#ledger.jobs.get(jobUid ?? "");
    return record === undefined || record.isGone ? undefined : record.facts;
  }

  #hasCompleted(job: JobFacts, index: number): boolean {
    return succeededIndexes(job, []).has(index);
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
