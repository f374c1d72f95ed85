/** A clock that knows how many of its timers are still to come. Who uses it has nothing to do when there is none. */
import type { Clock, Timer } from "../../bindings/js/host.ts";

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

  defer(callback: () => void): void {
    this.#clock.defer(callback);
  }

  setTimer(delayMs: number, callback: () => void, isHousekeeping?: boolean): Timer {
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
      isHousekeeping,
    );
    return {
      cancel: () => {
        end();
        timer.cancel();
      },
    };
  }
}
