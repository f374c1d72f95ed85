/**
 * The clock of an API server, from the `Date` header of its answers. Code that computes with times written by the
 * server uses this clock as now: that of this machine may be days off, and a test cluster may run on another time.
 *
 * Invariant: without an answer, or without a header that can be read, it is the clock of this machine.
 */
import type { ApiResponse, Clock } from "../../bindings/js/host.ts";

/**
 * The server's `Date` has whole seconds, and an answer takes a while. A smaller difference does not prove that a clock
 * is wrong.
 */
const MAX_SAME_TIME_MS = 5_000;

export class ServerClock {
  readonly #clock: Clock;
  /** The server's clock minus that of this machine, from its last answer. */
  #offsetMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  /** Call it with the headers of each answer, as soon as they have arrived. */
  answered({ date }: ApiResponse["headers"]): void {
    const offsetMs = Date.parse(String(date)) - this.#clock.now();
    if (!Number.isNaN(offsetMs)) this.#offsetMs = Math.abs(offsetMs) > MAX_SAME_TIME_MS ? offsetMs : 0;
  }
}
