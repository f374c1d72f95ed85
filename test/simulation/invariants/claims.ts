/**
 * Pods are adopted and released for a reason, only orphans are adopted, and only own pods released: a Job is read
 * before it adopts, no pod has two claims under way, nothing follows a claim that failed or is not answered, and what
 * belongs to others is not touched. That pods which must be claimed are claimed is looked at when the faults have
 * stopped. Source: docs/spec/controller.md 2.6 to 2.8.
 */
import type { ApiResponse, Clock } from "../../../bindings/js/host.ts";
import type { ControllerProcess, Seen } from "../controller-process.ts";
import { isAdoptable, isReleasable, isSelected, isTerminal } from "../facts.ts";
import type { Ledger } from "../ledger.ts";
import { type Check, firstThatHolds, violate } from "./check.ts";
import type { Claim, Sent } from "./requests.ts";

/** Claims of one Job by one controller. */
class Claims {
  /** UIDs of the pods whose patches are not answered. */
  readonly underWay = new Set<string>();
  /**
   * The Job was read and found alive, and nothing was sent for it since but adoptions that were decided at one moment;
   * −1: none was sent.
   */
  isRead = false;
  adoptedAtMs = -1;
  adoptedAt = 0;
  failedAtMs = -1;
  /** UIDs of the pods whose claims failed then, but for those that another Job is about to adopt since. */
  readonly failed = new Set<string>();

  fail(podUid: string, atMs: number): void {
    if (this.failedAtMs !== atMs) this.failed.clear();
    this.failedAtMs = atMs;
    this.failed.add(podUid);
  }
}

export class Claiming implements Check {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #claims = new Map<string, Claims>();

  constructor(ledger: Ledger, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  sent(process: ControllerProcess, sent: Sent): void {
    if (sent.kind === "adopt" || sent.kind === "release") this.#checkClaim(process, sent);
    else if (sent.kind === "strip" || sent.kind === "delete") this.#checkOwn(process, sent);
    else if (sent.kind === "read job")
      this.#beginAdopting(process, this.#ledger.jobNamed(sent.namespace, sent.job)?.uid ?? "");
    else if (sent.kind === "create") this.#checkTime(process, sent.jobUid, "a pod is created");
    else if (sent.kind === "status") this.#checkTime(process, sent.uid, "the status is written");
  }

  answered(process: ControllerProcess, sent: Sent, response: ApiResponse): void {
    const isFound = response.status >= 200 && response.status < 300;
    if (sent.kind === "read job" && isFound) {
      const { metadata } = JSON.parse(String(response.body)) as {
        metadata: { uid: string; deletionTimestamp?: string };
      };
      Object.assign(this.#claimsOf(process, metadata.uid), {
        isRead: metadata.deletionTimestamp === undefined,
        adoptedAtMs: -1,
      });
    } else if (sent.kind === "adopt" || sent.kind === "release") {
      const claims = this.#claimsOf(process, sent.jobUid);
      claims.underWay.delete(sent.podUid);
      // What was not answered may be known to have worked.
      const [pod, job] = [process.view.pods.get(sent.podUid), process.view.jobs.get(sent.jobUid)];
      const isMissing = pod !== undefined && job !== undefined && (isAdoptable(pod, job) || isReleasable(pod, job));
      if (!isFound && isMissing && !(sent.kind === "release" && response.status === 422))
        claims.fail(sent.podUid, this.#clock.now());
    }
  }

  // A pod has one claim at a time. The Job whose own claim of it has failed may begin its next sync at that same
  // instant, and finds that another one is about to adopt the pod: it has nothing to claim then, and continues.
  #beginAdopting(process: ControllerProcess, jobUid: string): void {
    const adopter = this.#claimsOf(process, jobUid);
    adopter.isRead = false;
    const job = process.view.jobs.get(jobUid);
    if (job === undefined) return;
    for (const [key, claims] of this.#claims) {
      if (claims === adopter || !key.startsWith(`${process.name} `) || claims.failedAtMs !== this.#clock.now())
        continue;
      for (const podUid of claims.failed) {
        const pod = process.view.pods.get(podUid);
        if (pod !== undefined && isAdoptable(pod, job)) claims.failed.delete(podUid);
      }
    }
  }

  #claimsOf(process: ControllerProcess, jobUid: string): Claims {
    const key = `${process.name} ${jobUid}`;
    const claims = this.#claims.get(key) ?? new Claims();
    this.#claims.set(key, claims);
    return claims;
  }

