/**
 * How a sentence is made of its template and its numbers, for people. Templates are ASCII without quotes and go into
 * JSON strings as they stand; what came from outside is escaped.
 *
 * `{name}` stands for a number, `{name:span}` for milliseconds as a time span, `{name:clock}` for a wall-clock moment,
 * `{name:s}` for the s of a plural, `{name:times}` for how often, `{text}` for the text, `{again}` for how often
 * something was tried, and `[…]` for a part that goes when its first number is absent.
 */
import { Writer } from "./json/writer";
import { wallNow } from "./time/now";
import { TIME_BYTES, TIME_MS_MAX, TIME_MS_MIN, writeTime } from "./time/rfc3339";

/** What `{again}` stands for, in the numbers TRY_NUMBERS. */
const AGAIN = "[ {tries:times} since {sinceMs:clock}][, next try in {remainingMs:span}]";
/** The numbers of something that failed and is tried again. */
export const TRY_NUMBERS = "status,tries,sinceMs,remainingMs";

const MS_PER_DAY: f64 = 86400000;

// What the sentence under way is made of.
let names: string = "";
let numbers: usize = 0;
let text: usize = 0;

/** `numberNames`: separated by commas; `values`: that many f64, NaN: absent; `textBlob`: 0 for none. */
export function writeSentence(to: Writer, sentence: string, numberNames: string, values: usize, textBlob: usize): void {
  names = numberNames;
  numbers = values;
  text = textBlob;
  write(to, sentence);
}

/** The numbers that are there, as a JSON object. */
export function writeNumbers(to: Writer, numberNames: string, values: usize): void {
  to.byte(0x7b);
  let from = 0;
  let any = false;
  for (let at = values; from < numberNames.length; at += sizeof<f64>()) {
    const until = endOf(numberNames, from, ",", numberNames.length);
    const value = load<f64>(at);
    if (!isNaN(value)) {
      if (any) to.byte(0x2c);
      any = true;
      to.byte(0x22);
      to.part(numberNames, from, until);
      to.text('":');
      to.number(value);
    }
    from = until + 1;
  }
  to.byte(0x7d);
}

function write(to: Writer, sentence: string): void {
  for (let i = 0; i < sentence.length; ++i) {
    const c = sentence.charCodeAt(i);
    if (c == 0x5b) {
      const open = sentence.indexOf("{", i) + 1;
      if (isNaN(numberOf(sentence, open, nameEnd(sentence, open)))) i = sentence.indexOf("]", i);
    } else if (c == 0x7b) {
      const end = sentence.indexOf("}", i);
      writePlaceholder(to, sentence, i + 1, end);
      i = end;
    } else if (c != 0x5d) {
      to.byte(u32(c));
    }
  }
}

function writePlaceholder(to: Writer, sentence: string, from: i32, until: i32): void {
  const end = nameEnd(sentence, from);
  if (isPart(sentence, from, end, "text")) {
    if (text != 0) to.escapedBlob(text);
    return;
  }
  if (isPart(sentence, from, end, "again")) {
    write(to, AGAIN);
    return;
  }
  const value = numberOf(sentence, from, end);
  if (end == until) to.number(value);
  else if (isPart(sentence, end + 1, until, "span")) writeSpan(to, value);
  else if (isPart(sentence, end + 1, until, "clock")) writeClock(to, value);
  else if (isPart(sentence, end + 1, until, "times")) writeTimes(to, value);
  else if (value != 1) to.byte(0x73);
}

function nameEnd(sentence: string, from: i32): i32 {
  return endOf(sentence, from, ":", sentence.indexOf("}", from));
}

// Where the mark stands, but not behind `last`.
function endOf(all: string, from: i32, mark: string, last: i32): i32 {
  const at = all.indexOf(mark, from);
  return at < 0 || at > last ? last : at;
}

function numberOf(sentence: string, from: i32, until: i32): f64 {
  let start = 0;
  for (let at = numbers; start < names.length; at += sizeof<f64>()) {
    const end = endOf(names, start, ",", names.length);
    if (end - start == until - from && samePart(names, start, sentence, from, end - start)) return load<f64>(at);
    start = end + 1;
  }
  return NaN;
}

function isPart(all: string, from: i32, until: i32, expected: string): bool {
  return until - from == expected.length && samePart(all, from, expected, 0, expected.length);
}

// Compared in place: parts cut out would be garbage by the thousand.
function samePart(a: string, aFrom: i32, b: string, bFrom: i32, length: i32): bool {
  for (let i = 0; i < length; ++i) {
    if (a.charCodeAt(aFrom + i) != b.charCodeAt(bFrom + i)) return false;
  }
  return true;
}

function writeTimes(to: Writer, count: f64): void {
  if (count == 1) {
    to.text("once");
    return;
  }
  to.number(count);
  to.text(" times");
}

/** `37 s`, `4 min 20 s`, `2 h 5 min`; a part of a second counts as one. */
export function writeSpan(to: Writer, spanMs: f64): void {
  const seconds = i64(Math.ceil(max(0, spanMs) / 1000));
  if (seconds < 120) writeUnit(to, seconds, " s");
  else if (seconds < 7200) writeUnits(to, seconds, " min", " s");
  else writeUnits(to, seconds / 60, " h", " min");
}

function writeUnits(to: Writer, amount: i64, big: string, small: string): void {
  writeUnit(to, amount / 60, big);
  if (amount % 60 == 0) return;
  to.byte(0x20);
  writeUnit(to, amount % 60, small);
}

function writeUnit(to: Writer, amount: i64, unit: string): void {
  to.integer(amount);
  to.text(unit);
}

/** `10:02:11`, with the date before it unless that is today's; UTC. */
export function writeClock(to: Writer, wallMs: f64): void {
  const at = to.grow(u32(TIME_BYTES));
  writeTime(min(max(wallMs, TIME_MS_MIN), TIME_MS_MAX), at);
  const timeAt: u32 = 11;
  const timeBytes: u32 = 8;
  if (Math.floor(wallMs / MS_PER_DAY) == Math.floor(wallNow() / MS_PER_DAY)) {
    memory.copy(at, at + timeAt, timeBytes);
    to.length += timeBytes;
  } else {
    store<u8>(at + timeAt - 1, 0x20);
    to.length += timeAt + timeBytes;
  }
}
