/**
 * Packs the string literals of a compiled module. The compiler writes each as UTF-16 behind a header of 20 bytes; here
 * the ASCII ones become one text at the end of the initial memory, which assembly/memory/packed-text.ts unpacks when
 * the module starts.
 *
 * Invariant: a literal is packed only if its header and padding are exactly what unpacking writes, so memory is the
 * same afterwards. Leaves out literals with other characters, and all other data: these stay data segments.
 */
import { Reader, readSections, unsigned, writeSections } from "./wasm-sections.ts";

const PAGE_BYTES = 65536;
const SKIP = 1;
// Alignment of a managed object in the compiler's runtime.
const BLOCK_ALIGNMENT = 16;
const HEADER_BYTES = 20;
const STRING_ID = 2;
// Inside a segment gzip leaves little of a run of zeros. A new segment costs an address, which it cannot shorten.
const ZEROS_BETWEEN_SEGMENTS = 24;
const PRINTABLE_ASCII = /^[\x02-\x7f]*$/;

const MEMORY_SECTION = 5;
const DATA_COUNT_SECTION = 12;
const DATA_SECTION = 11;
const I32_CONST = 0x41;
const END = 0x0b;

/** The same module with its literals packed. Throws for a module whose memory is not the compiler's usual one. */
export function packText(binary: Uint8Array): Uint8Array<ArrayBuffer> {
  const sections = readSections(binary);
  const memory = sections.find((section) => section.id === MEMORY_SECTION);
  const data = sections.find((section) => section.id === DATA_SECTION);
  if (memory === undefined || data === undefined)
    throw new Error("the compiled module has no memory or no data: there is nothing to pack");
  const [, limits, pages] = new Reader(memory.body).numbers(3);
  if (limits !== 0 || pages === undefined)
    throw new Error(
      `the memory of the compiled module has limits of kind ${limits}; only 0, without a maximum, can be extended`,
    );

  const image = readImage(data.body, pages * PAGE_BYTES);
  const packed = takeLiterals(image);
  const segments = readSegments(image);
  // The text gets its own pages after all static data, also after zeros that are in no segment.
  const textPages = Math.ceil((packed.length + 4) / PAGE_BYTES);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(packed.length);
  segments.push({ at: (pages + textPages) * PAGE_BYTES - packed.length - 4, bytes: Buffer.concat([packed, length]) });

  memory.body = Uint8Array.from([1, 0, ...unsigned(pages + textPages)]);
  data.body = writeSegments(segments);
  const kept = sections.filter((section) => section.id !== DATA_COUNT_SECTION);
  return writeSections(kept);
}

interface Segment {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Memory after the data segments were applied. */
function readImage(body: Uint8Array, size: number): Buffer {
  const image = Buffer.alloc(size);
  const reader = new Reader(body);
  const count = reader.number();
  for (let i = 0; i < count; i++) {
    const [mode, opcode, at, end] = reader.numbers(4);
    if (mode !== 0 || opcode !== I32_CONST || end !== END || at === undefined)
      throw new Error(`data segment ${i} is not active at a constant address, which is all that can be packed`);
    image.set(reader.slice(reader.number()), at);
  }
  return image;
}

/** Takes the literals out of the image and returns them packed. */
function takeLiterals(image: Buffer): Buffer {
  const parts: Buffer[] = [];
  let expected = BLOCK_ALIGNMENT - 4;
  for (let block = expected; block + HEADER_BYTES < image.length;) {
    const text = literalAt(image, block);
    if (text === undefined) {
      block += BLOCK_ALIGNMENT;
      continue;
    }
    if (block !== expected) {
      const skip = Buffer.from([SKIP, 0, 0]);
      skip.writeUInt16LE((block - expected) / BLOCK_ALIGNMENT, 1);
      parts.push(skip);
    }
    parts.push(Buffer.from(`${text}\0`, "latin1"));
    expected = block + blockBytes(text.length);
    image.fill(0, block, expected);
    block = expected;
  }
  return Buffer.concat(parts);
}

function literalAt(image: Buffer, block: number): string | undefined {
  const size = image.readUInt32LE(block + 16);
  const length = size / 2;
  const bytes = blockBytes(length);
  if (
    image.readUInt32LE(block + 12) !== STRING_ID ||
    image.readUInt32LE(block) !== bytes - 4 ||
    block + bytes > image.length
  )
    return undefined;
  const text = image.toString("utf16le", block + HEADER_BYTES, block + HEADER_BYTES + size);
  const written = Buffer.alloc(bytes);
  written.writeUInt32LE(bytes - 4, 0);
  written.writeUInt32LE(STRING_ID, 12);
  written.writeUInt32LE(size, 16);
  written.write(text, HEADER_BYTES, "utf16le");
  return PRINTABLE_ASCII.test(text) && written.equals(image.subarray(block, block + bytes)) ? text : undefined;
}

/** Bytes of the block of a literal of that many characters. */
function blockBytes(length: number): number {
  return Math.ceil((HEADER_BYTES + 2 * length) / BLOCK_ALIGNMENT) * BLOCK_ALIGNMENT;
}

function readSegments(image: Buffer): Segment[] {
  const segments: Segment[] = [];
  for (let from = 0; from < image.length; from++) {
    if (image[from] === 0) continue;
    let end = from + 1;
    for (let at = end; at < image.length && at - end < ZEROS_BETWEEN_SEGMENTS; at++) {
      if (image[at] !== 0) end = at + 1;
    }
    segments.push({ at: from, bytes: image.subarray(from, end) });
    from = end;
  }
  return segments;
}

function writeSegments(segments: readonly Segment[]): Uint8Array {
  const parts = segments.map(({ at, bytes }) =>
    Buffer.concat([Buffer.from([0, I32_CONST, ...signed(at), END, ...unsigned(bytes.length)]), bytes]),
  );
  return Buffer.concat([Buffer.from(unsigned(segments.length)), ...parts]);
}

/** Signed LEB128 of a number that is not negative. */
function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >>> 7)];
}
