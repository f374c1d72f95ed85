/**
 * A pull reader over UTF-8 JSON in linear memory. The caller walks the document and reads the fields it wants;
 * everything else is skipped at block speed. Nothing is allocated but a scratch buffer for strings with escapes.
 *
 * Invariant: after the first error every call is a no-op that ends its caller's loop. So a caller checks `ok()` once,
 * at the end. Positions are addresses; `errorOffset()` is relative to the start of the document. Only one document is
 * open at a time. What is skipped is not checked (brackets are counted, not matched), nor is UTF-8 (bytes pass
 * through). The buffer must be readable for PADDING bytes behind its end; `reserve` and Writer guarantee that.
 */

/** How many bytes behind the end of a document block reads may touch. */
export const PADDING: u32 = 16;
/** The largest depth of objects and arrays that are entered or skipped. A deeper document is an error. */
export const MAX_DEPTH: i32 = 512;

// The characters that JSON is made of.
const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const COMMA: u32 = 0x2c;
const COLON: u32 = 0x3a;
const OPEN_OBJECT: u32 = 0x7b;
const CLOSE_OBJECT: u32 = 0x7d;
const OPEN_ARRAY: u32 = 0x5b;
const CLOSE_ARRAY: u32 = 0x5d;

let start: usize = 0;
let pos: usize = 0;
let end: usize = 0;
let depth: i32 = 0;
/** True right behind an opening bracket: the next element needs no comma. */
let first: bool = false;
let failure: string | null = null;
let failureAt: usize = 0;

let stringPtr: usize = 0;
let stringLength: u32 = 0;
let scratch: usize = 0;
let scratchCapacity: u32 = 0;

/** Begins to read a document of `length` bytes at `ptr`. */
export function open(ptr: usize, length: u32): void {
  start = ptr;
  pos = ptr;
  end = ptr + length;
  depth = 0;
  first = false;
  failure = null;
}

let outerStart: usize = 0;
let outerPos: usize = 0;
let outerEnd: usize = 0;
let outerDepth: i32 = 0;
let outerFirst: bool = false;

/**
 * Saves the current document, so that another one can be read. `back` restores it. Calls may not be nested, or come
 * after an error.
 */
export function aside(): void {
  outerStart = start;
  outerPos = pos;
  outerEnd = end;
  outerDepth = depth;
  outerFirst = first;
}

/** Returns to the document that `aside` left. Errors of the other document are forgotten. */
export function back(): void {
  start = outerStart;
  pos = outerPos;
  end = outerEnd;
  depth = outerDepth;
  first = outerFirst;
  failure = null;
}

/** Whether the document had no error so far. */
export function ok(): bool {
  return failure === null;
}

/** What was wrong, in words that complete "the document is not JSON: "; null: nothing. */
export function errorText(): string | null {
  return failure;
}

/** Byte offset of the error from the start of the document. */
export function errorOffset(): u32 {
  return u32(failureAt - start);
}

/** Records an error at the current position. Only the first error is kept. */
export function fail(text: string): void {
  if (failure === null) {
    failure = text;
    failureAt = pos;
    pos = end;
  }
}

/** The place of the reader, in bytes from the start of the document. */
export function offset(): u32 {
  return u32(pos - start);
}

/** The address of the reader's place. After `peek` it is that of the next value's first byte. */
export function position(): usize {
  return pos;
}

/** Continues at `at`, a position that was taken at the same depth. The caller has read a value by other means. */
export function seek(at: usize): void {
  if (failure === null) pos = at;
}

/** The first byte of the next value (`{ [ " t f n - 0…9`); 0 at the end of the input. */
export function peek(): u32 {
  skipSpace();
  return pos < end ? load<u8>(pos) : 0;
}

/** Whether only white space follows the document. Anything else is an error. */
export function atEnd(): bool {
  if (failure !== null) return false;
  skipSpace();
  if (pos < end) {
    fail("something follows the end of the value");
    return false;
  }
  return true;
}

/** Enters an object. False for null, which is skipped. Anything but an object is an error. */
export function enterObject(): bool {
  return enter(OPEN_OBJECT, "expected an object");
}

/** Enters an array. False for null, which is skipped. Anything but an array is an error. */
export function enterArray(): bool {
  return enter(OPEN_ARRAY, "expected an array");
}

