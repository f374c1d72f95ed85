/**
 * An ordered list of UIDs: one list of status.uncountedTerminatedPods. Entries are 64 bytes, a length and up to 63 bytes
 * of UID, so that the list needs one block of memory. Order is kept: it is what the status shows.
 */
import { bytesEqual } from "../hash";

const ENTRY: u32 = 64;
/** The longest UID taken. A real API server's UIDs have 36 bytes. */
export const MAX_UID_BYTES: u32 = ENTRY - 1;

@unmanaged
export class UidList {
  private entries: usize;
  length: i32;
  private capacity: i32;

  at(i: i32): usize {
    return this.entries + u32(i) * ENTRY + 1;
  }

  size(i: i32): u32 {
    return load<u8>(this.entries + u32(i) * ENTRY);
  }

  has(ptr: usize, length: u32): bool {
    for (let i = 0; i < this.length; ++i) {
      if (this.size(i) == length && bytesEqual(this.at(i), ptr, length)) return true;
    }
    return false;
  }

  push(ptr: usize, length: u32): void {
    assert(length <= MAX_UID_BYTES, "a UID is longer than 63 bytes");
    if (this.length == this.capacity) {
      this.capacity = max(8, this.capacity * 2);
      const bytes = u32(this.capacity) * ENTRY;
      this.entries = this.entries == 0 ? heap.alloc(bytes) : heap.realloc(this.entries, bytes);
    }
    const entry = this.entries + u32(this.length++) * ENTRY;
    store<u8>(entry, u8(length));
    memory.copy(entry + 1, ptr, length);
  }

  /** Keeps entry `from` as entry `to`; with `truncate` this is how a list is filtered in place. */
  keep(from: i32, to: i32): void {
    if (from != to) memory.copy(this.entries + u32(to) * ENTRY, this.entries + u32(from) * ENTRY, ENTRY);
  }

  truncate(length: i32): void {
    this.length = length;
  }

  copyFrom(other: UidList): void {
    this.length = 0;
    for (let i = 0; i < other.length; ++i) this.push(other.at(i), other.size(i));
  }

  equals(other: UidList): bool {
    if (this.length != other.length) return false;
    for (let i = 0; i < this.length; ++i) {
      if (this.size(i) != other.size(i) || !bytesEqual(this.at(i), other.at(i), this.size(i))) return false;
    }
    return true;
  }

  free(): void {
    if (this.entries != 0) heap.free(this.entries);
    this.entries = 0;
    this.length = 0;
    this.capacity = 0;
  }
}
