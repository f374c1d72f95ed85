/** A clock that counts its pending timers. At zero its user has nothing left to do. */
import type { Clock, Timer, TimerKind } from "../../bindings/js/host.ts";

export class CountingClock implements Clock {
  readonly #clock: Clock;
  #timers = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get hasTimers(): boolean {
    return this.#timers > 0;
  }

  now(): number {
    return this.#clock.now();
  }

  leftOutMs(): number {
    return this.#clock.leftOutMs?.() ?? 0;
  }

  defer(callback: () => void): void {
    this.#clock.defer(callback);
  }

  setTimer(delayMs: number, callback: () => void, kind?: TimerKind): Timer {
    let isLive = true;
    this.#timers++;
    const end = (): void => {
      if (isLive) this.#timers--;
      isLive = false;
    };
    const timer = this.#clock.setTimer(
      delayMs,
      () => {
        end();
        callback();
      },
      kind,
    );
    return {
      cancel: () => {
        end();
        timer.cancel();
      },
    };
  }
}
