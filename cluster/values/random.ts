/**
 * Seeded random numbers: the same seed gives the same run. Source of the generator: mulberry32 by Tommy Ettinger, in
 * the public domain.
 */
import { fnv1a } from "./fnv1a.ts";

/** @param seed an unsigned 32-bit integer @returns uniform numbers in [0, 1), one a call */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A separate random sequence for one thing, independent of other draws. @param key names the thing */
export function keyedRandom(seed: number, key: string): () => number {
  const hash = fnv1a(key, seed);
  return seededRandom(Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d));
}
