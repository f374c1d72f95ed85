/** Zeroed unmanaged records: the way every record of the engine is made, and given back. */

export function zeroed<T>(): T {
  const ptr = heap.alloc(offsetof<T>());
  memory.fill(ptr, 0, offsetof<T>());
  return changetype<T>(ptr);
}

export function release<T>(record: T): void {
  heap.free(changetype<usize>(record));
}
