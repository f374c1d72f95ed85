/**
 * Small replacements of standard functions for code off the hot path: decimal numbers, ASCII case, sets of strings.
 * Invariant: the results equal those of the standard library, which would add tables and code for every radix, locale
 * and type.
 */

const DECIMAL_BYTES: usize = 20;
const decimalEnd: usize = memory.data(20) + DECIMAL_BYTES;
const KELVIN_SIGN: i32 = 0x212a;
const COMMA: i32 = 0x2c;

/** The number in decimal. */
export function decimal(value: i64): string {
  return value < 0 ? "-" + unsignedDecimal(u64(0) - u64(value)) : unsignedDecimal(u64(value));
}

/** The number in decimal. */
export function unsignedDecimal(value: u64): string {
  let at = decimalEnd;
  let rest = value;
  do {
    store<u8>(--at, u8(0x30 + (rest % 10)));
    rest /= 10;
  } while (rest != 0);
  return String.UTF8.decodeUnsafe(at, decimalEnd - at);
}

/** The value of at most 18 decimal digits, with or without a minus in front (unchecked). */
export function integerOf(digits: string): i64 {
  const isNegative = digits.charCodeAt(0) == 0x2d;
  let value: i64 = 0;
  for (let i = i32(isNegative); i < digits.length; i++) value = value * 10 + (digits.charCodeAt(i) - 0x30);
  return isNegative ? -value : value;
}

/** The text with `by` in place of each `char`, which is one character. */
export function replaced(text: string, char: string, by: string): string {
  return text.indexOf(char) < 0 ? text : joined(split(text, char), by);
}

/** The parts of a text between each `char`, which is one character. */
export function split(text: string, char: string): string[] {
  const parts = new Array<string>();
  let from = 0;
  for (let at = text.indexOf(char); at >= 0; at = text.indexOf(char, from)) {
    parts.push(text.substring(from, at));
    from = at + 1;
  }
  parts.push(text.substring(from));
  return parts;
}

/**
 * The text with ASCII letters in lower case. The Kelvin sign becomes a k: it is the only other character whose lower
 * case is an ASCII letter. The rest stays.
 */
export function asciiLowerCase(text: string): string {
  const lower = newText(text.length);
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    store<u16>(changetype<usize>(lower) + (usize(i) << 1), u32(c - 0x41) < 26 ? c | 0x20 : c == KELVIN_SIGN ? 0x6b : c);
  }
  return lower;
}

/**
 * The parts with the separator between them. The standard library, compiled for size, copies the text for each part:
 * its memory grows with the square of the length.
 */
export function joined(parts: string[], separator: string): string {
  let units = 0;
  for (let i = 0; i < parts.length; i++) units += parts[i].length + (i > 0 ? separator.length : 0);
  const text = newText(units);
  let at = changetype<usize>(text);
  for (let i = 0; i < parts.length; i++) {
    if (i > 0) at = put(at, separator);
    at = put(at, parts[i]);
  }
  return text;
}

function newText(units: i32): string {
  return changetype<string>(__new(usize(units) << 1, idof<string>()));
}

function put(at: usize, text: string): usize {
  const bytes = usize(text.length) << 1;
  memory.copy(at, changetype<usize>(text), bytes);
  return at + bytes;
}

/** Whether `word` is in `list`, whose words are separated by commas. */
export function isListed(word: string, list: string): bool {
  const size = word.length;
  if (size == 0 || word.indexOf(",") >= 0) return false;
  for (let at = list.indexOf(word); at >= 0; at = list.indexOf(word, at + 1)) {
    const end = at + size;
    if ((at == 0 || list.charCodeAt(at - 1) == COMMA) && (end == list.length || list.charCodeAt(end) == COMMA))
      return true;
  }
  return false;
}

/** The words of a list in which commas separate them. */
export function wordsOf(list: string): string[] {
  return split(list, ",");
}

/** A set of strings. */
export class StringSet {
  // A Map whose values are unused: one instantiation of Map serves every look-up by name, which keeps the module small.
  private members: Map<string, string> = new Map<string, string>();

  has(text: string): bool {
    return this.members.has(text);
  }

  /** Adds the text. True when it is new. */
  add(text: string): bool {
    if (this.members.has(text)) return false;
    this.members.set(text, text);
    return true;
  }
}

/** The size of the text in UTF-8, in bytes. The API's length limits count these. */
export function byteLength(text: string): i32 {
  return String.UTF8.byteLength(text);
}
