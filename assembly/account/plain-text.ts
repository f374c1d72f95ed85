/**
 * Writes texts as JSON, as `writeString` does. Most texts of an account need no escapes: these are
 * copied as they are.
 */
import { QUOTE } from "../json/punctuation";
import { writeString } from "../json/tree-text";
import { Writer } from "../json/writer";

/** Writes a JSON string of what a Writer holds. */
export function writeQuoted(text: Writer, to: Writer): void {
  const size = text.length;
  const quotes = i8x16.splat(0x22);
  const backslashes = i8x16.splat(0x5c);
  const controls = i8x16.splat(0x20);
  for (let i: u32 = 0; i < size; i += 16) {
    const block = v128.load(text.start + i);
    const special = v128.or(i8x16.eq(block, quotes), i8x16.eq(block, backslashes));
    const found = i8x16.bitmask(v128.or(special, i8x16.lt_u(block, controls)));
    const seen = size - i >= 16 ? 0xffff : (1 << (size - i)) - 1;
    if ((found & seen) != 0) return to.quoted(text.start, size);
  }
  to.byte(QUOTE);
  to.bytes(text.start, size);
  to.byte(QUOTE);
}

/** Writes a JSON string. */
export function writeText(text: string, to: Writer): void {
  const size = u32(text.length);
  const at = to.grow(size + 2);
  const units = changetype<usize>(text);
  store<u8>(at, QUOTE);
  for (let i: usize = 0; i < size; ++i) {
    const c = <u32>load<u16>(units + (i << 1));
    if (c < 0x20 || c > 0x7e || c == 0x22 || c == 0x5c) return writeString(text, to);
    store<u8>(at + i, u8(c), 1);
  }
  store<u8>(at + size, QUOTE, 1);
  to.length += size + 2;
}
