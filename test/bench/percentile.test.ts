/**
 * The nearest-rank percentile, by its definition: the smallest value that at least that share of all values does not
 * exceed.
 */
import { expect, it } from "vitest";
import { percentile } from "./percentile.ts";

it.each([
  [1, 0.99, 1],
  [2, 0.5, 1],
  [3, 0.5, 2],
  [20, 0.99, 20],
  [99, 0.99, 99],
  [100, 0.5, 50],
  [100, 0.99, 99],
  [100, 1, 100],
  [101, 0.99, 100],
  [1000, 0.99, 990],
])("the percentile of 1 to %i at %f is %i", (count, share, expected) => {
  const values = Array.from({ length: count }, (_, i) => count - i);
  expect(percentile(values, share)).toBe(expected);
  expect(values.filter((value) => value <= expected).length / count).toBeGreaterThanOrEqual(share);
});
