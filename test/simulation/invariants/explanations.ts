/**
 * What an explanation says will happen, happens: a Job that the controller is about to look at is due, and at the time
 * that an explanation names the engine wakes. Looked at in calm, between two steps, when no answer is outstanding: then
 * nothing but a wake-up makes the engine do something. What it does then is the matter of the other rules.
 */
import type { Explanation, PollResult } from "../../../bindings/js/engine.ts";
import type { ControllerProcess } from "../controller-process.ts";
import { type Check, violate } from "./check.ts";

/** The status and the event of a moment are written a little later. */
const TOLERANCE_MS = 1_000;
/** Which say that the controller comes to the Job without being asked. */
const ANNOUNCING: ReadonlySet<string> = new Set(["Queued", "Backoff", "IndexBackoff", "Retry"]);

export class Explanations implements Check {
  /** When each engine wants to be woken, on its own clock. */
  readonly #wakeUps = new Map<ControllerProcess, number>();

  polled(process: ControllerProcess, { nextWakeUpMs }: PollResult): void {
    this.#wakeUps.set(process, nextWakeUpMs);
  }

  explained(process: ControllerProcess, explanation: Explanation): void {
    const { namespace, job, code = "", sentence, nextMs } = explanation;
    const claim = `${process.name} explains Job ${namespace}/${job} with "${sentence}"`;
    if (nextMs === null) {
      if (ANNOUNCING.has(code)) this.#violate(`${claim}, and the Job is not due at any time`);
      return;
    }
    const { wallNowMs, monotonicNowMs } = process;
    if (nextMs < wallNowMs - TOLERANCE_MS)
      this.#violate(`${claim}, next ${wallNowMs - nextMs} ms ago, and nothing has happened`);
    const wakeUpMs = (this.#wakeUps.get(process) ?? 0) - monotonicNowMs;
    if (wakeUpMs > Math.max(0, nextMs - wallNowMs) + TOLERANCE_MS)
      this.#violate(`${claim}, next in ${nextMs - wallNowMs} ms, and the engine wants to be woken in ${wakeUpMs} ms`);
  }

  #violate(message: string): never {
    violate("explanations come true", message);
  }
}
