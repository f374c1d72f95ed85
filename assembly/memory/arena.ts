/**
 * Memory for the nodes of JSON trees, which all die together: at the next collection of garbage. A place costs the
 * addition of its size, and nothing marks or frees it alone.
 *
 * Invariant: no place outlives the call that took it, so a node may name managed values that nothing else names: they
 * live until the same collection.
 */
const CHUNK_BYTES: usize = 65536;
// The first word of a chunk is the address of the one before it; 0: there is none.
const HEADER_BYTES: usize = 16;

let chunk: usize = 0;
let free: usize = 0;
let end: usize = 0;

/** Zeros, aligned to 4 bytes. @param size - at most a few hundred bytes */
export function take(size: usize): usize {
  if (free + size > end) open();
  const place = free;
  free += size;
  return place;
}

/** Gives all places back. One chunk stays. */
export function giveBack(): void {
  if (chunk == 0) return;
  for (let before = load<usize>(chunk); before != 0; before = load<usize>(chunk)) {
    heap.free(chunk);
    chunk = before;
  }
  begin();
}

function open(): void {
  const before = chunk;
  chunk = heap.alloc(CHUNK_BYTES);
  store<usize>(chunk, before);
  begin();
}

function begin(): void {
  free = chunk + HEADER_BYTES;
  end = chunk + CHUNK_BYTES;
  memory.fill(free, 0, CHUNK_BYTES - HEADER_BYTES);
}