/**
 * Moves to the next member and reads its name (stringAt, stringSize). The reader is then at the value. False at the end
 * of the object; the reader is then behind it.
 */
export function nextKey(): bool {
  if (!next(CLOSE_OBJECT)) return false;
  if (load<u8>(pos) != QUOTE) {
    fail("expected a member name in double quotes");
    return false;
  }
  if (!readString()) return false;
  skipSpace();
  if (pos >= end || load<u8>(pos) != COLON) {
    fail("expected ':' behind a member name");
    return false;
  }
  ++pos;
  skipSpace();
  return true;
}

/** Moves to the next element. False at the end of the array; the reader is then behind it. */
export function nextElement(): bool {
  return next(CLOSE_ARRAY);
}

/**
 * Reads a string. Then stringAt() and stringSize() give its decoded bytes, until the next string is read. False for
 * null.
 */
export function readString(): bool {
  if (peek() != QUOTE) {
    if (readNull()) return false;
    fail("expected a string");
    return false;
  }
  const from = pos + 1;
  let at = from;
  const quotes = i8x16.splat(0x22);
  const backslashes = i8x16.splat(0x5c);
  while (at < end) {
    const block = v128.load(at);
    const hits = i8x16.bitmask(v128.or(i8x16.eq(block, quotes), i8x16.eq(block, backslashes)));
    if (hits == 0) {
      at += 16;
      continue;
    }
    at += ctz(hits);
    if (at >= end) break;
    if (load<u8>(at) == BACKSLASH) return readEscapedString(from, at);
    stringPtr = from;
    stringLength = u32(at - from);
    pos = at + 1;
    return true;
  }
  fail("a string has no closing quote");
  return false;
}

/**
 * The address of the string that was read last. It lies in the document or, when the string had escapes, in scratch
 * memory.
 */
export function stringAt(): usize {
  return stringPtr;
}

/** The size of the string that was read last, in bytes. */
export function stringSize(): u32 {
  return stringLength;
}

/** Whether the string that was read last had escapes. Then its bytes are in scratch memory, not in the document. */
export function stringHasEscapes(): bool {
  return stringPtr == scratch && scratch != 0;
}

/** Whether the string that was read last is exactly this ASCII text. */
export function stringIs(text: string): bool {
  const length = u32(text.length);
  if (stringLength != length) return false;
  const chars = changetype<usize>(text);
  for (let i: u32 = 0; i < length; ++i) {
    if (load<u8>(stringPtr + i) != u8(load<u16>(chars + (usize(i) << 1)))) return false;
  }
  return true;
}

/**
 * Reads an integer without fraction or exponent. Null reads as `absent`. A number that does not fit i64 is an error.
 */
export function readInteger(absent: i64 = 0): i64 {
  const head = peek();
  if (head == 0x6e && readNull()) return absent;
  const negative = head == 0x2d;
  if (negative) ++pos;
  const from = pos;
  let value: u64 = 0;
  while (pos < end) {
    const digit = <u32>load<u8>(pos) - 0x30;
    if (digit > 9) break;
    if (value > (u64(i64.MAX_VALUE) - digit) / 10) {
      fail("the number does not fit 64 bits");
      return 0;
    }
    value = value * 10 + digit;
    ++pos;
  }
  if (pos == from) {
    fail("expected an integer");
    return 0;
  }
  if (pos < end) {
    const tail = <u32>load<u8>(pos);
    if (tail == 0x2e || tail == 0x65 || tail == 0x45) {
      fail("expected an integer, got a number with a fraction or an exponent");
      return 0;
    }
  }
  return negative ? -i64(value) : i64(value);
}

/** Reads true or false. Null reads as false. */
export function readBoolean(): bool {
  const head = peek();
  if (head == 0x74 && matches(4, 0x65757274)) {
    pos += 4;
    return true;
  }
  if (head == 0x66 && pos + 5 <= end && load<u32>(pos + 1) == 0x65736c61) {
    pos += 5;
    return false;
  }
  if (readNull()) return false;
  fail("expected true or false");
  return false;
}

/** Skips a null. If something else is next, returns false and does nothing. */
export function readNull(): bool {
  if (peek() != 0x6e || !matches(4, 0x6c6c756e)) return false;
  pos += 4;
  return true;
}

