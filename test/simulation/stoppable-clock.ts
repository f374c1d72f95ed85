/**
 * The clock of a process that can be stopped, as with SIGSTOP: time continues, but nothing of the process runs until it
 * is let continue. Then everything that has come due runs, in the order in which it did. Leaves out why it is stopped.
 */
import type { Clock, Timer } from "../../bindings/js/host.ts";

export class StoppableClock implements Clock {
  readonly #clock: Clock;
  #isStopped = false;
  #due: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
  }

  goOn(): void {
    this.#isStopped = false;
    const due = this.#due;
    this.#due = [];
    for (const callback of due) this.defer(callback);
  }

  now(): number {
    return this.#clock.now();
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    let isCancelled = false;
    const timer = this.#clock.setTimer(delayMs, () => this.#run(() => void (isCancelled || callback())));
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  defer(callback: () => void): void {
    this.#clock.defer(() => this.#run(callback));
  }

  #run(callback: () => void): void {
    if (this.#isStopped) this.#due.push(callback);
    else callback();
  }
}
