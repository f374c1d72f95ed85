/**
 * Time spans in the words of the engine's sentences, for texts shown beside them. A test compares the two. Leaves out
 * the forms that are measured or drawn.
 */

/** A hundred years. A wait longer than this has no end in time. */
export const NEVER_MS = 36_525 * 86_400_000;

/**
 * `250 ms`, `37 s`, `4 min 20 s`, `2 h 5 min`, `more than 100 years`. Above a second, a part of one counts as a whole
 * one. @param ms milliseconds; less than 0 is 0
 */
export function spanText(ms: number): string {
  const whole = Math.ceil(Math.max(0, ms));
  if (whole > 0 && whole < 1000) return `${whole} ms`;
  if (whole > NEVER_MS) return "more than 100 years";
  const seconds = Math.ceil(whole / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? units(seconds, " min", " s") : units(Math.floor(seconds / 60), " h", " min");
}

/**
 * The age of an object's time: to the second, as the API writes times, so `53 ms` is `1 s`.
 * @param ms milliseconds; less than 0 is 0
 */
export function ageText(ms: number): string {
  return spanText(Math.ceil(ms / 1000) * 1000);
}

function units(amount: number, big: string, small: string): string {
  const rest = amount % 60;
  return `${Math.floor(amount / 60)}${big}${rest === 0 ? "" : ` ${rest}${small}`}`;
}
