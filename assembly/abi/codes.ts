/** The return codes of bindings/ABI.md, and the details of the last one that was not 0. */
import { CLOSE_PARENTHESIS } from "../json/punctuation";
import { noteGarbage } from "../memory/garbage";
import { Writer } from "../json/writer";

export const OK: i32 = 0;
export const NOT_CONFIGURED: i32 = 1;
export const BAD_CONFIGURATION: i32 = 2;
export const UNKNOWN_SOURCE: i32 = 3;
export const PARTIAL_LINE: i32 = 4;
export const BAD_JSON: i32 = 5;
export const TOO_LARGE: i32 = 6;
export const UNKNOWN_REQUEST: i32 = 7;
export const UNREADABLE_OBJECT: i32 = 8;
export const OUT_OF_ORDER: i32 = 9;
export const WRONG_DOCUMENT: i32 = 10;
export const BAD_TIME: i32 = 11;

const record = new Writer(256);

/** Remembers what was wrong, and returns the code. `offset` is a byte in the input, or -1. */
export function refuse(code: i32, text: string, offset: i64 = -1): i32 {
  noteGarbage();
  const utf8 = String.UTF8.encode(text);
  record.reset();
  record.bytes(changetype<usize>(utf8), u32(utf8.byteLength));
  if (offset >= 0) {
    record.text(" (at byte ");
    record.integer(offset);
    record.byte(CLOSE_PARENTHESIS);
  }
  return code;
}

/** Refuses a `now` that is no time. */
export function refuseTime(): i32 {
  return refuse(
    BAD_TIME,
    "now must be a whole number of milliseconds from 0 to 253402300799999, the end of the year 9999",
  );
}

/** The sentence about the last refusal. */
export function lastRefusal(): Writer {
  return record;
}