  #checkClaim(process: ControllerProcess, claim: Claim): void {
    const { kind, pod: name, podUid, jobUid, finalizer } = claim;
    const text = `${process.name} must ${kind} pod ${name}`;
    if (finalizer !== process.role.finalizer)
      violate("others' pods are left alone", `${text} with the finalizer ${finalizer}`);
    firstThatHolds(process, (seen) => checkCause(claim, seen, text));
    for (const [key, { underWay }] of this.#claims) {
      if (key.startsWith(`${process.name} `) && underWay.has(podUid))
        violate("one claim of a pod at a time", `${text} while another claim of it is not answered`);
    }
    const claims = this.#claimsOf(process, jobUid);
    claims.underWay.add(podUid);
    if (kind === "release") return;
    // Those of one sync are sent at one instant, or as soon as there is room for them.
    const isLater =
      claims.adoptedAtMs >= 0 &&
      claims.adoptedAtMs !== this.#clock.now() &&
      !process.seen().some(({ moment }) => moment <= claims.adoptedAt);
    if (!claims.isRead || isLater)
      violate(
        "a Job is read before it adopts",
        `${text} for Job ${jobUid}, which was not read before that in this sync`,
      );
    if (claims.adoptedAtMs < 0) Object.assign(claims, { adoptedAtMs: this.#clock.now(), adoptedAt: process.moment });
  }

  // A sync that has claims continues when all of them have worked.
  #checkTime(process: ControllerProcess, jobUid: string, what: string): void {
    const claims = this.#claimsOf(process, jobUid);
    claims.isRead = false;
    if (claims.underWay.size > 0)
      violate(
        "nothing follows a failed claim",
        `${what} by ${process.name} for Job ${jobUid} while ${claims.underWay.size} claims are not answered`,
      );
    if (claims.failedAtMs === this.#clock.now() && claims.failed.size > 0)
      violate(
        "nothing follows a failed claim",
        `${what} by ${process.name} for Job ${jobUid} in the sync in which a claim has failed`,
      );
  }

  // As stored: no client gives a pod to another owner during the run.
  #checkOwn(process: ControllerProcess, sent: Extract<Sent, { kind: "strip" | "delete" }>): void {
    const pod = this.#ledger.podNamed(sent.namespace, sent.pod);
    if (pod === undefined) return;
    const text = `${process.name} sends a ${sent.kind} for pod ${sent.pod}`;
    // A pod that is being deleted, of a Job that was not shown yet, is an orphan (controller.md 2.4).
    const { jobUid, isDeleting } = pod.facts;
    if (jobUid !== undefined && isDeleting && !process.view.jobs.has(jobUid)) return;
    if (!pod.isGone && this.#ledger.isOthers(pod.facts))
      violate("others' pods are left alone", `${text}, which another controller has`);
    if (sent.kind === "strip" && sent.finalizer !== process.role.finalizer)
      violate("others' pods are left alone", `${text} of the finalizer ${sent.finalizer}`);
  }
}

function checkCause({ kind, podUid, jobUid }: Claim, { view }: Seen, text: string): void {
  const pod =
    view.pods.get(podUid) ?? violate("claims have a cause", `${text}, which it does not know, or knows to be gone`);
  if (pod.isControlled && pod.jobUid !== jobUid)
    violate("others' pods are left alone", `${text}, which is controlled by ${pod.jobUid ?? "something else"}`);
  const job =
    view.jobs.get(jobUid) ??
    violate("claims have a cause", `${text} for Job ${jobUid}, which it does not know, or knows to be gone`);
  const isCause = kind === "adopt" ? isAdoptable(pod, job) : isReleasable(pod, job);
  if (!isCause)
    violate(
      "claims have a cause",
      `${text} for Job ${job.name}, which ${isSelected(job, pod) ? "selects" : "does not select"} it, and may not`,
    );
}

/** Pods that are not claimed as they must be, once everything had its time: as sentences. */
export function unclaimed({ jobs, pods }: Ledger): string[] {
  const live = [...jobs.values()].filter(({ isGone }) => !isGone).map(({ facts }) => facts);
  const problems: string[] = [];
  for (const { facts: pod, isGone } of pods.values()) {
    if (isGone) continue;
    for (const job of live) {
      if (isAdoptable(pod, job)) problems.push(`pod ${pod.name} has no controller, and Job ${job.name} selects it`);
      // No controller acts on a pod that has ended and is counted, so its reference stays.
      if (isReleasable(pod, job) && (pod.holdsFinalizer || !isTerminal(pod.phase)))
        problems.push(`pod ${pod.name} is that of Job ${job.name}, which does not select it`);
    }
    if (!pod.isControlled && pod.holdsFinalizer && !live.some((job) => isAdoptable(pod, job)))
      problems.push(`pod ${pod.name} has no controller, and keeps its finalizer`);
  }
  return problems;
}
