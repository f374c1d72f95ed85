/**
 * The time of the present call. The engine has no clock: every call brings `now` (monotonic milliseconds), and
 * wall time is `now` plus an offset that the host sets. Timers use now, API timestamps use wall time.
 */

let current: f64 = 0;
let offset: f64 = 0;

/** Starts a call. A clock that steps back is held: time inside the engine never does. */
export function setNow(nowMs: f64): void {
  if (nowMs > current) current = nowMs;
}

/** After a look ahead with `setNow`. */
export function goBackTo(nowMs: f64): void {
  current = nowMs;
}

export function setOffset(offsetMs: f64): void {
  offset = offsetMs;
}

export function now(): f64 {
  return current;
}

export function wallNow(): f64 {
  return current + offset;
}

/** The moment on the clock of `now` at which the wall shows `wallMs`. */
export function fromWall(wallMs: f64): f64 {
  return wallMs - offset;
}

export function toWall(nowMs: f64): f64 {
  return nowMs + offset;
}
