/**
 * Texts as UTF-8, without an allocation for each. Invariant: one text at a time, because one buffer serves all. It
 * grows to the largest text so far, and stays.
 */
import { Writer } from "./writer";

const bytes = new Writer(256);

/** The text as UTF-8, which holds until the next call; a lone surrogate becomes U+FFFD. */
export function utf8Of(text: string): Writer {
  bytes.reset();
  const size = u32(String.UTF8.byteLength(text));
  String.UTF8.encodeUnsafe(
    changetype<usize>(text),
    text.length,
    bytes.grow(size),
    false,
    String.UTF8.ErrorMode.REPLACE,
  );
  bytes.length = size;
  return bytes;
}
