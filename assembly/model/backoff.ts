/**
 * The backoff of pod re-creation (docs/spec/controller.md 3.2): how many failures in a row a Job has seen, when the
 * last one was, and how long the next pod has to wait.
 *
 * All times are milliseconds as f64 with an integer value. A record whose `failures` is 0 has no failure time, so
 * zeroed memory is the empty record. Leaves out where a pod's finish time comes from, and when a record is stored.
 */

/** Upstream's shortest and longest wait before a pod is created again. A controller may be configured otherwise. */
export const POD_BACKOFF_BASE_MS: f64 = 10000;
export const POD_BACKOFF_MAX_MS: f64 = 600000;
/** The kubelet's shortest and longest wait before it restarts a container (docs/spec/api.md 5.6). */
export const CONTAINER_BACKOFF_BASE_MS: f64 = 10000;
export const CONTAINER_BACKOFF_MAX_MS: f64 = 300000;
/** After this many failures in a row, neither wait grows. */
export const GROWN_BACKOFF_FAILURES: i32 = 7;
/** Times of the API server are whole seconds, so that a wait may be this much shorter. */
export const TRUNCATED_MS: f64 = 1000;

const FAILURE_TIMES_MIN: i32 = 16;
// 2^1023 is the largest power of two that an f64 holds; any base reaches any cap before that.
const DOUBLINGS_MAX: i32 = 1023;

/** The backoff record of one Job: 16 bytes that can be embedded in another record. */
@unmanaged
export class BackoffRecord {
  /** Finish time of the latest failure. It means nothing while `failures` is 0. */
  lastFailureTimeMs: f64;
  /** Failures since the latest success. */
  failures: i32;
}

/**
 * How long the next pod waits after `failures` failures in a row (1 or more). The wait is `baseMs`, doubled with each
 * further failure, and at most `capMs`. After the first failure it is `baseMs`, even if that is above the cap.
 */
export function backoffMs(failures: i32, baseMs: f64, capMs: f64): f64 {
  return failures > 1 ? min(baseMs * powerOfTwo(min(failures - 1, DOUBLINGS_MAX)), capMs) : baseMs;
}

/**
 * How long the next pod has to wait from now on: 0 or more milliseconds.
 *
 * The delay is that of `backoffMs`, counted from the last failure. If that time lies in the future, the wait is longer
 * than the delay by the difference. Source: job_controller backoff_utils.go getRemainingTimeForFailuresCount.
 */
export function remainingBackoffMs(failures: i32, lastFailureTimeMs: f64, nowMs: f64, baseMs: f64, capMs: f64): f64 {
  if (failures <= 0) return 0;
  return max(backoffMs(failures, baseMs, capMs) - (nowMs - lastFailureTimeMs), 0);
}

function powerOfTwo(exponent: i32): f64 {
  return reinterpret<f64>((<u64>(1023 + exponent)) << 52);
}

/**
 * Brings a record up to date with the pods that finished since it was stored.
 *
 * To use it, call `begin()`, then `succeeded` or `failed` once for each pod in any order, then `applyTo(record)`. A
 * failure is remembered only if it came after every success known so far. The memory for failures is kept between uses,
 * so nothing is allocated once it has grown: it has 8 bytes for each failure of the largest batch so far. Each call is
 * O(1), but `applyTo` is O(failures). Zeroed memory is a valid instance. Source: job_controller backoff_utils.go
 * newBackoffRecord.
 */
@unmanaged
export class BackoffUpdate {
  private latestSuccessMs: f64;
  private failureTimes: usize; // f64 each, in the order of arrival
  private failureTimesLength: i32;
  private failureTimesCapacity: i32;
  private anySuccess: bool;

  /** Resets the instance for a new batch of pods. */
  begin(): void {
    this.failureTimesLength = 0;
    this.anySuccess = false;
  }

  /** A pod succeeded. */
  succeeded(finishTimeMs: f64): void {
    if (!this.anySuccess || finishTimeMs > this.latestSuccessMs) this.latestSuccessMs = finishTimeMs;
    this.anySuccess = true;
  }

  /** A pod failed. A failure that an Ignore rule matches is a failure here, too. */
  failed(finishTimeMs: f64): void {
    if (this.anySuccess && finishTimeMs <= this.latestSuccessMs) return;
    if (this.failureTimesLength == this.failureTimesCapacity) this.grow();
    store<f64>(this.failureTimes + ((<usize>this.failureTimesLength) << 3), finishTimeMs);
    this.failureTimesLength++;
  }

  /**
   * Applies the pods of this use to the record. Without a success the failures add up, and the latest new one sets the
   * time, even if the stored one is later. A success starts over: then only failures strictly after the latest success
   * count.
   */
  applyTo(record: BackoffRecord): void {
    if (this.anySuccess) record.failures = 0;
    let counted = 0;
    let latestMs: f64 = 0;
    const end = this.failureTimes + ((<usize>this.failureTimesLength) << 3);
    for (let at = this.failureTimes; at < end; at += 8) {
      const finishTimeMs = load<f64>(at);
      if (this.anySuccess && finishTimeMs <= this.latestSuccessMs) continue;
      if (counted == 0 || finishTimeMs > latestMs) latestMs = finishTimeMs;
      counted++;
    }
    if (counted == 0) return;
    record.failures += counted;
    record.lastFailureTimeMs = latestMs;
  }

  /** Gives the memory back. The instance can be used again. */
  free(): void {
    if (this.failureTimes != 0) heap.free(this.failureTimes);
    this.failureTimes = 0;
    this.failureTimesLength = 0;
    this.failureTimesCapacity = 0;
  }

  private grow(): void {
    this.failureTimesCapacity = max(FAILURE_TIMES_MIN, this.failureTimesCapacity << 1);
    const bytes = (<usize>this.failureTimesCapacity) << 3;
    this.failureTimes = this.failureTimes == 0 ? heap.alloc(bytes) : heap.realloc(this.failureTimes, bytes);
  }
}
