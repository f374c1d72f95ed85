/**
 * Columns of numbers that grow: typed arrays with room to spare, which double when they are full.
 *
 * Invariant: entries below `length` are never moved to another index. Leaves out removal.
 */

type Numbers = Int32Array | Float64Array | Uint8Array | Uint32Array;

const FIRST_CAPACITY = 64;

export class Column<T extends Numbers> {
  /** Has more entries than `length`; read it anew after each append. */
  data: T;
  length = 0;
  readonly #make: (capacity: number) => T;

  private constructor(make: (capacity: number) => T) {
    this.#make = make;
    this.data = make(FIRST_CAPACITY);
  }

  static ints(): Column<Int32Array> {
    return new Column((capacity) => new Int32Array(capacity));
  }

  static floats(): Column<Float64Array> {
    return new Column((capacity) => new Float64Array(capacity));
  }

  static bytes(): Column<Uint8Array> {
    return new Column((capacity) => new Uint8Array(capacity));
  }

  push(value: number): void {
    this.#reserve(this.length + 1);
    this.data[this.length++] = value;
  }

  append(values: T): void {
    this.#reserve(this.length + values.length);
    this.data.set(values, this.length);
    this.length += values.length;
  }

  at(index: number): number {
    return this.data[index]!;
  }

  #reserve(length: number): void {
    if (length <= this.data.length) return;
    const data = this.#make(Math.max(length, this.data.length * 2));
    data.set(this.data);
    this.data = data;
  }
}

/** How many of the first `length` entries, which ascend, are ≤ `value`. */
export function countUpTo(ascending: ArrayLike<number>, length: number, value: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the first `length` entries, which ascend, are < `value`. */
export function countBelow(ascending: ArrayLike<number>, length: number, value: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
