/**
 * The limits that a run has drawn are kept: how many pods one sync creates and takes into the uncounted lists, and how
 * many requests are under way at once. Source: docs/spec/controller.md 3.6 and 4.3; EngineLoopOptions.maxInFlight.
 */
import type { ApiResponse } from "../../../bindings/js/host.ts";
import type { ControllerProcess } from "../controller-process.ts";
import { type Check, violate } from "./check.ts";
import type { Sent } from "./requests.ts";

/** Requests of one controller that are not answered. */
class UnderWay {
  all = 0;
  /** Creations, by Job. */
  readonly creations = new Map<string, number>();
}

export class Limits implements Check {
  readonly #underWay = new Map<ControllerProcess, UnderWay>();

  sent(process: ControllerProcess, sent: Sent): void {
    if (sent.kind === "list") return;
    const { maxInFlight, constants } = process.tuning;
    const all = this.#count(process, sent, 1);
    if (all > maxInFlight)
      violate("limits are kept", `${process.name} has ${all} requests under way; ${maxInFlight} are allowed`);
    if (sent.kind === "create") {
      const creations = this.#of(process).creations.get(sent.jobUid)!;
      if (creations > constants.maxPodsPerSync)
        violate(
          "limits are kept",
          `${process.name} creates ${creations} pods of Job ${sent.jobUid} at once; ${constants.maxPodsPerSync} are allowed`,
        );
    }
    if (sent.kind === "status") this.#checkLists(process, sent);
  }

  answered(process: ControllerProcess, sent: Sent, _response: ApiResponse): void {
    if (sent.kind !== "list") this.#count(process, sent, -1);
  }

  // Another client may have stored more.
  #checkLists(process: ControllerProcess, { uid, job, status }: Extract<Sent, { kind: "status" }>): void {
    const { maxUncountedPods } = process.tuning.constants;
    const lists = status["uncountedTerminatedPods"] as { succeeded?: string[]; failed?: string[] } | undefined;
    const known = process.view.jobs.get(uid);
    const stored = new Set([...(known?.uncountedSucceeded ?? []), ...(known?.uncountedFailed ?? [])]);
    const added = [...(lists?.succeeded ?? []), ...(lists?.failed ?? [])].filter(
      (podUid) => !stored.has(podUid),
    ).length;
    if (added > maxUncountedPods)
      violate(
        "limits are kept",
        `${process.name} takes ${added} pods of Job ${job} into the uncounted lists at once; ${maxUncountedPods} are allowed`,
      );
  }

  #count(process: ControllerProcess, sent: Sent, change: number): number {
    const underWay = this.#of(process);
    underWay.all += change;
    if (sent.kind === "create")
      underWay.creations.set(sent.jobUid, (underWay.creations.get(sent.jobUid) ?? 0) + change);
    return underWay.all;
  }

  #of(process: ControllerProcess): UnderWay {
    const underWay = this.#underWay.get(process) ?? new UnderWay();
    this.#underWay.set(process, underWay);
    return underWay;
  }
}
