/**
 * Kubernetes timestamps: RFC 3339 text from and to milliseconds since 1970 (f64 with an integer value, UTC).
 *
 * The arithmetic is exact for the years 0001 to 9999 of the proleptic Gregorian calendar. A text that is not a valid
 * instant in that range gives NaN, never a guess. As on a real API server, `T` and `Z` are upper case, and there is no
 * leap second. The only time zones are numeric offsets.
 */

/** How many bytes `writeTime` writes: `2006-01-02T15:04:05Z`. */
export const TIME_BYTES: usize = 20;
/** How many bytes `writeMicroTime` writes: `2006-01-02T15:04:05.000000Z`. */
export const MICRO_TIME_BYTES: usize = 27;

/** 0001-01-01T00:00:00Z, which Go and Kubernetes call the zero time. */
export const TIME_MS_MIN: f64 = -62135596800000;
/** 9999-12-31T23:59:59.999Z */
export const TIME_MS_MAX: f64 = 253402300799999;

const MS_PER_DAY: i64 = 86400000;
// Days from 0000-03-01, where the 400-year cycle of the calendar starts, to 1970-01-01.
const DAYS_TO_1970: i32 = 719468;
const DAYS_PER_CYCLE: i32 = 146097;
// This is larger than any field may be. So the range check of the field finds it.
const NOT_DIGITS: i32 = 1000;

/**
 * Reads a metav1.Time or metav1.MicroTime: seconds, a fraction of any length (cut to whole milliseconds), `Z` or an
 * offset `+hh:mm`. NaN when the text is malformed, names a day that does not exist, or lies outside the years 0001 to
 * 9999.
 */
export function parseTime(at: usize, length: usize): f64 {
  if (length < TIME_BYTES) return NaN;
  const end = at + length;
  const century = digitPair(at);
  const yearOfCentury = digitPair(at + 2);
  const month = digitPair(at + 5);
  const day = digitPair(at + 8);
  const hour = digitPair(at + 11);
  const minute = digitPair(at + 14);
  const second = digitPair(at + 17);
  if (load<u8>(at + 4) != 0x2d || load<u8>(at + 7) != 0x2d) return NaN; // -
  if (load<u8>(at + 10) != 0x54) return NaN; // T
  if (load<u8>(at + 13) != 0x3a || load<u8>(at + 16) != 0x3a) return NaN; // :
  if (century > 99 || yearOfCentury > 99 || hour > 23 || minute > 59 || second > 59) return NaN;
  const year = century * 100 + yearOfCentury;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return NaN;

  at += 19;
  let fractionMs = 0;
  if (load<u8>(at) == 0x2e) {
    const start = ++at;
    let weightMs = 100;
    while (at < end && isDigit(load<u8>(at))) {
      fractionMs += weightMs * (<i32>load<u8>(at) - 0x30);
      weightMs /= 10;
      at++;
    }
    if (at == start) return NaN;
  }

  const offsetMinutes = parseOffset(at, end);
  if (offsetMinutes == NOT_DIGITS * 60) return NaN;
  const minutes = <i64>daysFromCivil(year, month, day) * 1440 + <i64>(hour * 60 + minute - offsetMinutes);
  const ms = <f64>(minutes * 60000 + <i64>(second * 1000 + fractionMs));
  return ms < TIME_MS_MIN || ms > TIME_MS_MAX ? NaN : ms;
}

/**
 * Writes a metav1.Time, TIME_BYTES bytes. Milliseconds are cut off (towards the past). Returns the address behind it.
 * Traps unless TIME_MS_MIN <= ms <= TIME_MS_MAX.
 */
export function writeTime(ms: f64, to: usize): usize {
  writeToSecond(ms, to);
  store<u8>(to + 19, 0x5a); // Z
  return to + TIME_BYTES;
}

/**
 * Writes a metav1.MicroTime, MICRO_TIME_BYTES bytes. Returns the address behind it. The limits are as for `writeTime`.
 */
