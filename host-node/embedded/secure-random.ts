/**
 * Random numbers for uids and names that cannot be guessed. A system call takes microseconds, and a pod needs many
 * numbers; so one call fetches bytes for a thousand of them.
 */
import { randomFillSync } from "node:crypto";

/** Numbers of one fetch. */
export const NUMBERS_A_FETCH = 1_024;
const NUMBER_BYTES = 6;

/** @returns a source of numbers in [0, 1) with 48 bits. @param fill fills a buffer with random bytes */
export function secureRandomNumbers(fill: (bytes: Buffer) => unknown = randomFillSync): () => number {
  const bytes = Buffer.alloc(NUMBERS_A_FETCH * NUMBER_BYTES);
  let next = bytes.length;
  return () => {
    if (next === bytes.length) {
      fill(bytes);
      next = 0;
    }
    const number = bytes.readUIntBE(next, NUMBER_BYTES) / 2 ** 48;
    next += NUMBER_BYTES;
    return number;
  };
}
