/**
 * Replaces the runtime's imported `abort`, so that the module has no imports. When an invariant is broken, it leaves
 * the message in a static buffer for the host to read, and traps.
 *
 * Nothing is allocated here, because the heap may be what is broken. The message is `message (file:line)` as
 * UTF-8. What does not fit into the buffer is cut between two characters. There is no recovery: after a trap the host
 * discards the instance.
 */

/** The longest text of a trap message, in bytes. */
export const TRAP_MESSAGE_BYTES_MAX: usize = 512;

// A u32 with the length, and then the text.
const buffer: usize = memory.data(516, 4);
const text: usize = buffer + 4;
const textEnd: usize = text + TRAP_MESSAGE_BYTES_MAX;

/**
 * The address of the last trap's message: a u32 with the length in bytes (0: never trapped), and then that many bytes
 * of UTF-8.
 */
export function trap_message(): usize {
  return buffer;
}

/**
 * Records the message and traps. The compiler calls it for a failed `assert`, for a `throw` and for the runtime's
 * checks. The compiler also passes a column, which is left out: calls without it are smaller.
 */
export function abort(message: string | null, fileName: string | null, line: u32, _column: u32): void {
  let at = text;
  at = appendString(at, message);
  at = appendByte(at, 0x20);
  at = appendByte(at, 0x28); // (
  at = appendString(at, fileName);
  at = appendByte(at, 0x3a); // :
  at = appendDecimal(at, line);
  at = appendByte(at, 0x29); // )
  store<u32>(buffer, <u32>(at - text));
  unreachable();
}

/** Appends a UTF-16 string as UTF-8; a lone surrogate becomes U+FFFD. */
function appendString(at: usize, value: string | null): usize {
  if (value === null) return at;
  const units = value.length;
  const start = changetype<usize>(value);
  for (let i = 0; i < units; i++) {
    let point = <u32>load<u16>(start + ((<usize>i) << 1));
    if ((point & 0xf800) == 0xd800) {
      const low = i + 1 < units ? <u32>load<u16>(start + ((<usize>(i + 1)) << 1)) : 0;
      if (point < 0xdc00 && (low & 0xfc00) == 0xdc00) {
        point = 0x10000 + ((point & 0x3ff) << 10) + (low & 0x3ff);
        i++;
      } else {
        point = 0xfffd;
      }
    }
    at = appendPoint(at, point);
  }
  return at;
}

/** Appends one code point. Appends nothing if its bytes do not all fit. */
function appendPoint(at: usize, point: u32): usize {
  if (point < 0x80) return appendByte(at, point);
  const more: u32 = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  if (at + more >= textEnd) return at;
  // The lead byte's mark is one set bit for each byte of the sequence: 110xxxxx, 1110xxxx, 11110xxx.
  store<u8>(at++, (0xff80 >> more) | (point >> (6 * more)));
  for (let left = more; left > 0; left--) store<u8>(at++, 0x80 | ((point >> (6 * (left - 1))) & 0x3f));
  return at;
}

function appendByte(at: usize, byte: u32): usize {
  if (at >= textEnd) return at;
  store<u8>(at, byte);
  return at + 1;
}

function appendDecimal(at: usize, value: u32): usize {
  if (value >= 10) at = appendDecimal(at, value / 10);
  return appendByte(at, 0x30 + (value % 10));
}
