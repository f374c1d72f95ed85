/** The sections of a WebAssembly module, read and written as they are: nothing inside them is understood here. */

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

export interface Section {
  readonly id: number;
  body: Uint8Array;
}

export class Reader {
  #at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get ended(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** An unsigned LEB128 number. */
  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error("the compiled module ends inside a number");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  numbers(count: number): number[] {
    return Array.from({ length: count }, () => this.number());
  }

  slice(length: number): Uint8Array {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

/** All sections in their order. Throws for a module that ends inside a number. */
export function readSections(binary: Uint8Array): Section[] {
  const reader = new Reader(binary, HEADER.length);
  const sections: Section[] = [];
  while (!reader.ended) {
    const id = reader.number();
    sections.push({ id, body: reader.slice(reader.number()) });
  }
  return sections;
}

export function writeSections(sections: readonly Section[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    Buffer.concat([
      Buffer.from(HEADER),
      ...sections.flatMap(({ id, body }) => [Buffer.from([id, ...unsigned(body.length)]), body]),
    ]),
  );
}

/** Unsigned LEB128. */
export function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}
