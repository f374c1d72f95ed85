/**
 * The order of a set of strings, by code units: insertion and removal in about the square root of its size, iteration
 * from any key. Keys lie in blocks of bounded size; a block is split when it is full and dropped when it is empty.
 * Stored keys are ASCII, so this order is the byte order of the real store.
 *
 * The order is built on first use, and dropped after many changes: events come by the hundred thousand, and clients
 * rarely list them.
 */

const maxBlockKeys = 512;
/** With more changes than this share of the keys, the next read sorts all keys again. */
const maxChangedShare = 1 / 16;

export class SortedKeys {
  readonly #all: () => Iterable<string>;
  /** Undefined: there is no order. */
  #blocks: string[][] | undefined;
  #count = 0;
  #changes = 0;

  /** @param all returns the keys of the set on each call */
  constructor(all: () => Iterable<string>) {
    this.#all = all;
  }

  /** The key is in the set now. */
  added(key: string): void {
    const blocks = this.#changed();
    if (blocks !== undefined) this.#insert(blocks, key);
  }

  /** The key is not in the set any more. */
  removed(key: string): void {
    const blocks = this.#changed();
    if (blocks === undefined) return;
    const index = blockOf(blocks, key);
    const block = blocks[index]!;
    const at = lowerBound(block, key);
    if (block[at] !== key) return;
    block.splice(at, 1);
    this.#count--;
    if (block.length === 0) blocks.splice(index, 1);
  }

  /** The order, if it is worth keeping. */
  #changed(): string[][] | undefined {
    if (++this.#changes > this.#count * maxChangedShare) this.#blocks = undefined;
    return this.#blocks;
  }

  #sorted(): readonly string[][] {
    this.#changes = 0;
    if (this.#blocks !== undefined) return this.#blocks;
    const keys = [...this.#all()].sort();
    this.#count = keys.length;
    this.#blocks = [];
    for (let at = 0; at < keys.length; at += maxBlockKeys / 2) this.#blocks.push(keys.slice(at, at + maxBlockKeys / 2));
    return this.#blocks;
  }

  #insert(blocks: string[][], key: string): void {
    const index = blockOf(blocks, key);
    const block = blocks[index]!;
    const at = lowerBound(block, key);
    if (block[at] === key) return;
    block.splice(at, 0, key);
    this.#count++;
    if (block.length > maxBlockKeys) blocks.splice(index + 1, 0, block.splice(maxBlockKeys / 2));
  }

  /** The keys that are not less than `from`, in order. The set must not change meanwhile. */
  *from(from: string): Generator<string> {
    const blocks = this.#sorted();
    if (blocks.length === 0) return;
    let index = blockOf(blocks, from);
    let at = lowerBound(blocks[index]!, from);
    for (; index < blocks.length; index++, at = 0) {
      const block = blocks[index]!;
      for (; at < block.length; at++) yield block[at]!;
    }
  }

  /** How many keys are less than `key`. */
  rank(key: string): number {
    const blocks = this.#sorted();
    if (blocks.length === 0) return 0;
    const index = blockOf(blocks, key);
    let rank = lowerBound(blocks[index]!, key);
    for (let before = 0; before < index; before++) rank += blocks[before]!.length;
    return rank;
  }
}

/** The index of the last block whose first key is not greater than `key`. */
function blockOf(blocks: readonly string[][], key: string): number {
  let low = 0;
  let high = blocks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (blocks[middle]![0]! <= key) low = middle;
    else high = middle - 1;
  }
  return low;
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
