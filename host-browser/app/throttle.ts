/**
 * Throttles an action: the first request runs at once, later ones at most once in a period. The newest request counts,
 * and the last one always runs. For work that costs more than a frame should, while time runs.
 */
export class Throttle {
  readonly #periodMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void) | undefined;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  run(action: () => void): void {
    if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#next(), this.#periodMs);
      action();
    } else this.#waiting = action;
  }

  /** Runs the action when the period is over, and not at once. */
  runLater(action: () => void): void {
    this.#timer ??= setTimeout(() => this.#next(), this.#periodMs);
    this.#waiting = action;
  }

  /** Does it now, whatever was before. */
  runNow(action: () => void): void {
    this.#waiting = undefined;
    action();
  }

  /** Drops the waiting action; the next request is the first again. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = undefined;
  }

  #next(): void {
    this.#timer = undefined;
    const action = this.#waiting;
    this.#waiting = undefined;
    if (action !== undefined) this.run(action);
  }
}
