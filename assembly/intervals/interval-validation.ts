/**
 * Interval text as the API server accepts it (docs/spec/api.md 1.6, V41, V99 to V101): every item is `n` or `a-b`,
 * numbers increase strictly, and they stay below `completions`.
 *
 * A finding is a code and a place in the text; admission writes the sentence. Nothing is allocated. The sets themselves
 * are left to intervals.ts. Source: apis/batch/validation validateIndexesFormat, parseIndexInterval and the overlap
 * check of the status.
 */
import { COMMA, DASH, findByte, NOT_INTEGER, readInteger } from "./interval-text";

/** The text is valid. */
export const INTERVALS_VALID: i32 = 0;
/** `cannot convert string to integer for index: "X"`. X is at partOffset. */
export const INTERVALS_NOT_INTEGER: i32 = 1;
/** `too large index: "X"`. X is at partOffset. */
export const INTERVALS_TOO_LARGE: i32 = 2;
/** `non-increasing order, previous: A, current: B`. */
export const INTERVALS_NOT_INCREASING: i32 = 3;
/** `the fragment "F" violates the requirement that ...`. F is at partOffset. */
export const INTERVALS_TOO_MANY_PARTS: i32 = 4;

/** What `firstOverlap` returns for texts that have no index in common. */
export const NO_OVERLAP: i32 = -1;

/** What a strict reading found. */
@unmanaged
export class IntervalFinding {
  /** One of INTERVALS_*: the first breach of a rule, from left to right. */
  code: i32;
  /** Where the bad part begins in the text, in bytes. Only for the codes that quote one. */
  partOffset: i32;
  /** The length of that part, in bytes. */
  partLength: i32;
  /** The number before, for INTERVALS_NOT_INCREASING. */
  previous: i32;
  /** The number that should have been larger, for INTERVALS_NOT_INCREASING. */
  current: i32;
  /** How many indexes a valid text holds; 0 for one that is not valid. */
  count: i32;
}

/** Reads a text strictly into `finding`. An empty text is valid and holds no index. */
export function validateIntervals(text: usize, length: usize, completions: i32, finding: IntervalFinding): void {
  finding.code = INTERVALS_VALID;
  finding.count = 0;
  if (length == 0) return;
  left.start(text, length, completions);
  let previous = -1;
  let count = 0;
  while (left.next()) {
    if (left.code == INTERVALS_VALID && previous >= left.first) left.refuseOrder(previous, left.first);
    if (left.code != INTERVALS_VALID) {
      finding.code = left.code;
      finding.partOffset = <i32>(left.part - text);
      finding.partLength = <i32>(left.partEnd - left.part);
      finding.previous = left.first;
      finding.current = left.last;
      return;
    }
    count += left.last - left.first + 1;
    previous = left.last;
  }
  finding.count = count;
}

/**
 * The first index that both texts hold, or NO_OVERLAP. Items that break a rule are skipped, because they are reported
 * elsewhere.
 */
export function firstOverlap(a: usize, aLength: usize, b: usize, bLength: usize, completions: i32): i32 {
  left.start(a, aLength, completions);
  right.start(b, bLength, completions);
  let both = left.nextValid() && right.nextValid();
  while (both) {
    if (left.first <= right.last && right.first <= left.last) return max(left.first, right.first);
    both = left.first <= right.first ? left.nextValid() : right.nextValid();
  }
  return NO_OVERLAP;
}

/** Walks over the items of a text and reads each one separately. */
@unmanaged
class StrictItems {
  private position: usize;
  private end: usize;
  private completions: i32;
  /** One of INTERVALS_*, for this item alone. */
  code: i32;
  /** The interval. For INTERVALS_NOT_INCREASING, the two numbers that are out of order. */
  first: i32;
  last: i32;
  /** The bytes that an error quotes. */
  part: usize;
  partEnd: usize;

  start(text: usize, length: usize, completions: i32): void {
    this.position = text;
    this.end = text + length;
    this.completions = completions;
  }

  /** Reads the next item. False after the last one; even an empty text has one item. */
  next(): bool {
    const at = this.position;
    // An item follows every comma. So when none is left, `position` is behind the end, not at it.
    if (at > this.end) return false;
    const itemEnd = findByte(at, this.end, COMMA);
    this.position = itemEnd + 1;
    this.readItem(at, itemEnd);
    return true;
  }

  nextValid(): bool {
    while (this.next()) {
      if (this.code == INTERVALS_VALID) return true;
    }
    return false;
  }

  refuseOrder(previous: i32, current: i32): void {
    this.code = INTERVALS_NOT_INCREASING;
    this.first = previous;
    this.last = current;
  }

  private readItem(at: usize, end: usize): void {
    this.code = INTERVALS_VALID;
    const firstEnd = findByte(at, end, DASH);
    if (firstEnd < end && findByte(firstEnd + 1, end, DASH) < end) {
      this.part = at;
      this.partEnd = end;
      this.code = INTERVALS_TOO_MANY_PARTS;
      return;
    }
    this.first = this.readPart(at, firstEnd);
    this.last = this.first;
    if (this.code != INTERVALS_VALID || firstEnd == end) return;
    this.last = this.readPart(firstEnd + 1, end);
    if (this.code == INTERVALS_VALID && this.first >= this.last) this.refuseOrder(this.first, this.last);
  }

  private readPart(at: usize, end: usize): i32 {
    this.part = at;
    this.partEnd = end;
    const value = readInteger(at, end);
    if (value == NOT_INTEGER) this.code = INTERVALS_NOT_INTEGER;
    else if (value >= this.completions) this.code = INTERVALS_TOO_LARGE;
    return value;
  }
}

// These are static, because at most two are needed and none outlives a call.
const left = changetype<StrictItems>(memory.data(32, 8));
const right = changetype<StrictItems>(memory.data(32, 8));
