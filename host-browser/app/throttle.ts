/**
 * Something that is done at once at first, and then at most once in a period: the newest request counts, and the last
 * one is always done. For what costs more than a frame should, while time runs.
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

  /** Does it when the period is over, and not at once. */
  runLater(action: () => void): void {
    this.#timer ??= setTimeout(() => this.#next(), this.#periodMs);
    this.#waiting = action;
  }

  /** Does it now, whatever was before. */
  runNow(action: () => void): void {
    this.#waiting = undefined;
    action();
  }

  /** Forgets what waits; the next one is the first again. */
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
