/**
 * A new Job gets its Workload and its PodGroup before it gets a pod, one of each, and its pods name that PodGroup. If
 * they are a gang, its size follows the Job. Leaves out Jobs that had begun before, which may continue without. Source:
 * docs/spec/controller.md section 11.
 */
import type { Explanation } from "../../../bindings/js/engine.ts";
import type { ControllerProcess } from "../controller-process.ts";
import type { JobFacts } from "../facts.ts";
import type { GangFacts, Ledger, Write } from "../ledger.ts";
import { type Check, firstThatHolds, violate } from "./check.ts";
import type { Sent } from "./requests.ts";

/** What an explanation says of a Job for which nothing is due. */
const SETTLED: ReadonlySet<string> = new Set(["WaitingForPods", "Suspended", "PodsStuck", "WaitingToReplace"]);

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
    if (sent.kind === "resize gang") this.#checkSize(process, sent);
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
    const isNew = isUntouched(job) && process.view.podsOf(job.uid).length === 0;
    if (isNew && !this.#hadOne(process, "workloads", job.uid))
      violate("gangs come before their pods", `${text} though it has no Workload`);
    if (isNew && !this.#hadOne(process, "podgroups", job.uid))
      violate("gangs come before their pods", `${text} though it has no PodGroup`);
    if (isNew && sent.podGroup === undefined) violate("pods are of their gang", `${text} without its PodGroup`);
  }

  /** In calm: what is settled for a Job is settled for its gang. */
  explained(process: ControllerProcess, { code = "", namespace, job: name }: Explanation): void {
    if (!process.role.gangScheduling || !SETTLED.has(code)) return;
    const job = this.#ledger.jobNamed(namespace, name);
    if (job?.gangSize === undefined || process.view.jobs.get(job.uid)?.version !== job.version) return;
    for (const gang of [...this.#of("workloads", job.uid), ...this.#of("podgroups", job.uid)])
      if (gang.minCount !== undefined && gang.minCount !== job.gangSize)
        violate(
          "gangs are as large as their Jobs ask for",
          `${gang.resource} ${gang.name} has minCount ${gang.minCount}, and ${process.name} leaves it so; Job ${name} asks for ${job.gangSize}`,
        );
  }

  #checkSize(
    process: ControllerProcess,
    { resource, namespace, name, minCount }: Sent & { kind: "resize gang" },
  ): void {
    const known = [...this.#ledger.gangs.values(), ...this.#ledger.goneGangs.map(({ facts }) => facts)];
    const gang = known.find((one) => one.resource === resource && one.namespace === namespace && one.name === name);
    const size = firstThatHolds(process, ({ view }) => view.jobs.get(gang?.controllerUid ?? "")?.gangSize);
    if (size !== minCount)
      violate(
        "gangs are as large as their Jobs ask for",
        `${process.name} gives ${resource} ${name} the minCount ${minCount}; its Job asks for ${size ?? "none"}`,
      );
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

  #of(resource: GangFacts["resource"], jobUid: string): GangFacts[] {
    return [...this.#ledger.gangs.values()].filter(
      (gang) => gang.resource === resource && gang.controllerUid === jobUid,
    );
  }
}

function isUntouched({ startTimeMs, succeeded, failed, conditions }: JobFacts): boolean {
  return startTimeMs === undefined && succeeded + failed === 0 && !conditions.some(({ type }) => type === "Suspended");
}
