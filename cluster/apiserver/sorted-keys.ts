/**
 * A set of strings in code-unit order: insertion and removal in about the square root of its size, iteration
 * from any key. Keys lie in blocks of bounded size; a block is split when it is full and dropped when it is
 * empty. New keys wait unsorted until somebody asks for the order: events come by the hundred thousand, and mostly
 * nobody lists them. Stored keys are ASCII, so this order is the byte order of the real store.
 */

const maxBlockKeys = 512;
/** With more new keys than this share of the sorted ones, all are sorted anew. */
const minNewShare = 1 / 16;

export class SortedKeys {
  #blocks: string[][] = [];
  #sorted = 0;
  #unsorted: string[] = [];

  add(key: string): void {
    this.#unsorted.push(key);
  }

  #sort(): void {
    const added = this.#unsorted;
    if (added.length === 0) return;
    this.#unsorted = [];
    if (added.length < this.#sorted * minNewShare) {
      for (const key of added) this.#insert(key);
      return;
    }
    const keys = [...new Set([...this.#blocks.flat(), ...added])].sort();
    this.#blocks = [];
    for (let at = 0; at < keys.length; at += maxBlockKeys / 2) this.#blocks.push(keys.slice(at, at + maxBlockKeys / 2));
    this.#sorted = keys.length;
  }

  #insert(key: string): void {
    if (this.#blocks.length === 0) this.#blocks.push([]);
    const index = this.#blockOf(key);
    const block = this.#blocks[index]!;
    const at = lowerBound(block, key);
    if (block[at] === key) return;
    block.splice(at, 0, key);
    this.#sorted++;
    if (block.length > maxBlockKeys) this.#blocks.splice(index + 1, 0, block.splice(maxBlockKeys / 2));
  }

  delete(key: string): void {
    this.#sort();
    if (this.#blocks.length === 0) return;
    const index = this.#blockOf(key);
    const block = this.#blocks[index]!;
    const at = lowerBound(block, key);
    if (block[at] !== key) return;
    block.splice(at, 1);
    this.#sorted--;
    if (block.length === 0) this.#blocks.splice(index, 1);
  }

  /** The keys that are not less than `from`, in order. The set must not change meanwhile. */
  *from(from: string): Generator<string> {
    this.#sort();
    if (this.#blocks.length === 0) return;
    let index = this.#blockOf(from);
    let at = lowerBound(this.#blocks[index]!, from);
    for (; index < this.#blocks.length; index++, at = 0) {
      const block = this.#blocks[index]!;
      for (; at < block.length; at++) yield block[at]!;
    }
  }

  /** How many keys are less than `key`. */
  rank(key: string): number {
    this.#sort();
    if (this.#blocks.length === 0) return 0;
    const index = this.#blockOf(key);
    let rank = lowerBound(this.#blocks[index]!, key);
    for (let before = 0; before < index; before++) rank += this.#blocks[before]!.length;
    return rank;
  }

  /** The index of the last block whose first key is not greater than `key`. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#blocks[middle]![0]! <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
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
