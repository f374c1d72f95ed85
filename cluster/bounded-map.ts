/**
 * A map that keeps a limited number of entries: beyond it, what was put longest ago is forgotten.
 *
 * Invariant: a step costs the same however many have been forgotten. The first entry of a plain Map does not come at
 * that price: each look for it walks over all the entries that were deleted since the map last tidied up, which are as
 * many as it holds.
 */
export class BoundedMap<Key, Value> {
  readonly #limit: number;
  readonly #entries = new Map<Key, Value>();
  /** Never starts anew: what lies behind it has been forgotten, and what is put again comes at the end. */
  readonly #oldest = this.#entries.keys();

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

  /** Adds an entry, or makes it the newest. @returns the key that was forgotten for it, if one was */
  put(key: Key, value: Value): Key | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return undefined;
    const forgotten = this.#oldest.next().value!;
    this.#entries.delete(forgotten);
    return forgotten;
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}
