/**
 * A growing buffer of UTF-8 bytes, with what JSON needs. A Writer is reused: `reset` keeps its memory. Invariant:
 * PADDING readable bytes follow the content, so that the reader can read what was written. Pretty printing is left out,
 * and nesting is not checked: the caller writes the punctuation.
 */
import { PERCENT, QUOTE } from "./punctuation";
import { blobAt, blobSize } from "../memory/blob";
import { MICRO_TIME_BYTES, TIME_BYTES, writeMicroTime, writeTime } from "../time/rfc3339";
import { PADDING } from "./reader";

const DIGITS = "0123456789abcdef";

/** A buffer to write into. */
export class Writer {
  private buffer: usize;
  private capacity: u32;
  /** How many bytes are written. */
  length: u32 = 0;

  constructor(capacity: u32 = 1024) {
    this.capacity = capacity;
    this.buffer = heap.alloc(capacity + PADDING);
  }

  /** The address of the content. It holds until the next write. */
  get start(): usize {
    return this.buffer;
  }

  reset(): void {
    this.length = 0;
  }

  /**
   * Ensures capacity for `size` more bytes, and returns their address. The caller adds what it has used to `length`.
   */
  grow(size: u32): usize {
    const needed = this.length + size;
    if (needed > this.capacity) {
      const capacity = max(needed, this.capacity * 2);
      this.buffer = heap.realloc(this.buffer, capacity + PADDING);
      this.capacity = capacity;
    }
    return this.buffer + this.length;
  }

  byte(value: u32): void {
    store<u8>(this.grow(1), u8(value));
    this.length += 1;
  }

  bytes(ptr: usize, size: u32): void {
    memory.copy(this.grow(size), ptr, size);
    this.length += size;
  }

  /** Writes the bytes of a blob; nothing for 0. */
  blob(blob: usize): void {
    this.bytes(blobAt(blob), blobSize(blob));
  }

  /** Writes ASCII text unchanged, without quotes: punctuation, names, constant JSON. */
  text(ascii: string): void {
    this.part(ascii, 0, ascii.length);
  }

  /** Writes the characters from `from` to before `until` of ASCII text, unchanged. */
  part(ascii: string, from: i32, until: i32): void {
    const size = u32(until - from);
    const to = this.grow(size);
    const chars = changetype<usize>(ascii) + (usize(from) << 1);
    for (let i: u32 = 0; i < size; ++i) store<u8>(to + i, load<u8>(chars + (usize(i) << 1)));
    this.length += size;
  }

  integer(value: i64): void {
    if (value == 0) {
      this.byte(0x30);
      return;
    }
    const at = this.grow(20);
    let to = at;
    let rest = value < 0 ? u64(0) - u64(value) : u64(value);
    if (value < 0) store<u8>(to++, 0x2d);
    const from = to;
    while (rest != 0) {
      store<u8>(to++, u8(0x30 + (rest % 10)));
      rest /= 10;
    }
    this.length += u32(to - at);
    for (let low = from, high = to - 1; low < high; ++low, --high) {
      const swap = load<u8>(low);
      store<u8>(low, load<u8>(high));
      store<u8>(high, swap);
    }
  }

  /** Writes milliseconds or a count that is kept as f64, as an integer. Writes null for NaN and infinities. */
  number(value: f64): void {
    if (isFinite(value)) this.integer(i64(value));
    else this.text("null");
  }

  /** Writes lower-case hexadecimal without leading zeros. */
  hex(value: u64): void {
    let shift = value == 0 ? 0 : (63 - i32(clz(value))) & ~3;
    for (; shift >= 0; shift -= 4) this.byte(DIGITS.charCodeAt(i32((value >> shift) & 15)));
  }

  /**
   * Writes a JSON string of these UTF-8 bytes, with quotes. Control characters, quotes and backslashes are escaped as
   * Go's encoder does.
   */
  quoted(ptr: usize, size: u32): void {
    this.byte(QUOTE);
    this.escaped(ptr, size);
    this.byte(QUOTE);
  }

  /** Writes a JSON string of the bytes of a blob; 0 gives an empty one. */
  quotedBlob(blob: usize): void {
    this.quoted(blobAt(blob), blobSize(blob));
  }

  /** Writes the inside of a JSON string of the bytes of a blob; nothing for 0. */
  escapedBlob(blob: usize): void {
    this.escaped(blobAt(blob), blobSize(blob));
  }

  /** Writes the inside of a JSON string: what `quoted` writes, without the quotes. */
  escaped(ptr: usize, size: u32): void {
    // At worst, every byte becomes \u00xx.
    const at = this.grow(size * 6);
    let to = at;
    for (let i: u32 = 0; i < size; ++i) {
      const c = <u32>load<u8>(ptr + i);
      if (c >= 0x20 && c != 0x22 && c != 0x5c) {
        store<u8>(to++, u8(c));
        continue;
      }
      store<u8>(to++, 0x5c);
      if (c == 0x22 || c == 0x5c) store<u8>(to++, u8(c));
      else if (c == 0x0a) store<u8>(to++, 0x6e);
      else if (c == 0x0d) store<u8>(to++, 0x72);
      else if (c == 0x09) store<u8>(to++, 0x74);
      else {
        store<u32>(to, 0x30303075);
        store<u8>(to, u8(0x30 + (c >> 4)), 3);
        store<u8>(to, u8(DIGITS.charCodeAt(i32(c & 15))), 4);
        to += 5;
      }
    }
    this.length += u32(to - at);
  }

  /**
   * Writes the bytes of a blob as a value in the query of a path. All but letters, digits, `-`, `.` and `_` become
   * `%XX`.
   */
  queryValue(blob: usize): void {
    for (let i: u32 = 0; i < blobSize(blob); ++i) {
      const c = <u32>load<u8>(blobAt(blob) + i);
      const letter = c | 0x20;
      if ((letter >= 0x61 && letter <= 0x7a) || (c >= 0x30 && c <= 0x39) || c == 0x2d || c == 0x2e || c == 0x5f) {
        this.byte(c);
      } else {
        this.byte(PERCENT);
        this.byte(upperHex(c >> 4));
        this.byte(upperHex(c & 15));
      }
    }
  }

  /** Writes an RFC 3339 time with whole seconds, quoted. `timeMs` is wall clock. */
  time(timeMs: f64): void {
    this.byte(QUOTE);
    const at = this.grow(u32(TIME_BYTES));
    this.length += u32(writeTime(timeMs, at) - at);
    this.byte(QUOTE);
  }

  /** Writes an RFC 3339 time with six decimals, quoted. `timeMs` is wall clock. */
  microTime(timeMs: f64): void {
    this.byte(QUOTE);
    const at = this.grow(u32(MICRO_TIME_BYTES));
    this.length += u32(writeMicroTime(timeMs, at) - at);
    this.byte(QUOTE);
  }
}

function upperHex(digit: u32): u32 {
  return digit < 10 ? 0x30 + digit : 0x37 + digit;
}
