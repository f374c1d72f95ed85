/**
 * A map with a limited number of entries, which together have a limited size. Beyond a limit it forgets the entry that
 * was put longest ago.
 *
 * Invariant: each operation costs the same on average, however many entries were forgotten. It uses one iterator for
 * that; bounded-map.ts says why.
 */
export class SizedMap<Key, Value> {
  readonly #maxEntries: number;
  readonly #maxSize: number;
  readonly #entries = new Map<Key, { readonly value: Value; readonly size: number }>();
  #size = 0;
  #oldest: Iterator<Key> | undefined;

  constructor(maxEntries: number, maxSize: number) {
    if (!(maxEntries >= 1)) throw new RangeError(`a map of ${maxEntries} entries: allowed are 1 and more`);
    this.#maxEntries = maxEntries;
    this.#maxSize = maxSize;
  }

  /** The size of all entries together. */
  get size(): number {
    return this.#size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** Adds an entry, or makes it the newest. One that is larger than all may be is forgotten at once. */
  put(key: Key, value: Value, size: number): void {
    this.delete(key);
    this.#entries.set(key, { value, size });
    this.#size += size;
    while (this.#entries.size > this.#maxEntries || this.#size > this.#maxSize) {
      this.#oldest ??= this.#entries.keys();
      this.delete(this.#oldest.next().value as Key);
    }
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#size -= entry.size;
    this.#entries.delete(key);
  }
}