/** Skips the next value, whatever it is. Then position() is right behind it. */
export function skipValue(): void {
  const head = peek();
  if (head == QUOTE) {
    readString();
  } else if (head == OPEN_OBJECT || head == OPEN_ARRAY) {
    skipContainer();
  } else if (head == 0 || head == COMMA || head == COLON || head == CLOSE_OBJECT || head == CLOSE_ARRAY) {
    fail("expected a value");
  } else {
    skipScalar();
  }
}

// Skips a number or a word, up to the next character that can end it. Its spelling is not checked.
function skipScalar(): void {
  while (pos < end) {
    const c = <u32>load<u8>(pos);
    if (c == COMMA || c == CLOSE_OBJECT || c == CLOSE_ARRAY || c <= 0x20) break;
    if (c == QUOTE || c == OPEN_OBJECT || c == OPEN_ARRAY || c == COLON) {
      fail("expected a value");
      return;
    }
    ++pos;
  }
}

function enter(bracket: u32, expectation: string): bool {
  const head = peek();
  if (head != bracket) {
    if (head == 0x6e && readNull()) return false;
    fail(expectation);
    return false;
  }
  if (++depth > MAX_DEPTH) {
    fail("objects and arrays are nested deeper than 512");
    return false;
  }
  ++pos;
  first = true;
  return true;
}

function next(bracket: u32): bool {
  if (failure !== null) return false;
  skipSpace();
  if (pos >= end) {
    fail("the input ends inside an object or array");
    return false;
  }
  const c = <u32>load<u8>(pos);
  if (c == bracket) {
    ++pos;
    --depth;
    first = false;
    return false;
  }
  if (first) {
    first = false;
    return true;
  }
  if (c != COMMA) {
    fail("expected ',' or the end of the object or array");
    return false;
  }
  ++pos;
  skipSpace();
  if (pos >= end) {
    fail("the input ends inside an object or array");
    return false;
  }
  if (load<u8>(pos) == u8(bracket)) {
    fail("a comma has nothing behind it");
    return false;
  }
  return true;
}

function skipSpace(): void {
  while (pos < end) {
    const c = <u32>load<u8>(pos);
    if (c > 0x20 || (c != 0x20 && c != 0x0a && c != 0x0d && c != 0x09)) break;
    ++pos;
  }
}

function matches(length: u32, word: u32): bool {
  return pos + length <= end && load<u32>(pos) == word;
}

// Skips an object or an array in blocks of sixteen bytes, with SIMD. For each block it computes three bit masks: the
// quotes, the bytes inside strings (a prefix XOR of the quotes), and the brackets outside strings, whose counts change
// the depth. A block in which the depth may reach 0 is walked bit by bit. A block with a backslash is walked byte by
// byte, because an escaped quote does not end a string.
function skipContainer(): void {
  let at = pos;
  let open: i32 = 0;
  let inString = false;
  const quotes = i8x16.splat(0x22);
  const backslashes = i8x16.splat(0x5c);
  const caseBit = i8x16.splat(0x20);
  const opening = i8x16.splat(0x7b);
  const closing = i8x16.splat(0x7d);
  while (at < end) {
    const block = v128.load(at);
    if (v128.any_true(i8x16.eq(block, backslashes)) || at + 16 > end) {
      const stop = min(at + 16, end);
      while (at < stop) {
        const c = <u32>load<u8>(at);
        if (inString) {
          if (c == BACKSLASH) ++at;
          else if (c == QUOTE) inString = false;
        } else if (c == QUOTE) {
          inString = true;
        } else if ((c | 0x20) == OPEN_OBJECT) {
          if (++open > MAX_DEPTH) break;
        } else if ((c | 0x20) == CLOSE_OBJECT) {
          if (--open == 0) {
            pos = at + 1;
            return;
          }
        }
        ++at;
      }
    } else {
      let inside = <u32>i8x16.bitmask(i8x16.eq(block, quotes));
      // A prefix XOR: bit i says whether byte i lies behind an odd number of quotes.
      inside ^= inside << 1;
      inside ^= inside << 2;
      inside ^= inside << 4;
      inside ^= inside << 8;
      inside = (inString ? ~inside : inside) & 0xffff;
      inString = inside >> 15 != 0;
      // Setting bit 0x20 maps [ to { and ] to }, so that one comparison finds both.
      const folded = v128.or(block, caseBit);
      const opens = <u32>i8x16.bitmask(i8x16.eq(folded, opening)) & ~inside;
      let closes = <u32>i8x16.bitmask(i8x16.eq(folded, closing)) & ~inside;
      // With more open brackets than closing ones in this block, the end cannot be here: only the depth changes.
      if (open > i32(popcnt(closes))) {
        open += popcnt(opens) - popcnt(closes);
      } else {
        let seen = open;
        while (closes != 0) {
          const bit = ctz(closes);
          if (seen + popcnt(opens & ((1 << bit) - 1)) - 1 == 0) {
            pos = at + bit + 1;
            return;
          }
          --seen;
          closes &= closes - 1;
        }
        open = seen + popcnt(opens);
      }
      at += 16;
    }
    if (open > MAX_DEPTH) {
      pos = at;
      fail("objects and arrays are nested deeper than 512");
      return;
    }
  }
  fail("the input ends inside an object or array");
}

