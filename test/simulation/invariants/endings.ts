/**
 * How a Job ends: an interim condition that has a cause, then the terminal one, once every pod has ended and is
 * counted, and nothing after that. Source: docs/spec/controller.md 3.3, 3.9, 4.5 and section 8.
 */
import type { ApiResponse } from "../../../bindings/js/host.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import type { ControllerProcess } from "../controller-process.ts";
import { judge, metRule } from "../../naive/policies.ts";
import {
  completedIndexes,
  isActive,
  isFailed,
  isFinished,
  isInRange,
  isTerminating,
  isTrue,
  type JobFacts,
  type PodFacts,
  storedFailedIndexes,
} from "../facts.ts";
import type { Ledger, PodRecord, Write } from "../ledger.ts";
import { type Check, violate } from "./check.ts";
import { isPastDeadline } from "./expected.ts";
import type { Sent } from "./requests.ts";

const INTERIM = { Complete: "SuccessCriteriaMet", Failed: "FailureTarget" } as const;

export interface EndingsOptions {
  readonly ledger: Ledger;
  /** The controller of that name. */
  readonly processNamed: (name: string) => ControllerProcess | undefined;
}

export class Endings implements Check {
  readonly #options: EndingsOptions;

  constructor(options: EndingsOptions) {
    this.#options = options;
  }

  jobWritten({ type, before, after, actor }: Write<JobFacts>): void {
    if (type === "DELETED" || before === undefined) return;
    // When it is over anybody may remove it.
    if (after.isForeign && actor.startsWith("controller") && !(isFinished(before) && after.isDeleting))
      violate("others' Jobs are left alone", `${actor} wrote to Job ${after.name}, which another controller manages`);
    if (!actor.startsWith("controller")) return;
    for (const interim of ["SuccessCriteriaMet", "FailureTarget"])
      if (isTrue(after, interim) && !isTrue(before, interim)) this.#checkCause(interim, after, actor);
    this.#checkSuspended(before, after);
    for (const terminal of ["Complete", "Failed"] as const)
      if (isTrue(after, terminal) && !isTrue(before, terminal)) this.#checkEnd(terminal, before, after);
  }

  sent(process: ControllerProcess, sent: Sent): void {
    if (sent.kind !== "status") return;
    const known =
      process.view.jobs.get(sent.uid) ??
      violate(
        "finished Jobs are left alone",
        `${process.name} writes the status of Job ${sent.job}, which it does not know, or knows to be gone`,
      );
    if (isFinished(known))
      violate(
        "finished Jobs are left alone",
        `${process.name} writes the status of Job ${known.name}, which is finished`,
      );
    if (!isFinished({ conditions: conditionsOf(sent.status) })) return;
    for (const pod of process.view.podsOf(sent.uid)) {
      if (isActive(pod) || isTerminating(pod))
        violate(
          "a terminal condition comes last",
          `Job ${known.name} is to be finished while pod ${pod.name} is ${pod.phase}, as ${process.name} was shown`,
        );
    }
  }

  handled(process: ControllerProcess, sent: Sent, response: ApiResponse): void {
    if (response.status < 400 || [404, 409, 410, 429].includes(response.status)) return;
    if (response.status === 403 && String(response.body).includes("NamespaceTerminating")) return;
    // The pod was deleted meanwhile, and gets no finalizer any more.
    if (
      sent.kind === "adopt" &&
      response.status === 422 &&
      String(response.body).includes("no new finalizers can be added")
    )
      return;
    // Another Job has adopted it, and the answer was lost, or another controller had it: a controller that knew, or did
    // not wait, breaks a rule of claims.ts.
    if (
      sent.kind === "adopt" &&
      response.status === 422 &&
      String(response.body).includes("Only one reference can have Controller set to true")
    )
      return;
    // A Job of the same name is another Job: its UID in a patch is answered 422 (docs/spec/api.md V67).
    if (sent.kind === "status" && this.#options.ledger.jobNamed(sent.namespace, sent.job)?.uid !== sent.uid) return;
    violate(
      "no request is refused",
      `the API server answered a request of ${process.name} (${sent.kind}) with ${response.status}: ${String(response.body)}`,
    );
  }

  // S22.4: the write that sets the condition sets or clears the start time with it.
  #checkSuspended(before: JobFacts, after: JobFacts): void {
    const [was, is] = [before, after].map(
      ({ conditions }) => conditions.find(({ type }) => type === "Suspended")?.status,
    );
    if (is === was) return;
    if (is !== (after.isSuspended ? "True" : "False") || (after.startTimeMs === undefined) !== after.isSuspended) {
      violate(
        "the Suspended condition follows the spec",
        `Job ${after.name}, with suspend ${after.isSuspended}, got Suspended=${is} and the start time ${after.startTimeMs}`,
      );
    }
  }

