/**
 * A controller works only when there is something to do: requests stay in proportion to what happened, and it neither
 * asks to be woken in the past nor spins at one instant. Source: docs/spec/controller.md section 6.
 */
import type { PollResult } from "../../../bindings/js/engine.ts";
import type { ApiResponse, Clock } from "../../../bindings/js/host.ts";
import type { ControllerProcess } from "../controller-process.ts";
import type { JobFacts, PodFacts } from "../facts.ts";
import type { Write } from "../ledger.ts";
import { type Check, violate } from "./check.ts";
import type { Sent } from "./requests.ts";

/** Polls at one instant that hand out nothing and ask for another at once. */
const MAX_IDLE_POLLS = 20;
/**
 * Patches and deletions of one pod beyond those that failed. A finished Job's pod may get a second patch (controller.md
 * 13.27).
 */
const MAX_REQUESTS_A_POD = 4;
/** Status writes of one Job that no event of it explains: the first, and the two of its end. */
const MAX_UNCAUSED_WRITES = 6;
/** Of a Job, for each version of it or of one of its pods that others wrote. */
const MAX_WRITES_AN_EVENT = 2;

export class Effort implements Check {
  readonly #clock: Clock;
  readonly #idle = new Map<ControllerProcess, { atMs: number; polls: number }>();
  readonly #podRequests = new Map<string, number>();
  /** Status writes that a Job has had, less those that its events allow. */
  readonly #writes = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  polled(process: ControllerProcess, { requests, nextWakeUpMs }: PollResult): void {
    const nowMs = this.#clock.now();
    const idle = this.#idle.get(process);
    if (idle?.atMs !== nowMs || requests.length > 0 || nextWakeUpMs > process.monotonicNowMs) {
      this.#idle.set(process, { atMs: nowMs, polls: 0 });
    } else if (++idle.polls > MAX_IDLE_POLLS) {
      violate(
        "no busy loop",
        `${process.name} was polled ${idle.polls} times at one instant, handed out nothing, and asks to be woken at ${nextWakeUpMs}, which is not later than now`,
      );
    }
  }

  sent(process: ControllerProcess, sent: Sent): void {
    if (sent.kind === "strip" || sent.kind === "delete") {
      const key = `${process.name} ${sent.namespace}/${sent.pod}`;
      const requests = (this.#podRequests.get(key) ?? 0) + 1;
      this.#podRequests.set(key, requests);
      if (requests > MAX_REQUESTS_A_POD)
        violate(
          "requests stay in proportion",
          `${process.name} sends the ${requests}th successful or first failing request for pod ${sent.pod}; ${MAX_REQUESTS_A_POD} are enough`,
        );
    } else if (sent.kind === "status") {
      this.#count(sent.uid, 1);
      if (this.#writes.get(sent.uid)! > MAX_UNCAUSED_WRITES)
        violate(
          "requests stay in proportion",
          `${process.name} writes the status of Job ${sent.job} again and again without anything having happened to it`,
        );
    }
  }

  answered(process: ControllerProcess, sent: Sent, response: ApiResponse): void {
    const isFailed = response.status < 200 || response.status >= 300;
    if (!isFailed) return;
    if (sent.kind === "strip" || sent.kind === "delete") {
      const key = `${process.name} ${sent.namespace}/${sent.pod}`;
      this.#podRequests.set(key, (this.#podRequests.get(key) ?? 0) - 1);
    } else if (sent.kind === "status") {
      this.#count(sent.uid, -1);
    }
  }

  podWritten({ actor, before, after }: Write<PodFacts>): void {
    if (before !== undefined && before.jobUid !== after.jobUid) this.#passedOn(before, after);
    if (!actor.startsWith("controller") && after.jobUid !== undefined) this.#count(after.jobUid, -MAX_WRITES_AN_EVENT);
    // A pod that a controller makes, strips or deletes changes what the status says of it.
    else if (after.jobUid !== undefined) this.#count(after.jobUid, -1);
  }

  jobWritten({ actor, after }: Write<JobFacts>): void {
    if (!actor.startsWith("controller")) this.#count(after.uid, -MAX_WRITES_AN_EVENT);
  }

  // The Job that lost or got the pod has something to write.
  #passedOn(before: PodFacts, after: PodFacts): void {
    if (before.jobUid !== undefined) this.#count(before.jobUid, -MAX_WRITES_AN_EVENT);
    if (after.jobUid !== undefined) this.#count(after.jobUid, -MAX_WRITES_AN_EVENT);
    for (const key of this.#podRequests.keys())
      if (key.endsWith(` ${after.namespace}/${after.name}`)) this.#podRequests.delete(key);
  }

  #count(jobUid: string, change: number): void {
    this.#writes.set(jobUid, (this.#writes.get(jobUid) ?? 0) + change);
  }
}
