/**
 * The back-off record the naive way: sorted lists and a loop that doubles.
 *
 * Written from docs/spec/controller.md 3.2; property tests compare the engine with it.
 */

export interface BackoffRecord {
  readonly failures: number;
  /** Undefined: none. */
  readonly lastFailureTimeMs: number | undefined;
}

/** The record after some more pods have finished; both lists are finish times in any order. */
export function newRecord(
  stored: BackoffRecord,
  succeededAt: readonly number[],
  failedAt: readonly number[],
): BackoffRecord {
  const ascending = (times: readonly number[]) => [...times].sort((a, b) => a - b);
  const succeeded = ascending(succeededAt);
  const failed = ascending(failedAt);
  if (succeeded.length === 0 && failed.length === 0) return stored;
  if (succeeded.length === 0) return { failures: stored.failures + failed.length, lastFailureTimeMs: failed.at(-1) };
  let failures = 0;
  for (const time of failed.reverse()) {
    if (time <= succeeded.at(-1)!) break;
    failures++;
  }
  return { failures, lastFailureTimeMs: failures === 0 ? undefined : failed[0] };
}

/** How long the next pod still has to wait. */
export function remainingBackoffMs(record: BackoffRecord, nowMs: number, baseMs: number, capMs: number): number {
  if (record.failures === 0) return 0;
  let delayMs = baseMs;
  for (let i = 1; i < record.failures; i++) {
    delayMs *= 2;
    if (delayMs >= capMs) {
      delayMs = capMs;
      break;
    }
  }
  const elapsedMs = nowMs - record.lastFailureTimeMs!;
  return delayMs < elapsedMs ? 0 : delayMs - elapsedMs;
}