  #checkEnd(terminal: "Complete" | "Failed", before: JobFacts, after: JobFacts): void {
    const invariant = "a terminal condition comes last";
    if (!isTrue(before, INTERIM[terminal]))
      violate(invariant, `Job ${after.name} became ${terminal} before ${INTERIM[terminal]} was stored`);
    if (after.uncountedSucceeded.length + after.uncountedFailed.length > 0)
      violate(invariant, `Job ${after.name} became ${terminal} with uncounted pods`);
    if (after.active + after.ready + after.terminating > 0)
      violate(
        invariant,
        `Job ${after.name} became ${terminal} with active ${after.active}, ready ${after.ready}, terminating ${after.terminating}`,
      );
  }

  #checkCause(interim: string, job: JobFacts, actor: string): void {
    const { reason, message } = job.conditions.find(({ type }) => type === interim)!;
    if (!this.#hasCause(reason, message, job, actor))
      violate(
        "the end has a cause",
        `Job ${job.name} got ${interim} with reason "${reason}" and message "${message}", which is not so`,
      );
  }

  // Judged by everything that ever was: a controller may know less, and never more. A pod that was adopted twice counts
  // twice.
  #hasCause(reason: string, message: string, job: JobFacts, actor: string): boolean {
    const pods = this.#options.ledger.podsOf(job.uid);
    switch (reason) {
      case "BackoffLimitExceeded":
        return (
          inAll(
            job.failed,
            job.uncountedFailed,
            pods.filter(({ hasFailed }) => hasFailed),
          ) > job.backoffLimit ||
          (job.isOnFailure && pods.reduce((sum, { facts }) => sum + facts.restarts, 0) >= Math.max(1, job.backoffLimit))
        );
      case "DeadlineExceeded":
        return isPastDeadline(job, this.#options.processNamed(actor)?.highestWallMs ?? -Infinity);
      case "PodFailurePolicy":
        return pods.some(({ versions }) =>
          versions.some((pod) => isFailed(pod, job) && policyMessage(pod, job) === message),
        );
      case "MaxFailedIndexesExceeded":
        return storedFailedIndexes(job).size > (job.maxFailedIndexes ?? Infinity);
      case "FailedIndexes":
        return (
          storedFailedIndexes(job).size > 0 &&
          storedFailedIndexes(job).size + completedIndexes(job).size >= (job.completions ?? 0)
        );
      case "SuccessPolicy":
        // Others may hold as well by now.
        return job.successRules.some(
          (rule, i) =>
            message === `Matched rules at index ${i}` &&
            metRule([rule], completedIndexes(job), job.completions ?? 0) === 0,
        );
      case "CompletionsReached":
        return this.#succeeded(job) >= (job.completions ?? 1);
      default:
        return false;
    }
  }

  #succeeded(job: JobFacts): number {
    const succeeded = this.#options.ledger.podsOf(job.uid).filter(({ hasSucceeded }) => hasSucceeded);
    // Whatever others have written is added to what was, and what is not counted yet comes on top.
    if (this.#options.ledger.jobs.get(job.uid)!.isMeddled)
      return Math.max(job.succeeded, completedIndexes(job).size) + job.uncountedSucceeded.length + succeeded.length;
    if (job.isIndexed)
      return new Set(
        succeeded.flatMap(({ versions }) =>
          versions
            .filter(({ phase, index }) => phase === "Succeeded" && isInRange(job, index))
            .map(({ index }) => index),
        ),
      ).size;
    return inAll(job.succeeded, job.uncountedSucceeded, succeeded);
  }
}

/**
 * At most: those in the counter, those in the uncounted list, and those that are in neither yet, for the list has a
 * limit.
 * @param ended all that ever were
 */
function inAll(counted: number, uncounted: readonly string[], ended: readonly PodRecord[]): number {
  const left = ended.filter(({ facts }) => facts.holdsFinalizer).map(({ facts }) => facts.uid);
  return Math.max(counted + new Set([...uncounted, ...left]).size, ended.length);
}

/** What FailureTarget says of a pod that a FailJob rule matches; undefined: none does. */
function policyMessage({ namespace, name, evidence }: PodFacts, { failureRules }: JobFacts): string | undefined {
  const { action, rule } = judge(failureRules, evidence);
  if (action !== "FailJob") return undefined;
  const { onExitCodes } = failureRules[rule]!;
  if (onExitCodes === undefined)
    return `Pod ${namespace}/${name} has condition DisruptionTarget matching FailJob rule at index ${rule}`;
  const container = evidence.containers.find(
    (status) => judge([failureRules[rule]!], { containers: [status], conditions: [] }).rule === 0,
  )!;
  return `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${container.state?.terminated?.exitCode} matching FailJob rule at index ${rule}`;
}

function conditionsOf(status: JsonObject): JobFacts["conditions"] {
  return (status["conditions"] ?? []) as unknown as JobFacts["conditions"];
}
