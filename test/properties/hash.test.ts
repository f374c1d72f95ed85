/**
 * What the engine's hash promises: equal bytes hash alike wherever they lie, and different bytes spread.
 */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { Leaves } from "./leaves.ts";
import { tries } from "../tries.ts";

let leaves: Leaves;
beforeAll(async () => {
  leaves = await Leaves.load();
});

test("the hash depends on the bytes, not on their address nor on what surrounds them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(15), fc.nat(255), (bytes, shift, around) => {
      const memory = new Uint8Array(leaves.exports.memory.buffer, leaves.input, 256).fill(around);
      memory.set(bytes, 8);
      memory.set(bytes, 100 + shift);
      const [one, other] = [8, 100 + shift].map((at) => leaves.exports.hashBytes(leaves.input + at, bytes.length));
      if (one !== other) expect(one).toBe(other);
    }),
    { numRuns: tries(50_000), seed: 20_260_205 },
  );
});

test("every bit counts, at every length", () => {
  for (let length = 1; length <= 40; length++) {
    const bytes = new Uint8Array(leaves.exports.memory.buffer, leaves.input, length).fill(0);
    const hashes = new Set([leaves.exports.hashBytes(leaves.input, length)]);
    for (let bit = 0; bit < length * 8; bit++) {
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      hashes.add(leaves.exports.hashBytes(leaves.input, length));
      bytes[bit >> 3]! ^= 1 << (bit & 7);
    }
    expect(hashes.size, `${length} bytes`).toBe(length * 8 + 1);
  }
});

test("names that differ in a counter fill a table evenly, by their low bits as well as by their high ones", () => {
  const buckets = 1 << 12;
  const low = new Uint32Array(buckets);
  const high = new Uint32Array(buckets);
  const names = 10 * buckets;
  for (let i = 0; i < names; i++) {
    const hash = leaves.exports.hashBytes(leaves.input, leaves.write(`default/indexed-job-${i}-x7k2p`)) >>> 0;
    low[hash % buckets]!++;
    high[Math.floor(hash / 2 ** 20)]!++;
  }
  // Ten a bucket on average; more than 35 in any of 4096 come up about once in a million tables.
  expect(Math.max(...low, ...high)).toBeLessThan(36);
});
