/** Canonical quantities: docs/spec/api.md 5.1, and apimachinery's resource.Quantity. */
import { describe, expect, test } from "vitest";
import { canonicalQuantity, milliOf } from "../../../cluster/values/quantities.ts";

describe("canonicalQuantity", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["0.5", "500m"],
    ["1000m", "1"],
    ["1000", "1k"],
    ["1500", "1500"],
    ["1024Mi", "1Gi"],
    ["1.5Gi", "1536Mi"],
    ["512Ki", "512Ki"],
    ["0.5Ki", "512"],
    ["0", "0"],
    ["0Mi", "0"],
    ["1e3", "1e3"],
    ["1E", "1E"],
    ["100u", "1m"],
    ["1.0005", "1001m"],
    ["-1500m", "-1500m"],
    ["+5", "5"],
    [".5", "500m"],
    ["5.", "5"],
  ];
  for (const [given, canonical] of cases)
    test(`${given} is ${canonical}`, () => expect(canonicalQuantity(given)).toBe(canonical));

  for (const given of ["", "x", "1x", "1..2", "-", "Mi", "1 Gi"]) {
    test(`"${given}" is refused`, () =>
      expect(() => canonicalQuantity(given)).toThrow("quantities must match the regular expression"));
  }
});

test("milliOf compares quantities of different suffixes", () => {
  expect(milliOf("1")).toBe(milliOf("1000m"));
  expect(milliOf("1Gi")).toBe(milliOf("1073741824"));
});