export function writeMicroTime(ms: f64, to: usize): usize {
  const fractionMs = writeToSecond(ms, to);
  store<u8>(to + 19, 0x2e); // .
  store<u8>(to + 20, 0x30 + <u8>(fractionMs / 100));
  writePair(to + 21, fractionMs % 100);
  store<u32>(to + 23, 0x5a303030); // 000Z
  return to + MICRO_TIME_BYTES;
}

/** Writes `2006-01-02T15:04:05`, 19 bytes. Returns the milliseconds that are left. */
function writeToSecond(ms: f64, to: usize): i32 {
  assert(ms >= TIME_MS_MIN && ms <= TIME_MS_MAX, "a time to write lies outside the years 0001 to 9999");
  const whole = <i64>ms;
  let days = <i32>(whole / MS_PER_DAY);
  let msOfDay = <i32>(whole % MS_PER_DAY);
  if (msOfDay < 0) {
    msOfDay += <i32>MS_PER_DAY;
    days--;
  }
  writeDate(days, to);
  store<u8>(to + 10, 0x54); // T
  writePair(to + 11, msOfDay / 3600000);
  store<u8>(to + 13, 0x3a); // :
  writePair(to + 14, (msOfDay / 60000) % 60);
  store<u8>(to + 16, 0x3a);
  writePair(to + 17, (msOfDay / 1000) % 60);
  return msOfDay % 1000;
}

/** Writes `2006-01-02` for a number of days since 1970. It is the inverse of `daysFromCivil`. */
function writeDate(days: i32, to: usize): void {
  const sinceCycles = days + DAYS_TO_1970;
  const cycle = sinceCycles / DAYS_PER_CYCLE;
  const dayOfCycle = sinceCycles % DAYS_PER_CYCLE;
  const yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / 146096) / 365;
  const dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100);
  const monthFromMarch = (5 * dayOfYear + 2) / 153;
  const day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = cycle * 400 + yearOfCycle + i32(month <= 2);
  writePair(to, year / 100);
  writePair(to + 2, year % 100);
  store<u8>(to + 4, 0x2d); // -
  writePair(to + 5, month);
  store<u8>(to + 7, 0x2d);
  writePair(to + 8, day);
}

/**
 * The number of days since 1970-01-01. Years begin in March here, so that a leap day is the last day of its year
 * (Howard Hinnant, "chrono-compatible low-level date algorithms").
 */
function daysFromCivil(year: i32, month: i32, day: i32): i32 {
  const y = year - i32(month <= 2);
  const cycle = y / 400;
  const yearOfCycle = y % 400;
  const monthFromMarch = month > 2 ? month - 3 : month + 9;
  const dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1;
  const dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear;
  return cycle * DAYS_PER_CYCLE + dayOfCycle - DAYS_TO_1970;
}

function daysInMonth(year: i32, month: i32): i32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  // April, June, September and November.
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/**
 * How many minutes east of UTC the rest of the text is. It must be `Z`, `+hh:mm` or `-hh:mm`; else the result is
 * NOT_DIGITS * 60.
 */
function parseOffset(at: usize, end: usize): i32 {
  const malformed = NOT_DIGITS * 60;
  if (at >= end) return malformed;
  const sign = load<u8>(at);
  if (sign == 0x5a) return at + 1 == end ? 0 : malformed;
  if ((sign != 0x2b && sign != 0x2d) || at + 6 != end || load<u8>(at + 3) != 0x3a) return malformed;
  const hours = digitPair(at + 1);
  const minutes = digitPair(at + 4);
  if (hours > 23 || minutes > 59) return malformed;
  const offset = hours * 60 + minutes;
  return sign == 0x2d ? -offset : offset;
}

/** The value of two ASCII digits, or NOT_DIGITS. */
function digitPair(at: usize): i32 {
  const tens = load<u8>(at);
  const ones = load<u8>(at + 1);
  return isDigit(tens) && isDigit(ones) ? (<i32>tens - 0x30) * 10 + (<i32>ones - 0x30) : NOT_DIGITS;
}

function isDigit(byte: u8): bool {
  return <u32>byte - 0x30 < 10;
}

function writePair(to: usize, value: i32): void {
  store<u8>(to, 0x30 + <u8>(value / 10));
  store<u8>(to + 1, 0x30 + <u8>(value % 10));
}
