/** A note in an ELF program: found by its segment, with all else where it was. executable.e2e.test.ts runs one. */
import { describe, expect, it } from "vitest";
import { withNote } from "../../../../scripts/release/executable/elf-note.ts";

const BASE = 0x400000;
const TABLE = 64;
const INTERPRETER = "/lib64/ld-linux-x86-64.so.2\0";
const OLD_NOTES = Uint8Array.from({ length: 68 }, (_, index) => index + 1);
const [LOAD, INTERP, NOTE, PHDR] = [1, 3, 4, 6];

interface Entry {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

/** A program as linkers lay it out: the table of segments, the name of the interpreter, the notes, and code. */
function program({ gap = 0, padding = 0, type = 2 } = {}): Uint8Array {
  const interpreterAt = TABLE + 5 * 56 + gap;
  const notesAt = interpreterAt + INTERPRETER.length + padding;
  const file = new Uint8Array(0x2345).fill(0xcc);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  const view = new DataView(file.buffer);
  view.setUint16(16, type, true);
  view.setBigUint64(32, BigInt(TABLE), true);
  view.setUint16(56, 5, true);
  const entries = [
    [PHDR, TABLE, 5 * 56, 5 * 56],
    [INTERP, interpreterAt, INTERPRETER.length, INTERPRETER.length],
    [LOAD, 0, 0x2000, 0x2000],
    // Its memory is longer than its part of the file.
    [LOAD, 0x2000, 0x345, 0x31234],
    [NOTE, notesAt, OLD_NOTES.length, OLD_NOTES.length],
  ] as const;
  for (const [index, [kind, offset, size, memory]] of entries.entries()) {
    const at = TABLE + index * 56;
    view.setUint32(at, kind!, true);
    for (const [place, value] of [offset, BASE + offset, BASE + offset, size, memory, 8].entries())
      view.setBigUint64(at + 8 + place * 8, BigInt(value), true);
  }
  file.set(new TextEncoder().encode(INTERPRETER), interpreterAt);
  file.set(OLD_NOTES, notesAt);
  return file;
}

function entriesOf(file: Uint8Array): readonly Entry[] {
  const view = new DataView(file.buffer);
  return Array.from({ length: view.getUint16(56, true) }, (_, index) => {
    const at = TABLE + index * 56;
    const number = (place: number): number => Number(view.getBigUint64(at + place, true));
    return { type: view.getUint32(at, true), offset: number(8), address: number(16), size: number(32) };
  });
}

const textAt = (file: Uint8Array, from: number, length: number): string =>
  new TextDecoder().decode(file.subarray(from, from + length));

describe.each([0, 1])("a program with a note, in which %i bytes are before the old ones", (padding) => {
  const bytes = Uint8Array.from({ length: 1001 }, (_, index) => index);
  const before = program({ padding });
  const after = withNote(before, "SOME_NAME", bytes);
  const entries = entriesOf(after);
  const one = (type: number): Entry => entries.find((entry) => entry.type === type)!;

  it("has the note first in its segment of notes, and the old ones behind it", () => {
    const { offset, size } = one(NOTE!);
    const view = new DataView(after.buffer, offset);
    expect([view.getUint32(0, true), view.getUint32(4, true)]).toEqual(["SOME_NAME\0".length, bytes.length]);
    expect(textAt(after, offset + 12, 10)).toBe("SOME_NAME\0");
    expect(after.subarray(offset + 24, offset + 24 + bytes.length)).toEqual(bytes);
    expect(after.subarray(offset + size - OLD_NOTES.length, offset + size)).toEqual(OLD_NOTES);
  });

  it("has one segment more, which maps the note behind all others", () => {
    expect(entries.map(({ type }) => type)).toEqual([PHDR, INTERP, LOAD, LOAD, NOTE, LOAD]);
    const { offset, address, size } = entries[5]!;
    expect({ offset, address, size }).toEqual({ ...one(NOTE!), type: undefined });
    expect(address).toBeGreaterThanOrEqual(BASE + 0x2000 + 0x31234);
    expect([address % 0x10000, offset % 0x10000]).toEqual([0, 0]);
  });

  it("names its interpreter and its table at their new places, and has all else where it was", () => {
    const { offset, address, size } = one(INTERP!);
    expect(textAt(after, offset, size)).toBe(INTERPRETER);
    expect(address).toBe(BASE + offset);
    expect(one(PHDR!)).toMatchObject({ offset: TABLE, size: 6 * 56 });
    const end = TABLE + 5 * 56 + INTERPRETER.length + padding + OLD_NOTES.length;
    expect(after.subarray(end, before.length)).toEqual(before.subarray(end));
  });
});

describe("a program of another form is refused", () => {
  const refused =
    (file: Uint8Array): (() => void) =>
    () =>
      withNote(file, "NAME", new Uint8Array(1));

  it("that is no ELF program, or has no fixed address", () => {
    expect(refused(new Uint8Array(100))).toThrow("it is no ELF program");
    expect(refused(program({ type: 3 }))).toThrow("at a fixed address");
  });

  it("whose table cannot grow", () => {
    expect(refused(program({ gap: 8 }))).toThrow("its table of segments cannot grow");
    expect(refused(program({ padding: 4 }))).toThrow("its table of segments cannot grow");
  });
});
