/**
 * The headers of SPDY/3.1 streams: names and values in one zlib stream for a whole connection, which begins with a
 * dictionary of the specification.
 *
 * Invariant: a block becomes at most MAX_HEADER_BYTES. A reader keeps the last 32 KiB of what it has read, because a
 * later block may refer to them. Blocks that are written refer to nothing before them. Source: "SPDY Protocol - Draft
 * 3.1", 2.6.10.
 */
import { constants, deflateRawSync, deflateSync, inflateRawSync } from "node:zlib";

/** Limit for the headers of one stream. */
export const MAX_HEADER_BYTES = 64 * 1024;
const WINDOW_BYTES = 32 * 1024;
/** Two bytes of zlib, and the check sum of the dictionary. */
const ZLIB_HEAD_BYTES = 6;
const SYNC = { finishFlush: constants.Z_SYNC_FLUSH };

/** In the dictionary each word follows its length. */
const WORDS =
  "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status"
    .split(" ")
    .concat(["200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin"]);
const REST =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";
export const DICTIONARY: Buffer = Buffer.concat([...WORDS.map(withLength), Buffer.from(REST)]);

export type Headers = ReadonlyMap<string, string>;

/** Reads the blocks of one connection in their order. */
export class HeaderReader {
  #window = DICTIONARY;
  #isFirst = true;

  /** Names are in lower case. @throws Error when the block cannot be read, or is too long */
  read(block: Buffer): Headers {
    const compressed = this.#isFirst ? block.subarray(ZLIB_HEAD_BYTES) : block;
    this.#isFirst = false;
    const text = inflateRawSync(compressed, { ...SYNC, dictionary: this.#window, maxOutputLength: MAX_HEADER_BYTES });
    this.#window = Buffer.concat([this.#window, text]).subarray(-WINDOW_BYTES);
    return headersIn(text);
  }
}

/** Writes the blocks of one connection in their order. */
export class HeaderWriter {
  #isFirst = true;

  write(headers: Headers): Buffer {
    const text = Buffer.concat([
      number(headers.size),
      ...[...headers].flatMap(([name, value]) => [withLength(name), withLength(value)]),
    ]);
    if (!this.#isFirst) return deflateRawSync(text, SYNC);
    this.#isFirst = false;
    return deflateSync(text, { ...SYNC, dictionary: DICTIONARY });
  }
}

function headersIn(text: Buffer): Headers {
  const headers = new Map<string, string>();
  let at = 4;
  const next = (): string => {
    const end = at + 4 + text.readUInt32BE(at);
    if (end > text.length) throw new Error("a name or a value is longer than its header block");
    const word = text.toString("latin1", at + 4, end);
    at = end;
    return word;
  };
  for (let left = text.readUInt32BE(0); left > 0; left--) headers.set(next().toLowerCase(), next());
  return headers;
}

function withLength(word: string): Buffer {
  return Buffer.concat([number(Buffer.byteLength(word)), Buffer.from(word)]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
