/**
 * A set of strings in code-unit order: insertion and removal in about the square root of its size, iteration
 * from any key. Keys lie in blocks of bounded size; a block is split when it is full and dropped when it is
 * empty. Stored keys are ASCII, so this order is the byte order of the real store.
 */

const maxBlockKeys = 512;

export class SortedKeys {
  readonly #blocks: string[][] = [];

  add(key: string): void {
    if (this.#blocks.length === 0) this.#blocks.push([]);
    const index = this.#blockOf(key);
    const block = this.#blocks[index]!;
    const at = lowerBound(block, key);
    if (block[at] === key) return;
    block.splice(at, 0, key);
    if (block.length > maxBlockKeys) this.#blocks.splice(index + 1, 0, block.splice(maxBlockKeys / 2));
  }

  delete(key: string): void {
    if (this.#blocks.length === 0) return;
    const index = this.#blockOf(key);
    const block = this.#blocks[index]!;
    const at = lowerBound(block, key);
    if (block[at] !== key) return;
    block.splice(at, 1);
    if (block.length === 0) this.#blocks.splice(index, 1);
  }

  /** The keys that are not less than `from`, in order. The set must not change meanwhile. */
  *from(from: string): Generator<string> {
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
