/**
 * Base64 (RFC 4648 section 4, with padding) of bytes in linear memory: an AdmissionReview carries its patch so.
 * Leaves out decoding, which nothing here needs.
 */
import { Writer } from "../json/writer";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PAD: u32 = 0x3d;

/** Writes the Base64 text of `size` bytes, without quotes. */
export function writeBase64(ptr: usize, size: u32, writer: Writer): void {
  let at: u32 = 0;
  for (; at + 3 <= size; at += 3) {
    const word = (<u32>load<u8>(ptr + at) << 16) | (<u32>load<u8>(ptr + at, 1) << 8) | <u32>load<u8>(ptr + at, 2);
    writer.byte(digit(word >> 18));
    writer.byte(digit(word >> 12));
    writer.byte(digit(word >> 6));
    writer.byte(digit(word));
  }
  const rest = size - at;
  if (rest == 0) return;
  const word = (<u32>load<u8>(ptr + at) << 16) | (rest == 2 ? <u32>load<u8>(ptr + at, 1) << 8 : 0);
  writer.byte(digit(word >> 18));
  writer.byte(digit(word >> 12));
  writer.byte(rest == 2 ? digit(word >> 6) : PAD);
  writer.byte(PAD);
}

// @ts-ignore: decorator
@inline
function digit(bits: u32): u32 {
  return <u32>load<u16>(changetype<usize>(ALPHABET) + (<usize>(bits & 63) << 1));
}
