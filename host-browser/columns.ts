/**
 * Columns of numbers that grow: typed arrays with spare capacity, which grow by half when they are full. Appending
 * costs O(1), amortised, and leaves no garbage: the memory moves to the larger array.
 *
 * Invariant: entries below `length` are never moved to another index. Leaves out removal of single entries: a column is
 * kept or emptied whole.
 */

/** The typed arrays that a column may be. */
export interface Arrays {
  readonly int32: Int32Array;
  readonly float64: Float64Array;
  readonly uint8: Uint8Array;
}

/** Memory for copies of columns, one behind the other. */
export interface Room {
  readonly buffer: ArrayBuffer;
  /** Bytes, a multiple of 8. */
  used: number;
}

const FIRST_CAPACITY = 64;
const GROWTH = 1.5;
const kinds: {
  readonly [kind in keyof Arrays]: new (buffer: ArrayBuffer, at?: number, length?: number) => Arrays[kind];
} = {
  int32: Int32Array,
  float64: Float64Array,
  uint8: Uint8Array,
};
const bytes: { readonly [kind in keyof Arrays]: number } = { int32: 4, float64: 8, uint8: 1 };

export class Column<Kind extends keyof Arrays = "int32"> {
  /** Has more entries than `length`; read it again after each append. */
  data: Arrays[Kind];
  length = 0;
  readonly #kind: Kind;

  constructor(kind: Kind) {
    this.#kind = kind;
    this.data = new kinds[kind](new ArrayBuffer(FIRST_CAPACITY * bytes[kind]));
  }

  /** The row must be there. */
  at(row: number): number {
    return this.data[row]!;
  }

  set(row: number, value: number): void {
    this.data[row] = value;
  }

  push(value: number): void {
    if (this.length === this.data.length) this.#reserve(this.length + 1);
    this.data[this.length++] = value;
  }

  append(values: Arrays[Kind]): void {
    this.#reserve(this.length + values.length);
    this.data.set(values, this.length);
    this.length += values.length;
  }

  /** How many bytes `copyTo` needs, with padding so that a column of any kind may follow. */
  bytesFrom(row: number): number {
    return -8 & ((this.length - row) * bytes[this.#kind] + 7);
  }

  /** Copies the rows from this one on into the next bytes of the buffer. */
  copyTo(room: Room, row: number): Arrays[Kind] {
    const copy = new kinds[this.#kind](room.buffer, room.used, this.length - row);
    copy.set(this.data.subarray(row, this.length));
    room.used += this.bytesFrom(row);
    return copy;
  }

  clear(): void {
    this.length = 0;
  }

  #reserve(length: number): void {
    if (length <= this.data.length) return;
    const capacity = Math.max(length, Math.ceil(GROWTH * this.data.length));
    const buffer = this.data.buffer as ArrayBuffer;
    this.data = new kinds[this.#kind](buffer.transfer(capacity * bytes[this.#kind]));
  }
}

/**
 * How many of the first `length` entries, which ascend, are ≤ `value`. Takes an array and not a column: calls of `at`
 * would take twice the time.
 */
export function countUpTo(ascending: ArrayLike<number>, length: number, value: number): number {
  return countWhile(length, (i) => ascending[i]! <= value);
}

/** How many of the first `length` entries, which ascend, are < `value`. */
export function countBelow(ascending: ArrayLike<number>, length: number, value: number): number {
  return countWhile(length, (i) => ascending[i]! < value);
}

/** How many of the first `length` numbers, from 0, meet a condition that no number meets after one that does not. */
export function countWhile(length: number, holds: (row: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
