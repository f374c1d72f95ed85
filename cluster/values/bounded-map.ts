/**
 * A map with a limited number of entries. Beyond the limit it forgets the entry that was put longest ago.
 *
 * Invariant: each operation costs the same, however many entries were forgotten. Looking for the first entry of a plain
 * Map does not: it walks over all entries that were deleted since the map last compacted itself, which can be as many
 * as the map holds.
 */
export class BoundedMap<Key, Value> {
  readonly #limit: number;
  readonly #entries = new Map<Key, Value>();
  /**
   * One iterator that is never restarted. Entries that it has passed are forgotten, and an entry that is put again
   * comes at the end. It starts at the limit, because a waiting iterator keeps every smaller table of a growing map
   * alive.
   */
  #oldest: Iterator<Key> | undefined;

  /** @param limit entries that are kept, 1 or more */
  constructor(limit: number) {
    if (!(limit >= 1)) throw new RangeError(`a map of ${limit} entries: allowed are 1 and more`);
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Adds an entry, or makes it the newest. @returns the evicted key, if there is one */
  put(key: Key, value: Value): Key | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return undefined;
    this.#oldest ??= this.#entries.keys();
    const forgotten = this.#oldest.next().value as Key;
    this.#entries.delete(forgotten);
    return forgotten;
  }

  /** The oldest first. */
  values(): Iterable<Value> {
    return this.#entries.values();
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}