// Copies a string with escapes to scratch memory, and resolves them. Few strings have any. A lone surrogate becomes
// U+FFFD.
function readEscapedString(from: usize, escapeAt: usize): bool {
  let to: u32 = u32(escapeAt - from);
  let at = escapeAt;
  ensureScratch(to + 64);
  memory.copy(scratch, from, to);
  while (at < end) {
    ensureScratch(to + 8);
    const c = load<u8>(at++);
    if (c == QUOTE) {
      stringPtr = scratch;
      stringLength = to;
      pos = at;
      return true;
    }
    if (c != BACKSLASH) {
      store<u8>(scratch + to++, c);
      continue;
    }
    if (at >= end) break;
    const escape = <u32>load<u8>(at++);
    let plain: u32;
    if (escape == 0x6e) plain = 0x0a;
    else if (escape == 0x74) plain = 0x09;
    else if (escape == 0x72) plain = 0x0d;
    else if (escape == 0x62) plain = 0x08;
    else if (escape == 0x66) plain = 0x0c;
    else if (escape == QUOTE || escape == BACKSLASH || escape == 0x2f) plain = escape;
    else if (escape == 0x75) {
      let code = hex4(at);
      if (code < 0) break;
      at += 4;
      if (code >= 0xd800 && code < 0xdc00 && at + 6 <= end && load<u16>(at) == 0x755c) {
        const low = hex4(at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          at += 6;
        }
      }
      if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
      to += encode(scratch + to, u32(code));
      continue;
    } else {
      pos = at - 2;
      fail("a string has an unknown escape");
      return false;
    }
    store<u8>(scratch + to++, u8(plain));
  }
  pos = at < end ? at : end;
  fail("a string has no closing quote or a broken escape");
  return false;
}

function hex4(at: usize): i32 {
  if (at + 4 > end) return -1;
  let value = 0;
  for (let i: usize = 0; i < 4; ++i) {
    const c = <i32>load<u8>(at + i);
    let digit: i32;
    if (c >= 0x30 && c <= 0x39) digit = c - 0x30;
    else if ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x66) digit = (c | 0x20) - 0x57;
    else return -1;
    value = (value << 4) | digit;
  }
  return value;
}

function encode(to: usize, code: u32): u32 {
  if (code < 0x80) {
    store<u8>(to, u8(code));
    return 1;
  }
  if (code < 0x800) {
    store<u8>(to, u8(0xc0 | (code >> 6)));
    store<u8>(to, u8(0x80 | (code & 0x3f)), 1);
    return 2;
  }
  if (code < 0x10000) {
    store<u8>(to, u8(0xe0 | (code >> 12)));
    store<u8>(to, u8(0x80 | ((code >> 6) & 0x3f)), 1);
    store<u8>(to, u8(0x80 | (code & 0x3f)), 2);
    return 3;
  }
  store<u8>(to, u8(0xf0 | (code >> 18)));
  store<u8>(to, u8(0x80 | ((code >> 12) & 0x3f)), 1);
  store<u8>(to, u8(0x80 | ((code >> 6) & 0x3f)), 2);
  store<u8>(to, u8(0x80 | (code & 0x3f)), 3);
  return 4;
}

function ensureScratch(size: u32): void {
  if (size <= scratchCapacity) return;
  const capacity = max(max(size, scratchCapacity * 2), 1024);
  scratch = scratch == 0 ? heap.alloc(capacity) : heap.realloc(scratch, capacity);
  scratchCapacity = capacity;
}
