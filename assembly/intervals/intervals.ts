/**
 * A set of completion indexes as sorted intervals (docs/spec/controller.md 3.4), as status.completedIndexes and
 * status.failedIndexes hold them.
 *
 * Invariant: intervals are ascending, and at least one index is missing between any two. So one set has one text.
 * Indexes are 0 to 2^31 - 2. The memory is the engine's heap, which is not garbage-collected: `free` gives it back.
 * Strict reading, which admission needs, is left to interval-validation.ts.
 */
import { bytesEqual } from "../memory/hash";
import {
  COMMA,
  DASH,
  decimalDigits,
  digitBits,
  digitsValue,
  findByte,
  NOT_INTEGER,
  readInteger,
  WRITE_SLACK_BYTES,
  writeInterval,
} from "./interval-text";

const INTERVALS_MIN: i32 = 8;
// Eight digits, a separator, and the eight bytes of the next word.
const ITEM_READ_BYTES: usize = 17;

// Room for one interval of `equalsText`: two numbers of ten digits, two separators, and the writer's slack.
const scratch: usize = memory.data(32, 8);

/** A set of completion indexes: 16 bytes that can be embedded in another record. Zeroed memory is the empty set. */
@unmanaged
export class IntervalSet {
  private pairs: usize; // i32 first, i32 last (inclusive) of each interval
  private capacity: i32;
  /** Number of intervals. */
  length: i32;
  /** Number of indexes. */
  count: i32;

  /** The first index of interval `i`, 0 <= i < length (unchecked). */
  firstAt(i: i32): i32 {
    return load<i32>(this.pairs + ((<usize>i) << 3));
  }

  /** The last index of interval `i`, inclusive, 0 <= i < length (unchecked). */
  lastAt(i: i32): i32 {
    return load<i32>(this.pairs + ((<usize>i) << 3), 4);
  }

  /** Takes every index out, and keeps the memory. */
  clear(): void {
    this.length = 0;
    this.count = 0;
  }

  /** Gives the memory of the intervals back. The set is empty and can be used again. */
  free(): void {
    if (this.pairs != 0) heap.free(this.pairs);
    this.pairs = 0;
    this.capacity = 0;
    this.clear();
  }

  /** Whether the set holds `index`. O(log n). */
  contains(index: i32): bool {
    const i = this.findEndingFrom(index);
    return i < this.length && this.firstAt(i) <= index;
  }

  /** The smallest index >= `index` that is not in the set. O(log n). */
  firstMissingFrom(index: i32): i32 {
    const i = this.findEndingFrom(index);
    return i < this.length && this.firstAt(i) <= index ? this.lastAt(i) + 1 : index;
  }

  /**
   * Adds one index. True when it is new. O(1) at the end, O(log n) next to an interval, else that plus a memory move.
   */
  add(index: i32): bool {
    const before = this.count;
    this.addRange(index, index);
    return this.count != before;
  }

  /** Adds the indexes from `first` to `last`, inclusive. It needs first <= last (unchecked). */
  addRange(first: i32, last: i32): void {
    const length = this.length;
    const end = length == 0 ? -2 : this.lastAt(length - 1);
    if (first > end) {
      if (first == end + 1) this.setLast(length - 1, last);
      else this.insert(length, first, last);
      this.count += last - first + 1;
    } else {
      this.mergeRange(first, last);
    }
  }

