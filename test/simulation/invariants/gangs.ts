/**
 * A new Job whose pods all run at once gets its Workload and its PodGroup before it gets a pod, one of each, and its
 * pods name that PodGroup. Leaves out Jobs that had begun before, which may go on without. Source:
 * docs/spec/controller.md section 11.
 */
import type { ControllerProcess } from "../controller-process.ts";
import type { JobFacts } from "../facts.ts";
import type { GangFacts, Ledger, Write } from "../ledger.ts";
import { type Check, violate } from "./check.ts";
import type { Sent } from "./requests.ts";

export class Gangs implements Check {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  gangWritten({ type, actor, after }: Write<GangFacts>): void {
    if (type !== "ADDED" || !actor.startsWith("controller")) return;
    const owner = this.#ledger.jobs.get(after.controllerUid ?? "")?.facts;
    if (owner === undefined || owner.isForeign)
      violate(
        "others' Jobs are left alone",
        `${actor} made ${after.resource} ${after.name} for a Job that is not its own`,
      );
    if (this.#of(after.resource, owner.uid).length > 1)
      violate("a Job has one gang", `${actor} made ${after.name}, one more of ${after.resource} of Job ${owner.name}`);
  }

  sent(process: ControllerProcess, sent: Sent): void {
    if (sent.kind !== "create" || !process.role.gangScheduling) return;
    const job = process.view.jobs.get(sent.jobUid);
    if (job === undefined) return;
    const text = `a pod of Job ${job.name} is created by ${process.name}`;
    const [podGroup] = this.#of("podgroups", job.uid);
    if (
      sent.podGroup !== undefined &&
      sent.podGroup !== podGroup?.name &&
      !this.#wasUnseen(process, job.uid, sent.podGroup)
    )
      violate(
        "pods are of their gang",
        `${text} with the PodGroup ${sent.podGroup}; that of the Job is ${podGroup?.name ?? "none"}`,
      );
    if (!isGang(job) || this.#isBlocked(process, job)) return;
    const isNew = isUntouched(job) && process.view.podsOf(job.uid).length === 0;
    if (isNew && !this.#hadOne(process, "workloads", job.uid))
      violate("gangs come before their pods", `${text} though it has no Workload`);
    if (isNew && !this.#hadOne(process, "podgroups", job.uid))
      violate("gangs come before their pods", `${text} though it has no PodGroup`);
    if (isNew && sent.podGroup === undefined) violate("pods are of their gang", `${text} without its PodGroup`);
  }

  // Or it went away unseen: a namespace that is deleted takes the gang with the Job, and the controller may not have
  // been shown that yet.
  #hadOne(process: ControllerProcess, resource: GangFacts["resource"], jobUid: string): boolean {
    return this.#of(resource, jobUid).length > 0 || this.#unseen(process, resource, jobUid).length > 0;
  }

  #wasUnseen(process: ControllerProcess, jobUid: string, podGroup: string): boolean {
    return this.#unseen(process, "podgroups", jobUid).some(({ name }) => name === podGroup);
  }

  // They are gone, and the controller was not shown that.
  #unseen({ view }: ControllerProcess, resource: GangFacts["resource"], jobUid: string): GangFacts[] {
    const gone = this.#ledger.goneGangs
      .filter(({ version }) => version > view.reached(resource))
      .map(({ facts }) => facts);
    return gone.filter((gang) => gang.resource === resource && gang.controllerUid === jobUid);
  }

  // That of a Job of the same name before is still there, as far as the controller was shown.
  #isBlocked({ view }: ControllerProcess, { namespace, name, uid }: JobFacts): boolean {
    const unseen = this.#ledger.goneGangs
      .filter(({ version }) => version > view.reached("workloads"))
      .map(({ facts }) => facts);
    return [...this.#ledger.gangs.values(), ...unseen].some(
      (gang) => gang.namespace === namespace && gang.jobName === name && gang.controllerUid !== uid,
    );
  }

  #of(resource: GangFacts["resource"], jobUid: string): GangFacts[] {
    return [...this.#ledger.gangs.values()].filter(
      (gang) => gang.resource === resource && gang.controllerUid === jobUid,
    );
  }
}

function isGang({ isIndexed, parallelism, completions }: JobFacts): boolean {
  return isIndexed && parallelism > 1 && completions === parallelism;
}

function isUntouched({ startTimeMs, succeeded, failed, conditions }: JobFacts): boolean {
  return startTimeMs === undefined && succeeded + failed === 0 && !conditions.some(({ type }) => type === "Suspended");
}
