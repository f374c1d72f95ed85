/** Allocates, zeroes and frees every unmanaged record of the engine. */

/** A new record, all zero. The caller must give it back with `release`. */
export function zeroed<T>(): T {
  return zeroedOfSize<T>(offsetof<T>());
}

/** A new record, all zero, with a second one inside: `insideAt` is its address. */
export function zeroedAround<T, Inside>(): T {
  return zeroedOfSize<T>(aligned(offsetof<T>()) + offsetof<Inside>());
}

/** The address of the second record. */
export function insideAt<T>(record: T): usize {
  return changetype<usize>(record) + aligned(offsetof<T>());
}

function zeroedOfSize<T>(size: usize): T {
  const ptr = heap.alloc(size);
  memory.fill(ptr, 0, size);
  return changetype<T>(ptr);
}

function aligned(size: usize): usize {
  return (size + 7) & ~7;
}

/** Frees a record. What its fields point to is not freed. */
export function release<T>(record: T): void {
  heap.free(changetype<usize>(record));
}
