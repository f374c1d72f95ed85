/** Text and bytes without a DOM or Node: UTF-8 in, base64 both ways. Output stays text; the host encodes it. */

interface Utf8Decoder {
  decode(bytes: Uint8Array): string;
}
// Every host has TextDecoder (Node, browsers, Deno, Bun), but this folder may use no library of types that declares it.
declare const TextDecoder: new (label: "utf-8") => Utf8Decoder;

const decoder = new TextDecoder("utf-8");

export function textOf(body: Uint8Array | string): string {
  return typeof body === "string" ? body : decoder.decode(body);
}

/** Length in bytes as UTF-8. */
export function byteLength(body: Uint8Array | string): number {
  if (typeof body !== "string") return body.length;
  let bytes = body.length;
  for (let index = 0; index < body.length; index++) {
    const unit = body.charCodeAt(index);
    if (unit < 0x80) continue;
    // A surrogate pair is two units and four bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** The bytes of a text as lower-case hex. */
export function hexOf(body: string): string {
  return [...utf8(body)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function* utf8(text: string): Generator<number> {
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code < 0x80) yield code;
    else if (code < 0x800) yield* [0xc0 | (code >> 6), 0x80 | (code & 63)];
    else if (code < 0x10000) yield* [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
    else yield* [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
  }
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** The value of each digit of both alphabets, by its code. */
const sextets: (number | undefined)[] = [];
for (const [value, character] of [...alphabet].entries()) sextets[character.charCodeAt(0)] = value;
sextets["-".charCodeAt(0)] = 62;
sextets["_".charCodeAt(0)] = 63;

/**
 * The text without certain characters at its end. A regular expression would be slow: it would retry at each of them in
 * the middle.
 */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** Decodes base64 to the text it encodes; see base64Bytes. */
export function base64Decode(encoded: string): string {
  return decoder.decode(base64Bytes(encoded));
}

/**
 * Decodes base64, standard or URL alphabet, padded or not.
 * @throws Error naming the first character that is not base64
 */
export function base64Bytes(encoded: string): Uint8Array {
  const digits = trimmedEnd(encoded, "=");
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let buffer = 0;
  let length = 0;
  for (let index = 0; index < digits.length; index++) {
    const value = sextets[digits.charCodeAt(index)];
    if (value === undefined) throw new Error(`illegal base64 data at input byte ${index}`);
    buffer = ((buffer << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = (buffer >> bits) & 0xff;
    }
  }
  return bytes;
}

/** Unpadded base64 in the URL alphabet, of a text as UTF-8. */
export function base64UrlEncode(text: string): string {
  let encoded = "";
  let bits = 0;
  let buffer = 0;
  for (const byte of utf8(text)) {
    buffer = ((buffer << 8) | byte) & 0x3fff;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      encoded += alphabet[(buffer >> bits) & 63];
    }
  }
  if (bits > 0) encoded += alphabet[(buffer << (6 - bits)) & 63];
  return encoded.replaceAll("+", "-").replaceAll("/", "_");
}

/** Padded base64 in the standard alphabet, of a text as UTF-8. */
export function base64Encode(text: string): string {
  const unpadded = base64UrlEncode(text).replaceAll("-", "+").replaceAll("_", "/");
  return unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, "=");
}
