/** How every unmanaged record of the engine is made, zeroed, and given back. */

/** A new record, all zero. The caller must give it back with `release`. */
export function zeroed<T>(): T {
  const ptr = heap.alloc(offsetof<T>());
  memory.fill(ptr, 0, offsetof<T>());
  return changetype<T>(ptr);
}

/** Frees a record. What its fields point to is not freed. */
export function release<T>(record: T): void {
  heap.free(changetype<usize>(record));
}
