/**
 * The engine's back-off records against the naive twin, and the vectors of docs/spec/controller.md 14.2.
 */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as naive from "../naive/backoff.ts";
import { Leaves, type Pointer } from "./leaves.ts";
import { tries } from "../tries.ts";

interface FinishedPod {
  readonly succeeded: boolean;
  readonly finishTimeMs: number;
}

const runs = { numRuns: tries(50_000), seed: 20_260_202 };
const T = 1_770_000_000_000;
const none: naive.BackoffRecord = { failures: 0, lastFailureTimeMs: undefined };

let leaves: Leaves;
let update: Pointer;
let record: Pointer;
beforeAll(async () => {
  leaves = await Leaves.load();
  update = leaves.exports.allocate(64);
  record = leaves.exports.allocate(16);
});

describe("against the naive twin", () => {
  // Few different times, so that equal ones and both sides of "strictly after" come up.
  const time = fc.nat(12).map((ms) => T + ms);
  const stored = fc
    .tuple(fc.nat(9), time)
    .map(([failures, ms]) => (failures === 0 ? none : { failures, lastFailureTimeMs: ms }));

  test("a record follows finished pods, in whatever order they are fed", () => {
    // Up to 40 pods, so that the memory of failure times grows while it is in use.
    const pods = fc.array(fc.record({ succeeded: fc.boolean(), finishTimeMs: time }), { maxLength: 40 });
    const onlyFailed = fc.array(fc.record({ succeeded: fc.constant(false), finishTimeMs: time }), { maxLength: 40 });
    fc.assert(
      fc.property(stored, fc.oneof(pods, onlyFailed), (before, finished) => {
        const times = (succeeded: boolean) =>
          finished.filter((pod) => pod.succeeded === succeeded).map((pod) => pod.finishTimeMs);
        const expected = naive.newRecord(before, times(true), times(false));
        const actual = newRecord(before, finished);
        if (actual.failures !== expected.failures || actual.lastFailureTimeMs !== expected.lastFailureTimeMs) {
          expect(actual).toEqual(expected);
        }
      }),
      runs,
    );
  });

  test("the remaining delay", () => {
    const failures = fc.oneof(fc.nat(12), fc.nat(2 ** 31 - 1));
    const duration = fc.oneof(fc.nat(20), fc.nat(700_000));
    fc.assert(
      fc.property(
        failures,
        fc.integer({ min: -1000, max: 800_000 }),
        duration,
        duration,
        (count, elapsedMs, baseMs, capMs) => {
          // The twin doubles 2^31 times where there is nothing to double.
          fc.pre(baseMs > 0 || count < 100);
          const expected = naive.remainingBackoffMs(
            { failures: count, lastFailureTimeMs: T },
            T + elapsedMs,
            baseMs,
            capMs,
          );
          const actual = leaves.exports.remainingBackoffMs(count, T, T + elapsedMs, baseMs, capMs);
          if (actual !== expected) expect(actual).toBe(expected);
        },
      ),
      runs,
    );
  });
});

describe("vectors of controller.md 14.2", () => {
  const failed = (...offsetsMs: number[]) => offsetsMs.map((ms) => ({ succeeded: false, finishTimeMs: T + ms }));
  const succeeded = (...offsetsMs: number[]) => offsetsMs.map((ms) => ({ succeeded: true, finishTimeMs: T + ms }));

  test.each([
    ["none, failed at T", none, failed(0), { failures: 1, lastFailureTimeMs: T }],
    ["none, failed at T and T-1", none, failed(0, -1), { failures: 2, lastFailureTimeMs: T }],
    [
      "two stored, failed at T",
      { failures: 2, lastFailureTimeMs: T - 9 },
      failed(0),
      { failures: 3, lastFailureTimeMs: T },
    ],
    [
      "stored later than the new failure",
      { failures: 1, lastFailureTimeMs: T },
      failed(-5),
      { failures: 2, lastFailureTimeMs: T - 5 },
    ],
    ["a success after all failures", none, [...succeeded(0), ...failed(-2, -1)], none],
    [
      "a success among failures",
      none,
      [...succeeded(-2), ...failed(-4, -3, -1, 0)],
      { failures: 2, lastFailureTimeMs: T },
    ],
    ["a success at the time of the failure", none, [...failed(0), ...succeeded(0)], none],
    ["a success alone", { failures: 4, lastFailureTimeMs: T }, succeeded(1), none],
    ["no pod", { failures: 4, lastFailureTimeMs: T }, [], { failures: 4, lastFailureTimeMs: T }],
  ])("%s", (_name, stored, finished, expected) => {
    expect(newRecord(stored, finished)).toEqual(expected);
    expect(newRecord(stored, finished.toReversed())).toEqual(expected);
  });

  test.each([
    [1, 0, 5_000],
    [1, 1_000, 4_000],
    [1, 5_000, 0],
    [1, 6_000, 0],
    [3, 0, 20_000],
    [8, 0, 640_000],
    [9, 0, 700_000],
    [0, 0, 0],
  ])("%d failures, the last %d ms ago, base 5 s, cap 700 s: %d ms", (failures, elapsedMs, expected) => {
    expect(leaves.exports.remainingBackoffMs(failures, T, T + elapsedMs, 5_000, 700_000)).toBe(expected);
  });

  test("upstream's constants: 10, 20, 40, 80, 160, 320, 600, 600 seconds", () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) =>
      leaves.exports.remainingBackoffMs(failures, T, T, 10_000, 600_000),
    );
    expect(delays).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000]);
  });
});

function newRecord(stored: naive.BackoffRecord, pods: readonly FinishedPod[]): naive.BackoffRecord {
  const input = leaves.view(leaves.input, pods.length * 16);
  pods.forEach((pod, i) => {
    input.setFloat64(i * 16, pod.succeeded ? 1 : 0, true);
    input.setFloat64(i * 16 + 8, pod.finishTimeMs, true);
  });
  leaves.view(record, 16).setFloat64(0, stored.lastFailureTimeMs ?? 0, true);
  leaves.view(record, 16).setInt32(8, stored.failures, true);
  leaves.exports.backoffUpdate(update, leaves.input, pods.length, record);
  const result = leaves.view(record, 16);
  const failures = result.getInt32(8, true);
  return { failures, lastFailureTimeMs: failures === 0 ? undefined : result.getFloat64(0, true) };
}
