/**
 * The time of the present call. The engine has no clock: every call brings `now` (monotonic milliseconds), and
 * wall time is `now` plus an offset that the host sets. Timers use now, API timestamps use wall time.
 */

/**
 * The last millisecond of the year 9999, and as much the other way: wall time that the API can write, with room for
 * every timer.
 */
export const MAX_TIME_MS: f64 = 253402300799999;

let current: f64 = 0;
let offset: f64 = 0;

/** `now` as the ABI wants it: a whole number of milliseconds, not negative and not beyond the year 9999. */
export function isTime(nowMs: f64): bool {
  return nowMs >= 0 && nowMs <= MAX_TIME_MS && Math.floor(nowMs) == nowMs;
}

/** Starts a call. A clock that steps back is held: time inside the engine never does. */
export function setNow(nowMs: f64): void {
  if (nowMs > current) current = nowMs;
}

/** After a look ahead with `setNow`. */
export function goBackTo(nowMs: f64): void {
  current = nowMs;
}

/** One that is no whole number, or beyond the year 9999, changes nothing. */
export function setOffset(offsetMs: f64): void {
  if (isTime(Math.abs(offsetMs))) offset = offsetMs;
}

export function now(): f64 {
  return current;
}

/** Between the years 1 and 9999, whatever the offset. */
export function wallNow(): f64 {
  return min(max(current + offset, MIN_WALL_MS), MAX_TIME_MS);
}

const MIN_WALL_MS: f64 = -62135596800000;

/** The moment on the clock of `now` at which the wall shows `wallMs`. */
export function fromWall(wallMs: f64): f64 {
  return wallMs - offset;
}

export function toWall(nowMs: f64): f64 {
  return nowMs + offset;
}
