/**
 * A shard: the part of all namespaces that one of several controllers lists, watches and writes to.
 *
 * An API server with sharded lists and watches selects objects by a hash of their UID or of their namespace. The UID of
 * a pod is not that of its Job, so only by the namespace do both come to the same controller.
 *
 * Invariant: of the shards with one count, each namespace is in exactly one. Sources: KEP-5866; apimachinery
 * pkg/sharding.
 */
import type { Kind } from "../settings/kinds.ts";

/** One of `count`, from 0. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

const MIN_COUNT = 2;
const MAX_COUNT = 256;
const FIELD = "object.metadata.namespace";
/** All hashes are less. */
const HASHES = 1n << 64n;
const HASH_DIGITS = 16;
/** FNV-1a of 64 bits. */
const OFFSET_BASIS = 0xcbf2_9ce4_8422_2325n;
const PRIME = 0x100_0000_01b3n;

export const optionalShard: Kind<Shard | undefined> = {
  placeholder: "shard",
  parse: (value) => {
    const [, index, count] = (/^(0|[1-9]\d{0,2})\/([1-9]\d{0,2})$/.exec(value) ?? []).map(Number);
    if (index === undefined || count === undefined || count < MIN_COUNT || count > MAX_COUNT || index >= count)
      throw new Error(
        `a number from 0, a slash, and a larger number from ${MIN_COUNT} to ${MAX_COUNT}, such as 0/2 and 1/2 for two shards`,
      );
    return { index, count };
  },
  show: (shard) => (shard === undefined ? "" : `${shard.index}/${shard.count}`),
};

/** As a part of a sentence. */
export function shardText({ index, count }: Shard): string {
  return `shard ${index} of ${count}`;
}

/** The shardSelector of its lists and watches, in the form in which a server repeats it. */
export function shardSelectorOf(shard: Shard): string {
  const { start, end } = rangeOf(shard);
  return `shardRange(${FIELD}, '${hex(start)}', '${hex(end)}')`;
}

export function isInShard(shard: Shard, namespace: string): boolean {
  const { start, end } = rangeOf(shard);
  const hash = hashOf(namespace);
  return start <= hash && hash < end;
}

/** Hashes from `start` to below `end`. The last shard has the rest of the division. */
function rangeOf({ index, count }: Shard): { readonly start: bigint; readonly end: bigint } {
  const length = HASHES / BigInt(count);
  const start = length * BigInt(index);
  return { start, end: index === count - 1 ? HASHES : start + length };
}

function hashOf(text: string): bigint {
  let hash = OFFSET_BASIS;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash;
}

function hex(value: bigint): string {
  return `0x${value.toString(16).padStart(HASH_DIGITS, "0")}`;
}
