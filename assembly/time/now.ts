/**
 * The time of the current call. The engine has no clock: every call passes `now` (monotonic milliseconds), and wall
 * time is `now` plus an offset that the host sets. Timers use now; API timestamps use wall time.
 */

/**
 * The last millisecond of the year 9999, the last wall time that the API can write. It also bounds `now` and, in both
 * directions, the offset. Sums of these fit every timer.
 */
export const MAX_TIME_MS: f64 = 253402300799999;

let current: f64 = 0;
let offset: f64 = 0;

/**
 * Whether this is a `now` as the ABI wants it: a whole number of milliseconds, not negative and not beyond the year
 * 9999.
 */
export function isTime(nowMs: f64): bool {
  return nowMs >= 0 && nowMs <= MAX_TIME_MS && Math.floor(nowMs) == nowMs;
}

/** Begins a call at this time. If the host's clock steps back, the time inside the engine stays. */
export function setNow(nowMs: f64): void {
  if (nowMs > current) current = nowMs;
}

/** Goes back to this time, after a look ahead with `setNow`. */
export function goBackTo(nowMs: f64): void {
  current = nowMs;
}

/**
 * Sets the offset of wall time, in milliseconds. An offset that is no whole number, or is beyond MAX_TIME_MS in either
 * direction, changes nothing.
 */
export function setOffset(offsetMs: f64): void {
  if (isTime(Math.abs(offsetMs))) offset = offsetMs;
}

/** The time of the current call, in milliseconds on the monotonic clock of the host. */
export function now(): f64 {
  return current;
}

/** The wall time of the current call, in milliseconds. It stays between the years 1 and 9999, whatever the offset. */
export function wallNow(): f64 {
  return min(max(current + offset, MIN_WALL_MS), MAX_TIME_MS);
}

const MIN_WALL_MS: f64 = -62135596800000;

/** The moment on the clock of `now` at which wall time is `wallMs`. */
export function fromWall(wallMs: f64): f64 {
  return wallMs - offset;
}

/** The wall time at the moment `nowMs` on the clock of `now`. */
export function toWall(nowMs: f64): f64 {
  return nowMs + offset;
}
