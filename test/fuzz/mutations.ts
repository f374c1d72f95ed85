/**
 * Hostile bytes made of good ones: cut, overwritten, inserted, nested deeply, with huge numbers, as invalid UTF-8. The
 * fuzzer draws the mutations from its seed, the tests from fast-check.
 */
import type { Chance } from "../simulation/chance.ts";

/** Bytes that mean something to a reader of JSON or UTF-8. */
export const TELLING_BYTES: readonly number[] = [...Buffer.from('{}[]",:\\-0e.ntf\n'), 0xc0, 0xed, 0xff];

export const PIECES: readonly string[] = [
  "[".repeat(600),
  '{"a":'.repeat(600),
  "9".repeat(400),
  "-1",
  "1e308",
  "0.5",
  "null",
  '"\\ud800"',
  '"\\u0000"',
  "18446744073709551616",
  "2147483648",
  "9007199254740993",
  '"'.repeat(3),
  "\ufeff",
  '"uid":""',
  "x".repeat(70_000),
];

export const MUTATION_KINDS = ["cut", "overwrite", "insert", "piece", "number", "repeat"] as const;
const MAX_MUTATIONS = 4;
/** Long enough to hold a few members. */
const REPEATED_BYTES = 200;

export interface Mutation {
  /** The place, counted round the bytes as often as it takes. */
  readonly at: number;
  readonly kind: (typeof MUTATION_KINDS)[number];
  readonly byte: number;
  readonly piece: string;
}

export function drawMutations(chance: Chance): Mutation[] {
  return Array.from({ length: chance.integer(1, MAX_MUTATIONS) }, () => ({
    at: chance.integer(0, 2 ** 31),
    kind: chance.pick(MUTATION_KINDS),
    byte: chance.isHit(0.5) ? chance.integer(0, 255) : chance.pick(TELLING_BYTES),
    piece: chance.pick(PIECES),
  }));
}

export function mutated(text: string, mutations: readonly Mutation[]): Buffer {
  return mutations.reduce(mutate, Buffer.from(text));
}

function mutate(bytes: Buffer, { at, kind, byte, piece }: Mutation): Buffer {
  const place = at % (bytes.length + 1);
  const [head, tail] = [bytes.subarray(0, place), bytes.subarray(place)];
  switch (kind) {
    case "cut":
      return head;
    case "overwrite":
      return Buffer.concat([head, Buffer.from([byte]), tail.subarray(1)]);
    case "insert":
      return Buffer.concat([head, Buffer.from([byte]), tail]);
    case "piece":
      return Buffer.concat([head, Buffer.from(piece), tail]);
    case "repeat":
      return Buffer.concat([head, tail.subarray(0, REPEATED_BYTES), tail]);
    case "number": {
      // The next numbers and words, or their replacements, become the piece: the rest stays JSON.
      const changed = tail
        .subarray(0, REPEATED_BYTES)
        .toString("latin1")
        .replace(/:(-?\d+|true|false|"[^"]*")/g, `:${piece}`);
      return Buffer.concat([head, Buffer.from(changed, "latin1"), tail.subarray(REPEATED_BYTES)]);
    }
  }
}
