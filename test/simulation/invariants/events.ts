/**
 * An Event is written by one request at a time, and its count never goes back: a server may take two that are under way
 * together in any order. A write is sent again only where it is unknown whether it was taken, or the server asks for
 * that, and not for ever. Source: docs/spec/controller.md section 7.
 */
import type { ApiResponse } from "../../../bindings/js/host.ts";
import type { ControllerProcess } from "../controller-process.ts";
import { type Check, violate } from "./check.ts";
import type { EventWrite, Sent } from "./requests.ts";

/** client-go's limit. */
const MAX_TRIES = 12;
/**
 * Refusals for now, or in doubt: it is unknown what was done in a time that is over, and what is not there is created
 * again.
 */
const MAY_COME_AGAIN: ReadonlySet<number> = new Set([404, 408, 429]);

interface Written {
  readonly count: number;
  tries: number;
  isUnderWay: boolean;
  mayComeAgain: boolean;
}

export class Events implements Check {
  readonly #written = new WeakMap<ControllerProcess, Map<string, Written>>();

  sent(process: ControllerProcess, sent: Sent): void {
    if (sent.kind !== "event") return;
    const events = this.#of(process);
    const complain = (why: string): never =>
      violate(
        "an Event is written once at a time",
        `${process.name} writes Event ${sent.name} with count ${sent.count}, ${why}`,
      );
    const before = events.get(keyOf(sent));
    if (before?.isUnderWay) complain(`while its count ${before.count} is under way`);
    if (before !== undefined && sent.count < before.count) complain(`after count ${before.count}`);
    const isAgain = before?.count === sent.count;
    if (isAgain && !before.mayComeAgain) complain("which it knows to be taken, or refused");
    if (isAgain && before.tries === MAX_TRIES) complain(`for the ${MAX_TRIES + 1}th time`);
    events.set(keyOf(sent), {
      count: sent.count,
      tries: isAgain ? before.tries + 1 : 1,
      isUnderWay: true,
      mayComeAgain: false,
    });
  }

  answered(process: ControllerProcess, sent: Sent, { status }: ApiResponse): void {
    if (sent.kind !== "event") return;
    const written = this.#of(process).get(keyOf(sent));
    if (written === undefined) return;
    written.isUnderWay = false;
    const isTaken = status >= 200 && status < 300;
    const isRefused = status >= 400 && status < 500 && !MAY_COME_AGAIN.has(status);
    written.mayComeAgain = !isTaken && !isRefused;
  }

  #of(process: ControllerProcess): Map<string, Written> {
    const known = this.#written.get(process) ?? new Map<string, Written>();
    this.#written.set(process, known);
    return known;
  }
}

function keyOf({ namespace, name }: EventWrite): string {
  return `${namespace}/${name}`;
}