  /** Adds every index of `other`. O(n + m), in place. */
  addSet(other: IntervalSet): void {
    if (other.length == 0) return;
    let mine = this.length - 1;
    let theirs = other.length - 1;
    this.reserve(this.length + other.length);
    // Merges from the back into the free end of the array. Every interval written consumes at least one that was read,
    // so writing never overtakes reading.
    const end = this.length + other.length;
    let at = end;
    let count = 0;
    let first: i32 = 0;
    let last: i32 = -1;
    while (mine >= 0 || theirs >= 0) {
      // Takes the interval that ends last of both sets. It extends the current interval if they touch; otherwise that
      // one is complete and is written.
      const takeMine = theirs < 0 || (mine >= 0 && this.lastAt(mine) > other.lastAt(theirs));
      const nextFirst = takeMine ? this.firstAt(mine) : other.firstAt(theirs);
      const nextLast = takeMine ? this.lastAt(mine) : other.lastAt(theirs);
      if (takeMine) mine--;
      else theirs--;
      if (nextLast + 1 >= first && last >= 0) {
        first = min(first, nextFirst);
        continue;
      }
      if (last >= 0) {
        this.setPair(--at, first, last);
        count += last - first + 1;
      }
      first = nextFirst;
      last = nextLast;
    }
    this.setPair(--at, first, last);
    count += last - first + 1;
    this.length = end - at;
    this.count = count;
    memory.copy(this.pairs, this.pairs + ((<usize>at) << 3), (<usize>this.length) << 3);
  }

  /** How many indexes both sets hold. O(n + m). */
  countCommon(other: IntervalSet): i32 {
    let common = 0;
    let mine = 0;
    let theirs = 0;
    while (mine < this.length && theirs < other.length) {
      const first = max(this.firstAt(mine), other.firstAt(theirs));
      const last = min(this.lastAt(mine), other.lastAt(theirs));
      if (first <= last) common += last - first + 1;
      if (this.lastAt(mine) < other.lastAt(theirs)) mine++;
      else theirs++;
    }
    return common;
  }

  /** Takes out every index >= `completions`. O(log n + intervals taken out). */
  clamp(completions: i32): void {
    while (this.length > 0 && this.firstAt(this.length - 1) >= completions) {
      this.length--;
      this.count -= this.lastAt(this.length) - this.firstAt(this.length) + 1;
    }
    if (this.length == 0) return;
    const excess = this.lastAt(this.length - 1) - (completions - 1);
    if (excess <= 0) return;
    this.count -= excess;
    this.setLast(this.length - 1, completions - 1);
  }

  /**
   * Replaces the set by what the text holds, read leniently. An item that is no integer or no interval is skipped. Text
   * after a second `-` is ignored. The first item at or above `completions` ends the reading. An interval that reaches
   * above is cut. Items out of order, which a status cannot hold, are added like others; a reversed one holds nothing.
   * Source: indexed_job_utils.go parseIndexesFromString.
   */
  parse(text: usize, textLength: usize, completions: i32): void {
    this.clear();
    const end = text + textLength;
    let at = text;
    while (at + ITEM_READ_BYTES <= end) {
      const word = load<u64>(at);
      const bits = digitBits(word);
      // `parseItem` takes numbers of nine digits or more, and anything unusual.
      if (bits - 8 < 56) {
        const first = digitsValue(word, bits);
        const separator = <u32>(word >> bits) & 0xff;
        const next = at + <usize>(bits >> 3) + 1;
        if (separator == COMMA) {
          if (first >= completions) return;
          this.addRange(first, first);
          at = next;
          continue;
        }
        if (separator == DASH) {
          const lastWord = load<u64>(next);
          const lastBits = digitBits(lastWord);
          if (lastBits - 8 < 56 && (<u32>(lastWord >> lastBits) & 0xff) == COMMA) {
            if (first >= completions) return;
            const last = min(digitsValue(lastWord, lastBits), completions - 1);
            if (first <= last) this.addRange(first, last);
            at = next + <usize>(lastBits >> 3) + 1;
            continue;
          }
        }
      }
      const itemEnd = findByte(at, end, COMMA);
      if (!this.parseItem(at, itemEnd, completions)) return;
      at = itemEnd + 1;
    }
    while (at < end) {
      const itemEnd = findByte(at, end, COMMA);
      if (!this.parseItem(at, itemEnd, completions)) return;
      at = itemEnd + 1;
    }
  }

  /**
   * How many bytes `format` needs at its target at most. It depends on the number of intervals and the digits of the
   * last index.
   */
  formattedBytesMax(): usize {
    if (this.length == 0) return 0;
    const digits = decimalDigits(this.lastAt(this.length - 1));
    return <usize>this.length * <usize>(2 * digits + 2) + WRITE_SLACK_BYTES;
  }

