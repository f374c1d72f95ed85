/**
 * A finished Job with a time to live is removed when that is over and not before, in the foreground, and never another
 * one of the same name. That it is removed at all is looked at in the end. Source: docs/spec/controller.md section 10.
 */
import type { ControllerProcess } from "../controller-process.ts";
import { finishedAtMs } from "../facts.ts";
import type { Ledger } from "../ledger.ts";
import { type Check, violate } from "./check.ts";
import type { Sent } from "./requests.ts";

export class Removals implements Check {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  sent(process: ControllerProcess, sent: Sent): void {
    if (sent.kind !== "remove job") return;
    const { preconditions, propagationPolicy } = sent.options as {
      preconditions?: { uid?: string };
      propagationPolicy?: string;
    };
    const name = `Job ${sent.namespace}/${sent.job}`;
    const complain = (why: string): never =>
      violate("finished Jobs are removed in their time", `${process.name} removes ${name}, ${why}`);
    const job =
      this.#ledger.jobs.get(preconditions?.uid ?? "") ??
      complain(`with the precondition ${JSON.stringify(preconditions)}`);
    if (propagationPolicy !== "Foreground") complain(`with the policy ${propagationPolicy}`);
    const known = process.view.jobs.get(job.facts.uid) ?? complain("which it does not know, or knows to be gone");
    const finishedMs = finishedAtMs(known) ?? complain("which is not finished");
    if (known.ttlSeconds === undefined) complain("which has no time to live");
    const dueMs = finishedMs + known.ttlSeconds! * 1000;
    if (process.highestWallMs < dueMs) complain(`${dueMs - process.highestWallMs} ms before its time`);
  }
}
