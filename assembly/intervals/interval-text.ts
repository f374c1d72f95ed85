/**
 * The bytes of interval text (docs/spec/controller.md 3.4, api.md 1.6): decimal numbers, eight digits a step, and what
 * Go's strconv.Atoi makes of anything else.
 *
 * A number is at most 2^31 - 1 here. A larger one is read as that, which is not below any `completions` either. Leaves
 * out what an item means: intervals.ts reads leniently, interval-validation.ts strictly.
 */

export const COMMA: u32 = 0x2c;
export const DASH: u32 = 0x2d;
const PLUS: u32 = 0x2b;

/** What `readInteger` returns for text that is not an integer. */
export const NOT_INTEGER: i32 = -1;

/** How many bytes `writeInterval` may touch behind the last byte that it counts. */
export const WRITE_SLACK_BYTES: usize = 8;

const EIGHT_ZEROS: u64 = 0x3030303030303030;
const EIGHT_DIGITS: u32 = 100000000;
const INT64_MAX: u64 = 0x7fffffffffffffff;

/** How many bits of `word` are ASCII digits, from the lowest byte on: 0, 8 ... 64. */
@inline
export function digitBits(word: u64): u64 {
  const values = word ^ EIGHT_ZEROS;
  // SWAR test of eight bytes at once: after the addition, a byte has its high bit set unless it is 0 to 9. A carry out
  // of a byte affects only bytes after a non-digit.
  const others = ((values + 0x7676767676767676) | values) & 0x8080808080808080;
  return ctz(others) & ~7;
}

/**
 * The value of the digits in the lowest `bits` bits of `word` (8 ... 64). The lowest byte has the most significant
 * digit.
 */
@inline
export function digitsValue(word: u64, bits: u64): i32 {
  let value = (word ^ EIGHT_ZEROS) << (64 - bits);
  value = (value * 10 + (value >> 8)) & 0x00ff00ff00ff00ff;
  value = (value * 100 + (value >> 16)) & 0x0000ffff0000ffff;
  return <i32>((value * 10000 + (value >> 32)) & 0xffffffff);
}

/**
 * The integer that the whole text is, as strconv.Atoi reads it: digits, perhaps after a `+`. The text holds no `-`,
 * which separates. NOT_INTEGER for anything else, and for a number that does not fit 64 bits. 2^31 - 1 for one that
 * does not fit 31 bits.
 */
export function readInteger(at: usize, end: usize): i32 {
  if (at < end && <u32>load<u8>(at) == PLUS) at++;
  if (at == end) return NOT_INTEGER;
  let value: u64 = 0;
  for (; at < end; at++) {
    const digit = <u64>load<u8>(at) - 0x30;
    if (digit > 9 || value > (INT64_MAX - digit) / 10) return NOT_INTEGER;
    value = value * 10 + digit;
  }
  return <i32>min(value, <u64>i32.MAX_VALUE);
}

/** The address of the first byte that equals `byte`; `end` if there is none. */
export function findByte(at: usize, end: usize, byte: u32): usize {
  while (at < end && <u32>load<u8>(at) != byte) at++;
  return at;
}

/** How many decimal digits a value of 0 or more has. */
export function decimalDigits(value: i32): i32 {
  let digits = 1;
  while (value >= 10) {
    value /= 10;
    digits++;
  }
  return digits;
}

/**
 * Writes `a`, `a,b` (two numbers) or `a-b` (three and more). Returns the address behind it. Up to WRITE_SLACK_BYTES
 * bytes from there on may have changed.
 */
@inline
export function writeInterval(to: usize, first: i32, last: i32): usize {
  to = writeDecimal(to, <u32>first);
  if (last == first) return to;
  store<u8>(to, last - first == 1 ? COMMA : DASH);
  return writeDecimal(to + 1, <u32>last);
}

@inline
function writeDecimal(to: usize, value: u32): usize {
  return value < EIGHT_DIGITS ? writeShortDecimal(to, value) : writeLongDecimal(to, value);
}

/** Writes a value below 10^8. */
@inline
function writeShortDecimal(to: usize, value: u32): usize {
  const digits = eightDigits(value);
  // Drops leading zeros, but not the last digit of 0: the set bit 56 stops the count before it.
  const leading = ctz(digits | (1 << 56)) & ~7;
  store<u64>(to, (digits | EIGHT_ZEROS) >> leading);
  return to + <usize>(8 - (leading >> 3));
}

function writeLongDecimal(to: usize, value: u32): usize {
  to = writeShortDecimal(to, value / EIGHT_DIGITS);
  store<u64>(to, eightDigits(value % EIGHT_DIGITS) | EIGHT_ZEROS);
  return to + 8;
}

/**
 * The eight decimal digits of a value below 10^8, one in each byte. The lowest byte has the most significant digit.
 * Each lane is split into quotient and rest three times: x * 10486 >> 20 is x / 100 below 10^4, and x * 103 >> 10 is x
 * / 10 below 100.
 */
@inline
function eightDigits(value: u32): u64 {
  const high = value / 10000;
  const fours = (<u64>high) | ((<u64>(value - high * 10000)) << 32);
  const hundreds = ((fours * 10486) >> 20) & 0x0000007f0000007f;
  const twos = hundreds | ((fours - hundreds * 100) << 16);
  const tens = ((twos * 103) >> 10) & 0x000f000f000f000f;
  return tens | ((twos - tens * 10) << 8);
}
