/**
 * The sums of the waits between tries, by upstream's constants (docs/spec/controller.md 3.2; the kubelet's:
 * docs/spec/api.md 5.6). Invariant: a sum takes constant time: the few growing waits are added one by one, and all
 * later ones are the longest wait.
 */
import {
  backoffMs,
  CONTAINER_BACKOFF_BASE_MS,
  CONTAINER_BACKOFF_MAX_MS,
  GROWN_BACKOFF_FAILURES,
  POD_BACKOFF_BASE_MS,
  POD_BACKOFF_MAX_MS,
} from "../model/backoff";

/** The wait after so many failures in a row, 1 or more. */
export function podWaitMs(failures: f64): f64 {
  return waitMs(failures, POD_BACKOFF_BASE_MS, POD_BACKOFF_MAX_MS);
}

/** The waits after `step`, 2 × `step`, … `waits` × `step` failures, together. */
export function podWaitsMs(waits: f64, step: f64 = 1): f64 {
  return waitsMs(waits, step, POD_BACKOFF_BASE_MS, POD_BACKOFF_MAX_MS);
}

/** The waits of the kubelet before the first `restarts` restarts of a container, together. The first comes at once. */
export function restartWaitsMs(restarts: f64): f64 {
  return waitsMs(restarts - 1, 1, CONTAINER_BACKOFF_BASE_MS, CONTAINER_BACKOFF_MAX_MS);
}

function waitMs(failures: f64, baseMs: f64, maxMs: f64): f64 {
  return backoffMs(i32(min(failures, f64(GROWN_BACKOFF_FAILURES))), baseMs, maxMs);
}

function waitsMs(waits: f64, step: f64, baseMs: f64, maxMs: f64): f64 {
  let sum: f64 = 0;
  let done: f64 = 0;
  for (; done < waits && done * step < f64(GROWN_BACKOFF_FAILURES); done++)
    sum += waitMs((done + 1) * step, baseMs, maxMs);
  return sum + max(0, waits - done) * maxMs;
}
