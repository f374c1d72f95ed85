/**
 * What the specs of the engine share: text as bytes in unmanaged memory, and numbers that look random and come from a
 * seed.
 */
import { PADDING } from "../../assembly/json/reader";
import { documentOf } from "../../assembly/json/blobs";

/** The UTF-8 bytes of a text as a blob that the reader may read. */
export function blobOfText(text: string): usize {
  const utf8 = String.UTF8.encode(text);
  return documentOf(changetype<usize>(utf8), u32(utf8.byteLength));
}

export function textAt(ptr: usize, size: u32): string {
  return String.UTF8.decodeUnsafe(ptr, size);
}

/** `size` bytes that hold `text` from `at` on, filled with `filler` elsewhere; readable for PADDING bytes more. */
export function bufferOf(text: string, at: u32, size: u32, filler: u8): usize {
  const utf8 = String.UTF8.encode(text);
  const buffer = heap.alloc(size + PADDING);
  memory.fill(buffer, filler, size + PADDING);
  memory.copy(buffer + at, changetype<usize>(utf8), u32(utf8.byteLength));
  return buffer;
}

/** xorshift32. */
export class Random {
  constructor(private state: u32) {}

  /** A whole number from 0 to `limit` - 1. */
  below(limit: i32): i32 {
    this.state ^= this.state << 13;
    this.state ^= this.state >> 17;
    this.state ^= this.state << 5;
    return i32(this.state % u32(limit));
  }

  chance(percent: i32): bool {
    return this.below(100) < percent;
  }
}
