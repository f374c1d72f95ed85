/**
 * Text that comes in pieces, put together as UTF-8. A piece goes straight to its place, so no string of the whole is
 * made. Leaves out a limit: whoever reads takes everything at each instant.
 */
interface Utf8Encoder {
  encodeInto(text: string, bytes: Uint8Array): { readonly written: number };
}
// Every host has TextEncoder (Node, browsers, Deno, Bun), but this folder may use no library of types that declares it.
declare const TextEncoder: new () => Utf8Encoder;

const encoder = new TextEncoder();
const INITIAL_BYTES = 4_096;
/** A larger buffer is dropped when it has been read. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** A UTF-16 code unit becomes at most this many bytes. */
const MAX_BYTES_A_UNIT = 3;
/** For a text up to this length, a loop is faster than the encoder. */
const SHORT_TEXT = 24;

export class Utf8Buffer {
  #bytes: Uint8Array = new Uint8Array(INITIAL_BYTES);
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  write(text: string): void {
    this.#makeRoom(text.length * MAX_BYTES_A_UNIT);
    if (text.length <= SHORT_TEXT && this.#writeShort(text)) return;
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  append(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** What was written since the last time. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = new Uint8Array(INITIAL_BYTES);
    return taken;
  }

  /** False: it is not ASCII, and nothing was written. */
  #writeShort(text: string): boolean {
    const bytes = this.#bytes;
    const start = this.#length;
    for (let place = 0; place < text.length; place++) {
      const unit = text.charCodeAt(place);
      if (unit > 0x7f) return false;
      bytes[start + place] = unit;
    }
    this.#length = start + text.length;
    return true;
  }

  #makeRoom(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
