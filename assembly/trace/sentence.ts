/**
 * What a row says, for people and for programs: its name, its sentence with the numbers in it, and the numbers as JSON.
 * Sentences are ASCII without quotes, and are copied into JSON strings unchanged. What came from outside is escaped.
 *
 * `{name}` is replaced by a number, `{name:span}` by milliseconds as a time span, `{name:clock}` for a wall-clock
 * moment, `{name:s}` for the s of a plural, `{name:times}` for how often, `{text}` for the text, `{again}` for how
 * often something was tried. `[…]` is a part that is left out when its first number, or text, is absent.
 */
import { COLON, COMMA, SPACE } from "../json/punctuation";
import { bytesEqual } from "../memory/hash";
import { Writer } from "../json/writer";
import { blobAt, blobSize, literal } from "../memory/blob";
import { wallNow } from "../time/now";
import { TIME_BYTES, TIME_MS_MAX, TIME_MS_MIN, writeTime } from "../time/rfc3339";
import { Decision, isWord, nameAt, nameEnd, next, numbersAt, sentenceAt, sentenceEnd } from "./row";

/** The text that replaces `{again}`. */
const AGAIN = literal("[ {tries:times} since {sinceMs:clock}][, next try in {remainingMs:span}]");

const SEMICOLON: u8 = 0x3b;
const SQUARE_OPEN: u8 = 0x5b;
const SQUARE_CLOSE: u8 = 0x5d;
const CURLY_OPEN: u8 = 0x7b;
const CURLY_CLOSE: u8 = 0x7d;

const MS_PER_DAY: f64 = 86400000;
/** A hundred years. A longer wait is printed as "more than 100 years". */
export const NEVER_MS: f64 = 36525 * MS_PER_DAY;

// What the sentence that is being written is made of.
let row: Decision = 0;
let numbers: usize = 0;
let knowsAll = false;
let text: usize = 0;

export function writeName(to: Writer, decision: Decision): void {
  const name = nameAt(decision);
  to.bytes(name, u32(nameEnd(name) - name));
}

/**
 * Writes the sentence with its numbers. `values` is the address of one f64 for each number of the row; NaN: absent.
 * `isExplained`: the numbers that only an explanation knows are there, too. `textBlob` is the text; 0: none.
 */
export function writeSentence(to: Writer, decision: Decision, values: usize, isExplained: bool, textBlob: usize): void {
  knowsAll = isExplained;
  writeFilled(to, decision, values, textBlob, sentenceAt(decision), sentenceEnd(decision));
}

/** Writes words of a row that are no sentence of a decision, from `at` to before `end`, in the same way. */
export function writeWords(to: Writer, what: usize, values: usize, textBlob: usize, at: usize, end: usize): void {
  knowsAll = false;
  writeFilled(to, what, values, textBlob, at, end);
}

/** Writes the numbers that are not absent, as a JSON object. The parameters are as for `writeSentence`. */
export function writeNumbers(to: Writer, decision: Decision, values: usize, isExplained: bool): void {
  knowsAll = isExplained;
  let any = false;
  to.byte(CURLY_OPEN);
  for (let name = numbersAt(decision); name != 0; name = nextName(name)) {
    const value = load<f64>(values);
    values += sizeof<f64>();
    if (isNaN(value)) continue;
    if (any) to.byte(COMMA);
    any = true;
    to.quoted(name, u32(nameEnd(name) - name));
    to.byte(COLON);
    to.number(value);
  }
  to.byte(CURLY_CLOSE);
}

/** Whether its sentence says how often something was tried. */
export function isTriedAgain(decision: Decision): bool {
  const end = sentenceEnd(decision);
  for (let at = sentenceAt(decision); at < end; ++at) {
    if (load<u8>(at) == CURLY_OPEN && isWord(at + 1, nameEnd(at + 1), "again")) return true;
  }
  return false;
}

function writeFilled(to: Writer, what: usize, values: usize, textBlob: usize, at: usize, end: usize): void {
  row = what;
  numbers = values;
  text = textBlob;
  write(to, at, end);
}

function write(to: Writer, at: usize, end: usize): void {
  for (; at < end; ++at) {
    const c = load<u8>(at);
    if (c == SQUARE_OPEN) {
      if (isNaN(numberOf(next(at, CURLY_OPEN) + 1))) at = next(at, SQUARE_CLOSE);
    } else if (c == CURLY_OPEN) {
      const close = next(at, CURLY_CLOSE);
      writePlaceholder(to, at + 1, close);
      at = close;
    } else if (c != SQUARE_CLOSE) {
      to.byte(c);
    }
  }
}

function writePlaceholder(to: Writer, name: usize, close: usize): void {
  const end = nameEnd(name);
  if (isWord(name, end, "text")) {
    if (text != 0) to.escapedBlob(text);
    return;
  }
  if (isWord(name, end, "again")) {
    write(to, blobAt(AGAIN), blobAt(AGAIN) + blobSize(AGAIN));
    return;
  }
  const value = numberOf(name);
  if (end == close) to.number(value);
  else if (isWord(end + 1, close, "span")) writeSpan(to, value);
  else if (isWord(end + 1, close, "clock")) writeClock(to, value);
  else if (isWord(end + 1, close, "times")) writeTimes(to, value);
  else if (value != 1) to.byte(0x73);
}

// The value of the number that has this name.
function numberOf(wanted: usize): f64 {
  const end = nameEnd(wanted);
  if (text != 0 && isWord(wanted, end, "text")) return 0;
  const size = u32(end - wanted);
  let at = numbers;
  for (let name = numbersAt(row); name != 0; name = nextName(name)) {
    if (u32(nameEnd(name) - name) == size && bytesEqual(name, wanted, size)) return load<f64>(at);
    at += sizeof<f64>();
  }
  return NaN;
}

// The next name of the row's numbers; 0: this was the last one that is known.
function nextName(name: usize): usize {
  const end = nameEnd(name);
  const mark = load<u8>(end);
  return mark == COMMA || (mark == SEMICOLON && knowsAll) ? end + 1 : 0;
}

function writeTimes(to: Writer, count: f64): void {
  if (count == 1) {
    to.text("once");
    return;
  }
  to.number(count);
  to.text(" times");
}

/**
 * Writes a time span: `250 ms`, `37 s`, `4 min 20 s`, `2 h 5 min`, `more than 100 years`. Above a second, a part of one
 * counts as a whole one. cluster/values/time-span.ts writes the same.
 */
export function writeSpan(to: Writer, spanMs: f64): void {
  const ms = Math.ceil(max(0, spanMs));
  const seconds = i64(Math.ceil(min(ms, NEVER_MS) / 1000));
  if (ms > 0 && ms < 1000) writeUnit(to, i64(ms), " ms");
  else if (ms > NEVER_MS) to.text("more than 100 years");
  else if (seconds < 120) writeUnit(to, seconds, " s");
  else if (seconds < 7200) writeUnits(to, seconds, " min", " s");
  else writeUnits(to, seconds / 60, " h", " min");
}

function writeUnits(to: Writer, amount: i64, big: string, small: string): void {
  writeUnit(to, amount / 60, big);
  if (amount % 60 == 0) return;
  to.byte(SPACE);
  writeUnit(to, amount % 60, small);
}

function writeUnit(to: Writer, amount: i64, unit: string): void {
  to.integer(amount);
  to.text(unit);
}

/** Writes a moment in UTC: `10:02:11`, with the date before it unless that is today's. */
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
