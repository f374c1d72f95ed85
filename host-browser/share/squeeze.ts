/**
 * Encodes text in characters that an address may have, and decodes it: deflate and base64url, both by the browser
 * itself.
 *
 * Invariant: decoding an encoded text returns the same text. Decompression stops with an error at the limit, so a small
 * address cannot fill the memory.
 */
import { SharedDataError } from "./fields.ts";

/** The longest text that is unpacked, in bytes. */
export const MAX_UNPACKED_BYTES = 2 * 1024 * 1024;
const DAMAGED = "the address is damaged or was cut off: copy the whole of it again";

export async function squeeze(text: string): Promise<string> {
  const packed = await drain(through(text, new CompressionStream("deflate-raw")), Infinity);
  const characters = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @throws SharedDataError */
export async function unsqueeze(squeezed: string, maxBytes = MAX_UNPACKED_BYTES): Promise<string> {
  if (!/^[A-Za-z0-9_-]*$/.test(squeezed)) throw new SharedDataError(DAMAGED);
  try {
    const characters = atob(squeezed.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(characters, (character) => character.charCodeAt(0));
    const bytes = await drain(through(packed, new DecompressionStream("deflate-raw")), maxBytes);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof SharedDataError) throw error;
    throw new SharedDataError(DAMAGED);
  }
}

/** What a file holds that was compressed with gzip. @throws SharedDataError when that is more than the limit */
export async function unpackedText(file: Blob, maxBytes: number): Promise<string> {
  const bytes = await drain(file.stream().pipeThrough(new DecompressionStream("gzip")), maxBytes, "the file");
  return new TextDecoder().decode(bytes);
}

function through(
  content: string | Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): ReadableStream<Uint8Array> {
  return new Blob([content]).stream().pipeThrough(stream);
}

async function drain(stream: ReadableStream<Uint8Array>, maxBytes: number, what = "the address"): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw new SharedDataError(`${what} unpacks to more than ${maxBytes} bytes, which no run needs`);
    }
    parts.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
