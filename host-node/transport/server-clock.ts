/**
 * The clock of an API server, as its answers tell it in their `Date` header. Whoever computes with times that the
 * server has written takes this clock as now: that of this machine may be days off, and a cluster for tests may have
 * a time of its own.
 *
 * Invariant: without an answer, or without a header that can be read, it is the clock of this machine.
 */
import type { ApiResponse, Clock } from "../../bindings/js/host.ts";

/**
 * The server tells its time in whole seconds, and an answer takes a while. A smaller difference does not prove that a
 * clock is wrong.
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

  /** Call with the headers of each answer, as soon as they are there. */
  answered({ date }: ApiResponse["headers"]): void {
    const offsetMs = Date.parse(String(date)) - this.#clock.now();
    if (!Number.isNaN(offsetMs)) this.#offsetMs = Math.abs(offsetMs) > MAX_SAME_TIME_MS ? offsetMs : 0;
  }
}
