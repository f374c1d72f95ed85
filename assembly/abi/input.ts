/** Where the host writes the input of the next call. The buffer grows to the largest input so far, and stays. */
import { PADDING } from "../json/reader";

/** The largest input of one call, in bytes. A list page of 500 pods of 16 KiB has about an eighth of it. */
export const MAX_INPUT_BYTES: u32 = 64 * 1024 * 1024;

let buffer: usize = 0;
let capacity: u32 = 0;

/**
 * The address of `size` writable bytes, with readable padding behind them. A size above the limit traps; the host asks
 * before.
 */
export function reserve(size: u32): usize {
  assert(size <= MAX_INPUT_BYTES, "an input is larger than 64 MiB: pass smaller pages or fewer lines");
  if (buffer == 0 || size > capacity) {
    capacity = max(size, 65536);
    buffer = buffer == 0 ? heap.alloc(capacity + PADDING) : heap.realloc(buffer, capacity + PADDING);
  }
  return buffer;
}
