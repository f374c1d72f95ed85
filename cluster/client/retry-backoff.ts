/**
 * Growing delays between attempts at the same thing, with jitter: each delay is drawn between the current base and
 * twice that, and the base doubles up to a cap. The jitter keeps components that failed together from coming back
 * together.
 */
export interface RetryBackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** The delays of one retried action. */
export class RetryBackoff {
  readonly #options: RetryBackoffOptions;
  #baseMs: number;

  constructor(options: RetryBackoffOptions) {
    this.#options = options;
    this.#baseMs = options.initialMs;
  }

  /** The next delay in whole milliseconds. `atLeastMs`: the server's Retry-After. */
  nextMs(atLeastMs = 0): number {
    const delayMs = Math.min(this.#baseMs * (1 + this.#options.random()), this.#options.maxMs);
    this.#baseMs = Math.min(this.#baseMs * 2, this.#options.maxMs);
    return Math.max(Math.round(delayMs), atLeastMs);
  }

  /** After a success. */
  reset(): void {
    this.#baseMs = this.#options.initialMs;
  }
}