  /**
   * Writes the text of the set. There must be room for `formattedBytesMax()` bytes. Returns the text's length in bytes.
   */
  format(to: usize): usize {
    const length = this.length;
    if (length == 0) return 0;
    let at = to;
    let pair = this.pairs;
    const pairsEnd = pair + ((<usize>length) << 3);
    for (; pair < pairsEnd; pair += 8) {
      at = writeInterval(at, load<i32>(pair), load<i32>(pair, 4));
      store<u8>(at++, COMMA);
    }
    return at - 1 - to;
  }

  /** Whether the text is, byte for byte, the one that `format` writes. */
  equalsText(text: usize, textLength: usize): bool {
    let left = textLength;
    for (let i = 0; i < this.length; i++) {
      const itemEnd = writeInterval(scratch, this.firstAt(i), this.lastAt(i));
      let bytes = itemEnd - scratch;
      if (i + 1 < this.length) {
        store<u8>(itemEnd, COMMA);
        bytes++;
      }
      if (bytes > left || !bytesEqual(scratch, text, u32(bytes))) return false;
      text += bytes;
      left -= bytes;
    }
    return left == 0;
  }

  /** Adds one item of a lenient text. False when the reading ends. */
  private parseItem(at: usize, end: usize, completions: i32): bool {
    const firstEnd = findByte(at, end, DASH);
    const first = readInteger(at, firstEnd);
    if (first == NOT_INTEGER) return true;
    if (first >= completions) return false;
    let last = first;
    if (firstEnd < end) {
      last = readInteger(firstEnd + 1, findByte(firstEnd + 1, end, DASH));
      if (last == NOT_INTEGER) return true;
      last = min(last, completions - 1);
    }
    if (first <= last) this.addRange(first, last);
    return true;
  }

  /**
   * The interval that ends at `index` or is the next one behind it: the first whose last >= index; `length` if there is
   * none.
   */
  private findEndingFrom(index: i32): i32 {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.lastAt(middle) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Adds a range that begins at or before the last index. It may touch any number of intervals. */
  private mergeRange(first: i32, last: i32): void {
    const from = this.findEndingFrom(first - 1);
    let to = from;
    let counted = 0;
    while (to < this.length && this.firstAt(to) <= last + 1) {
      counted += this.lastAt(to) - this.firstAt(to) + 1;
      to++;
    }
    if (from == to) {
      this.insert(from, first, last);
    } else {
      first = min(first, this.firstAt(from));
      last = max(last, this.lastAt(to - 1));
      this.setPair(from, first, last);
      this.removeBetween(from + 1, to);
    }
    this.count += last - first + 1 - counted;
  }

  private insert(i: i32, first: i32, last: i32): void {
    if (this.length == this.capacity) this.reserve(this.length + 1);
    const at = this.pairs + ((<usize>i) << 3);
    if (i < this.length) memory.copy(at + 8, at, (<usize>(this.length - i)) << 3);
    this.length++;
    this.setPair(i, first, last);
  }

  private removeBetween(from: i32, to: i32): void {
    if (from == to) return;
    memory.copy(this.pairs + ((<usize>from) << 3), this.pairs + ((<usize>to) << 3), (<usize>(this.length - to)) << 3);
    this.length -= to - from;
  }

  private reserve(intervals: i32): void {
    if (intervals <= this.capacity) return;
    this.capacity = max(max(INTERVALS_MIN, this.capacity << 1), intervals);
    const bytes = (<usize>this.capacity) << 3;
    this.pairs = this.pairs == 0 ? heap.alloc(bytes) : heap.realloc(this.pairs, bytes);
  }

  private setPair(i: i32, first: i32, last: i32): void {
    const at = this.pairs + ((<usize>i) << 3);
    store<i32>(at, first);
    store<i32>(at, last, 4);
  }

  private setLast(i: i32, last: i32): void {
    store<i32>(this.pairs + ((<usize>i) << 3), last, 4);
  }
}
