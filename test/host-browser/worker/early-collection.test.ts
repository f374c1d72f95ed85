/** When a run in the playground gives the browser a reason to collect garbage. */
import { expect, test } from "vitest";
import { earlyCollection } from "../../../host-browser/worker/early-collection.ts";

test("a long run gets a reason to collect now and then, a short one none", () => {
  let nowMs = 10_000;
  const sizes: number[] = [];
  const step = earlyCollection(
    () => nowMs,
    (bytes) => sizes.push(bytes),
  );
  for (; nowMs < 10_400; nowMs += 4) step();
  expect(sizes).toEqual([]);
  for (; nowMs < 12_000; nowMs += 4) step();
  expect(sizes).toEqual(Array(4).fill(128 * 1024 * 1024));
});

test("a pause needs none afterwards but the one", () => {
  let nowMs = 0;
  let count = 0;
  const step = earlyCollection(
    () => nowMs,
    () => count++,
  );
  nowMs = 3_600_000;
  step();
  step();
  expect(count).toBe(1);
});

test("where there is no room for it, the run goes on without", () => {
  let nowMs = 0;
  let tries = 0;
  const step = earlyCollection(
    () => nowMs,
    () => {
      tries++;
      throw new RangeError("Array buffer allocation failed");
    },
  );
  for (; nowMs < 5_000; nowMs += 100) step();
  expect(tries).toBe(1);
});
