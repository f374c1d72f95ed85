/**
 * `stint why --watch`: asks again and again, and prints an answer when it says something else than the one before.
 *
 * Invariant: an answer that differs only in how long something lasts, or how often a Warning was repeated, is the same.
 * A server that cannot be reached for a while does not end it. Leaves out watches of the API server: they need the
 * right to watch, which nothing else here needs.
 */
import type { Clock, Timer } from "../../../bindings/js/host.ts";
import { UsageError } from "../../usage-error.ts";
import { printable } from "../../words/printable.ts";
import type { Console } from "../console.ts";
import { outputEndStatus } from "../exit-status.ts";
import { untilInterrupted } from "../until-interrupted.ts";
import type { Told } from "./told.ts";

const POLL_MS = 2_000;
/** While nothing changes, each pause is longer than the one before, up to this. */
const MAX_QUIET_MS = 10_000;
const MAX_PROBLEM_MS = 30_000;
const GROWTH = 1.25;
/** Members that count time or repetitions. */
const VOLATILE: ReadonlySet<string> = new Set(["remainingMs", "lastMs", "id"]);
const SPAN = /\b\d+ (?:ms|s|min|h)\b(?: \d+ (?:s|min)\b)?/g;

export interface Watching {
  readonly ask: () => Promise<Told>;
  /** @returns the exit status of a command that ends with this answer */
  readonly print: (told: Told) => number;
  readonly clock: Clock;
  readonly console: Console;
}

/** @returns the exit status of the last answer. @throws UsageError when the first question fails */
export async function watchAnswers({ ask, print, clock, console }: Watching): Promise<number> {
  const pause = new Pause(clock);
  console.onOutputClosed(() => pause.end());
  const run = async (): Promise<number> => {
    let told = await ask();
    let status = print(told);
    let delayMs = POLL_MS;
    let problem: string | undefined;
    while (told.lines !== undefined && !told.hasEnded && (await pause.take(delayMs))) {
      try {
        const next = await ask();
        problem = undefined;
        const isNew = essenceOf(next) !== essenceOf(told);
        told = next;
        if (isNew && !pause.isEnded) status = print(told);
        delayMs = isNew ? POLL_MS : Math.min(MAX_QUIET_MS, delayMs * GROWTH);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        if (problem !== error.message)
          console.writeError(`stint: ${printable(error.message.split("\n", 1)[0]!)} It is asked again.\n`);
        problem = error.message;
        delayMs = Math.min(MAX_PROBLEM_MS, delayMs * 2);
      }
    }
    return pause.isInterrupted || !pause.isEnded ? status : outputEndStatus(console);
  };
  return untilInterrupted({ run, stop: () => pause.interrupt() }, console);
}

/** What an answer says, without what changes while nothing happens. */
export function essenceOf({ json }: Pick<Told, "json">): string {
  return JSON.stringify(json, (key, value: unknown) => {
    if (VOLATILE.has(key)) return undefined;
    if (key === "events" && Array.isArray(value))
      return value.map(({ object, reason, message }) => `${object} ${reason}: ${message}`);
    return typeof value === "string" ? value.replace(SPAN, "") : value;
  });
}

/** Waits, until it is ended. */
class Pause {
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #wake: (() => void) | undefined;
  isEnded = false;
  isInterrupted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns whether to go on */
  async take(delayMs: number): Promise<boolean> {
    if (this.isEnded) return false;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#timer = this.#clock.setTimer(Math.round(delayMs), resolve);
    });
    return !this.isEnded;
  }

  interrupt(): void {
    this.isInterrupted = true;
    this.end();
  }

  end(): void {
    this.isEnded = true;
    this.#timer?.cancel();
    this.#wake?.();
  }
}
