/**
 * How time passes in a test cluster. Virtual time moves from timer to timer, and waits for work outside of it: a
 * webhook call, the compilation of an engine. Real time is never moved.
 */
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import type { RealClock } from "../clock.ts";
import { ControlError } from "./control-error.ts";
import type { AutoAdvancingClock } from "./auto-advancing-clock.ts";

/** Instants before the rest of the process gets its turn. */
const INSTANTS_A_TURN = 100;
/** The polling interval in real time. */
const REAL_STEP_MS = 10;

/** Whether to stop at every instant, or to skip those at which only heartbeats are due. */
export type Pace = "every instant" | "brisk";

export interface Time {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs everything that is due now. */
  settle(): Promise<void>;
  /**
   * Goes to the next instant, and runs what is due then. Nothing may be due at the present one. @returns false: nothing
   * will happen until then
   */
  step(untilMs: number, pace: Pace): Promise<boolean>;
  /** @throws ControlError when time cannot be moved */
  advanceTo(ms: number): Promise<void>;
  stop(): void;
}

export class VirtualTime implements Time {
  readonly #clock: AutoAdvancingClock;
  readonly #isWaiting: () => boolean;
  readonly #check: () => void;

  /** @param isWaiting something is under way outside of virtual time @param check throws when the cluster is broken */
  constructor(clock: AutoAdvancingClock, isWaiting: () => boolean, check: () => void) {
    this.#clock = clock;
    this.#isWaiting = isWaiting;
    this.#check = check;
  }

  now(): number {
    return this.#clock.now();
  }

  async settle(): Promise<void> {
    do {
      this.#clock.runDue();
      this.#check();
      await turn();
    } while (this.#clock.isDue || this.#isWaiting());
  }

  async step(untilMs: number, pace: Pace): Promise<boolean> {
    if (pace === "brisk") this.#clock.leaveOutHeartbeats(untilMs);
    if (this.#clock.nextTimerAt() > untilMs) return false;
    this.#clock.advanceTo(this.#clock.nextTimerAt());
    await this.settle();
    return true;
  }

  async advanceTo(ms: number): Promise<void> {
    await this.settle();
    for (let instants = 1; ; instants++) {
      this.#clock.leaveOutHeartbeats(ms);
      if (this.#clock.nextTimerAt() > ms) break;
      this.#clock.advanceTo(this.#clock.nextTimerAt());
      if (instants % INSTANTS_A_TURN === 0 || this.#isWaiting()) await this.settle();
    }
    this.#clock.advanceTo(ms);
    await this.settle();
  }

  stop(): void {
    this.#clock.stop();
  }
}

export class RealTime implements Time {
  readonly #clock: RealClock;
  readonly #check: () => void;

  constructor(clock: RealClock, check: () => void) {
    this.#clock = clock;
    this.#check = check;
  }

  now(): number {
    return this.#clock.now();
  }

  async settle(): Promise<void> {
    await turn();
    this.#check();
  }

  async step(untilMs: number): Promise<boolean> {
    if (this.now() >= untilMs) return false;
    await pause(REAL_STEP_MS);
    this.#check();
    return true;
  }

  advanceTo(): Promise<void> {
    throw new ControlError(
      409,
      "this cluster runs on real time, which no call can advance; allowed is a cluster on a virtual clock (clock: virtual)",
    );
  }

  stop(): void {
    this.#clock.stop();
  }
}
