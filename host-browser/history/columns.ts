/**
 * Columns of numbers that grow, and tables of them: what is appended once is never moved, but for a doubling now and
 * then. A table hands out what is new since it last did. Appending costs O(1), amortised, and makes no object.
 */
import { NONE } from "../records.ts";

/** The typed arrays that a column may be. */
export interface Arrays {
  readonly int32: Int32Array;
  readonly float64: Float64Array;
  readonly uint8: Uint8Array;
}

const FIRST_CAPACITY = 64;
const makers: { readonly [kind in keyof Arrays]: (length: number) => Arrays[kind] } = {
  int32: (length) => new Int32Array(length),
  float64: (length) => new Float64Array(length),
  uint8: (length) => new Uint8Array(length),
};

export class Column<Kind extends keyof Arrays = "int32"> {
  readonly #make: (length: number) => Arrays[Kind];
  #values: Arrays[Kind];
  #length = 0;

  constructor(kind: Kind) {
    this.#make = makers[kind];
    this.#values = this.#make(FIRST_CAPACITY);
  }

  get length(): number {
    return this.#length;
  }

  /** The row must be there. */
  at(row: number): number {
    return this.#values[row]!;
  }

  set(row: number, value: number): void {
    this.#values[row] = value;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = this.#make(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  /** A copy of the rows from this one on. */
  copyFrom(row: number): Arrays[Kind] {
    return this.#values.slice(row, this.#length) as Arrays[Kind];
  }

  clear(): void {
    this.#length = 0;
  }

  /** How many rows from the start have a value of at most this one. The values must not fall. */
  countUpTo(value: number): number {
    return countWhile(this.#length, (row) => this.#values[row]! <= value);
  }
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

type Kinds = Readonly<Record<string, keyof Arrays>>;
type Columns<K extends Kinds> = { readonly [name in keyof K]: Column<K[name]> };
type Taken<K extends Kinds> = { readonly [name in keyof K]: Arrays[K[name]] };

/** Columns of one length. Append to each of them in turn. */
export class Table<K extends Kinds> {
  readonly columns: Columns<K>;
  readonly #names: readonly (keyof K & string)[];
  #taken = 0;

  constructor(kinds: K) {
    this.#names = Object.keys(kinds);
    this.columns = Object.fromEntries(this.#names.map((name) => [name, new Column(kinds[name]!)])) as Columns<K>;
  }

  get length(): number {
    return this.columns[this.#names[0]!]!.length;
  }

  /** How many rows were taken. Later changes of these are not seen by whoever took them. */
  get taken(): number {
    return this.#taken;
  }

  /** The rows since the last call. */
  take(): Taken<K> {
    const from = this.#taken;
    this.#taken = this.length;
    return Object.fromEntries(this.#names.map((name) => [name, this.columns[name]!.copyFrom(from)])) as Taken<K>;
  }

  clear(): void {
    this.#names.forEach((name) => this.columns[name]!.clear());
    this.#taken = 0;
  }
}

/** Texts by number: each text is kept once. */
export class Texts {
  readonly #ids = new Map<string, number>();
  readonly #texts: string[] = [];
  #taken = 0;

  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    this.#ids.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  /** NONE for an empty text. */
  idOrNone(text: string): number {
    return text === "" ? NONE : this.id(text);
  }

  /** Empty for NONE. */
  at(id: number): string {
    return this.#texts[id] ?? "";
  }

  take(): string[] {
    const from = this.#taken;
    this.#taken = this.#texts.length;
    return this.#texts.slice(from);
  }
}
