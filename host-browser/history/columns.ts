/**
 * Tables of growing columns, and texts by number. Both return what is new since the last call; a row is never moved
 * once it is appended.
 */
import { type Arrays, Column, type Room } from "../columns.ts";
import { NONE } from "../records.ts";

type Kinds = Readonly<Record<string, keyof Arrays>>;
type Columns<K extends Kinds> = { readonly [name in keyof K]: Column<K[name]> };
type Taken<K extends Kinds> = { readonly [name in keyof K]: Arrays[K[name]] };

/** One buffer for all rows taken at once. */
export function connectionLimitsFor(...tables: readonly { readonly newBytes: number }[]): Room {
  return { buffer: new ArrayBuffer(tables.reduce((sum, { newBytes }) => sum + newBytes, 0)), used: 0 };
}

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

  /** How many rows were taken. A caller that took a row does not see later changes of it. */
  get taken(): number {
    return this.#taken;
  }

  /** How many bytes the next `take` needs. */
  get newBytes(): number {
    return this.#names.reduce((sum, name) => sum + this.columns[name]!.bytesFrom(this.#taken), 0);
  }

  /** The rows since the last call. */
  take(room: Room): Taken<K> {
    const from = this.#taken;
    this.#taken = this.length;
    return Object.fromEntries(this.#names.map((name) => [name, this.columns[name]!.copyTo(room, from)])) as Taken<K>;
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
