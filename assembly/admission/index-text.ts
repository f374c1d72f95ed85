/**
 * The sentences about interval text (docs/spec/api.md 1.6, V41), for spec.successPolicy and the two index lists of a
 * status. The reading itself is left to interval-validation.ts.
 */
import { decimal } from "../json/text";
import {
  firstOverlap,
  IntervalFinding,
  INTERVALS_NOT_INCREASING,
  INTERVALS_NOT_INTEGER,
  INTERVALS_TOO_LARGE,
  INTERVALS_VALID,
  validateIntervals,
} from "../intervals/interval-validation";
import { quote } from "./render";

// Six i32 fields. Reused: only one text is read at a time.
const finding = changetype<IntervalFinding>(memory.data(24, 4));

/** What is wrong with the text; "" if nothing is. Completions beyond 32 bits count as the largest i32. */
export function intervalProblem(text: usize, length: usize, completions: i64): string {
  validateIntervals(text, length, i32(min<i64>(completions, i32.MAX_VALUE)), finding);
  if (finding.code == INTERVALS_VALID) return "";
  if (finding.code == INTERVALS_NOT_INCREASING) {
    return "non-increasing order, previous: " + decimal(finding.previous) + ", current: " + decimal(finding.current);
  }
  const part = quote(String.UTF8.decodeUnsafe(text + finding.partOffset, finding.partLength));
  if (finding.code == INTERVALS_NOT_INTEGER) return "cannot convert string to integer for index: " + part;
  if (finding.code == INTERVALS_TOO_LARGE) return "too large index: " + part;
  return (
    "the fragment " +
    part +
    " violates the requirement that an index interval can have at most two parts separated by '-'"
  );
}

/** How many indexes the text has that `intervalProblem` looked at last; 0 for a broken text. */
export function intervalCount(): i32 {
  return finding.count;
}

/** The first index that both texts hold; negative if there is none. */
export function overlap(a: usize, aLength: usize, b: usize, bLength: usize, completions: i64): i32 {
  return firstOverlap(a, aLength, b, bLength, i32(min<i64>(completions, i32.MAX_VALUE)));
}
