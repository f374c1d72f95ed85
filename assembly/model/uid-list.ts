/**
 * An ordered list of UIDs: one list of status.uncountedTerminatedPods. An entry has 64 bytes: a length, and up to 63
 * bytes of UID. So the list needs one block of memory. The order is kept, because the status shows it.
 */
import { bytesEqual, hashBytes } from "../memory/hash";

const ENTRY: u32 = 64;
/** The longest UID that is taken, in bytes. UIDs of a real API server have 36. */
export const MAX_UID_BYTES: u32 = ENTRY - 1;

/** A list of UIDs. Zeroed memory is an empty list. */
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

  /** Copies entry `from` to place `to`. Together with `truncate` it filters a list in place. */
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

  /** Takes out empty entries, and keeps the order. */
  dropEmpty(): void {
    let kept = 0;
    for (let i = 0; i < this.length; ++i) {
      if (this.size(i) > 0) this.keep(i, kept++);
    }
    this.truncate(kept);
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

/**
 * Keeps each UID once, at its first place, and drops empty ones. A UID in both lists stays in `second` if `isOfSecond`
 * returns true, else in `first`. Costs O(n) with a hash table, because another client may have written thousands.
 */
export function makeDistinct(first: UidList, second: UidList, isOfSecond: (ptr: usize, size: u32) => bool): void {
  const length = first.length + second.length;
  if (length == 0) return;
  slots = u32(1) << (33 - clz(u32(length)));
  table = heap.alloc(usize(slots) * sizeof<usize>());
  memory.fill(table, 0, usize(slots) * sizeof<usize>());
  // One pass over both lists, with a table of the UIDs seen so far. Of two equal UIDs one is emptied; the empty entries
  // are dropped at the end.
  for (let i = 0; i < length; ++i) {
    const isFirst = i < first.length;
    const uid = isFirst ? first.at(i) : second.at(i - first.length);
    const slot = slotOf(uid);
    const other = load<usize>(slot);
    if (other == 0) {
      store<usize>(slot, uid);
    } else if (!isFirst && isIn(first, other) && isOfSecond(uid, sizeAt(uid))) {
      empty(other);
      store<usize>(slot, uid);
    } else {
      empty(uid);
    }
  }
  heap.free(table);
  first.dropEmpty();
  second.dropEmpty();
}

// The addresses of UIDs, by their hash; 0: none.
let table: usize = 0;
let slots: u32 = 0;

// The place of an equal UID in the table, or the free place for this one.
function slotOf(uid: usize): usize {
  const size = sizeAt(uid);
  let i = hashBytes(uid, size);
  while (true) {
    const slot = table + usize(i & (slots - 1)) * sizeof<usize>();
    const other = load<usize>(slot);
    if (other == 0 || (sizeAt(other) == size && bytesEqual(other, uid, size))) return slot;
    ++i;
  }
}

function sizeAt(uid: usize): u32 {
  return load<u8>(uid - 1);
}

function empty(uid: usize): void {
  store<u8>(uid - 1, 0);
}

function isIn(list: UidList, uid: usize): bool {
  return uid >= list.at(0) && uid < list.at(list.length);
}
