/**
 * Base64 (RFC 4648 section 4, with padding) of bytes in linear memory. An AdmissionReview carries its patch like that.
 * Decoding is left out, because nothing here needs it.
 */
import { Writer } from "../json/writer";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PAD: u8 = 0x3d; // =

/** Writes the Base64 text of `size` bytes, without quotes. */
export function writeBase64(ptr: usize, size: u32, writer: Writer): void {
  const length = ((size + 2) / 3) * 4;
  let to = writer.grow(length);
  const end = ptr + size;
  let at = ptr;
  for (; at + 3 <= end; at += 3) {
    writeGroup(((<u32>load<u8>(at)) << 16) | ((<u32>load<u8>(at, 1)) << 8) | <u32>load<u8>(at, 2), to);
    to += 4;
  }
  if (at < end) {
    const hasSecond = at + 1 < end;
    writeGroup(((<u32>load<u8>(at)) << 16) | (hasSecond ? (<u32>load<u8>(at, 1)) << 8 : 0), to);
    if (!hasSecond) store<u8>(to, PAD, 2);
    store<u8>(to, PAD, 3);
  }
  writer.length += length;
}

// Writes three bytes, the first in the highest bits, as four digits.
function writeGroup(bytes: u32, to: usize): void {
  store<u8>(to, digit(bytes >> 18));
  store<u8>(to, digit(bytes >> 12), 1);
  store<u8>(to, digit(bytes >> 6), 2);
  store<u8>(to, digit(bytes), 3);
}

function digit(bits: u32): u8 {
  return load<u8>(changetype<usize>(ALPHABET) + ((<usize>(bits & 63)) << 1));
}
