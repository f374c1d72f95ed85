/**
 * When a container that ended may start again (docs/spec/api.md 5.6): the first restart at once, then 10 s after the
 * last finish, doubling to 300 s. If a container ran for more than 600 s since its last start, the delays begin from
 * the start. Source: flowcontrol.Backoff (client-go) as kuberuntime's doBackOff uses it.
 */

export const CRASH_LOOP_INITIAL_MS = 10_000;
export const CRASH_LOOP_MAX_MS = 300_000;
/** Twice the maximum, as in flowcontrol.Backoff.hasExpired. */
export const CRASH_LOOP_RESET_MS = 2 * CRASH_LOOP_MAX_MS;

/** The delays of one container. */
export class CrashLoopBackoff {
  /** 0 until the first restart. */
  #delayMs = 0;
  #lastRestartMs = 0;

  /** How long after its finish the container must wait, in milliseconds; 0: it may start at once. */
  delayAfterMs(finishedAtMs: number): number {
    return this.#hasExpired(finishedAtMs) ? 0 : this.#delayMs;
  }

  /** Records that a container which finished at `finishedAtMs` is restarted now. */
  restarted(finishedAtMs: number, nowMs: number): void {
    this.#delayMs =
      this.#delayMs === 0 || this.#hasExpired(finishedAtMs)
        ? CRASH_LOOP_INITIAL_MS
        : Math.min(this.#delayMs * 2, CRASH_LOOP_MAX_MS);
    this.#lastRestartMs = nowMs;
  }

  #hasExpired(finishedAtMs: number): boolean {
    return finishedAtMs - this.#lastRestartMs > CRASH_LOOP_RESET_MS;
  }
}
