/** Cuts strings to a limit in bytes without splitting a character. values/text.ts computes lengths. */

/** The longest beginning of a text with at most `maxBytes` UTF-8 bytes. */
export function utf8Head(text: string, maxBytes: number): string {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    bytes += bytesAt(text, i);
    if (bytes > maxBytes) return text.slice(0, isLowOfPair(text, i) ? i - 1 : i);
  }
  return text;
}

/** The longest end of a text with at most `maxBytes` UTF-8 bytes. */
export function utf8Tail(text: string, maxBytes: number): string {
  let bytes = 0;
  for (let i = text.length - 1; i >= 0; i--) {
    bytes += bytesAt(text, i);
    if (bytes > maxBytes) return text.slice(isLowOfPair(text, i + 1) ? i + 2 : i + 1);
  }
  return text;
}

/** Bytes of the UTF-16 unit at `index`; a surrogate pair has two for each of its units. */
function bytesAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return isLowOfPair(text, index) || isLowOfPair(text, index + 1) ? 2 : 3;
}

function isLowOfPair(text: string, index: number): boolean {
  if (index < 1 || index >= text.length) return false;
  const low = text.charCodeAt(index);
  const high = text.charCodeAt(index - 1);
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff;
}
