/**
 * Puts bytes into an ELF program (64 bits, little-endian, fixed address) as a note, where Node looks for a single
 * executable's own program. The tool that Node's documentation names, postject, has had no release since 2023; newer
 * versions of Node do this themselves (`--build-sea`), those of the present line do not.
 *
 * How: the note goes to the end of the file, and a new segment maps it behind all others. The table of segments lies at
 * the start of the file, and grows into the place of the old notes and of the interpreter's name behind it: the old
 * notes move to the new one, and the name moves to what is left of their place. No other byte changes its place.
 */

const PT_LOAD = 1;
const PT_INTERP = 3;
const PT_NOTE = 4;
const PT_PHDR = 6;
const HEADER_SIZE = 64;
const SEGMENT_SIZE = 56;
const FIXED_ADDRESS = 2;
/** More than any page of these processors. */
const ALIGNMENT = 0x10000;
const NOTE_ALIGNMENT = 4;
const FLAG_READ = 4;

const align = (value: number, to: number): number => Math.ceil(value / to) * to;

/** An entry of the table of segments, at its place in the file. */
class Segment {
  readonly #file: DataView;
  readonly #at: number;

  constructor(file: DataView, at: number) {
    this.#file = file;
    this.#at = at;
  }

  get type(): number {
    return this.#file.getUint32(this.#at, true);
  }

  get offset(): number {
    return this.#number(8);
  }

  get address(): number {
    return this.#number(16);
  }

  get size(): number {
    return this.#number(32);
  }

  /** The first address behind it. */
  get end(): number {
    return this.address + this.#number(40);
  }

  set(type: number, flags: number, offset: number, address: number, size: number, alignment: number): void {
    this.#file.setUint32(this.#at, type, true);
    this.#file.setUint32(this.#at + 4, flags, true);
    for (const [index, value] of [offset, address, address, size, size, alignment].entries())
      this.#file.setBigUint64(this.#at + 8 + index * 8, BigInt(value), true);
  }

  #number(at: number): number {
    return Number(this.#file.getBigUint64(this.#at + at, true));
  }
}

/** Of a note: the lengths, a type that nothing reads, the name with its end, and the bytes. */
function noteOf(name: string, bytes: Uint8Array): Uint8Array {
  const nameBytes = new TextEncoder().encode(`${name}\0`);
  const begin = 12 + align(nameBytes.length, NOTE_ALIGNMENT);
  const note = new Uint8Array(begin + align(bytes.length, NOTE_ALIGNMENT));
  const view = new DataView(note.buffer);
  view.setUint32(0, nameBytes.length, true);
  view.setUint32(4, bytes.length, true);
  note.set(nameBytes, 12);
  note.set(bytes, begin);
  return note;
}

/** @returns another program, with the note. @throws Error when the program has another form than is known here */
export function withNote(program: Uint8Array, name: string, bytes: Uint8Array): Uint8Array {
  const source = new DataView(program.buffer, program.byteOffset, program.byteLength);
  if (source.getUint32(0) !== 0x7f454c46 || program[4] !== 2 || source.getUint16(16, true) !== FIXED_ADDRESS)
    throw new Error("it is no ELF program of 64 bits at a fixed address");
  const table = Number(source.getBigUint64(32, true));
  const count = source.getUint16(56, true);
  const segmentsOf = (view: DataView): Segment[] =>
    Array.from({ length: count }, (_, index) => new Segment(view, table + index * SEGMENT_SIZE));
  const segments = segmentsOf(source);
  const one = (type: number): Segment => {
    const found = segments.filter((segment) => segment.type === type);
    if (found.length !== 1) throw new Error(`it has ${found.length} segments of type ${type}; 1 is known here`);
    return found[0]!;
  };
  const [interpreter, oldNotes, ownTable] = [one(PT_INTERP), one(PT_NOTE), one(PT_PHDR)];
  const tableEnd = table + count * SEGMENT_SIZE;
  const newEnd = tableEnd + SEGMENT_SIZE;
  const freeEnd = oldNotes.offset + oldNotes.size;
  // Notes are aligned.
  const padding = oldNotes.offset - interpreter.offset - interpreter.size;
  const areBehind = interpreter.offset === tableEnd && padding >= 0 && padding < NOTE_ALIGNMENT;
  if (table !== HEADER_SIZE || !areBehind || newEnd + interpreter.size > freeEnd)
    throw new Error("its table of segments cannot grow: other bytes than interpreter and notes are behind it");

  const begin = align(program.length, ALIGNMENT);
  const note = noteOf(name, bytes);
  const result = new Uint8Array(begin + note.length + oldNotes.size);
  result.set(program);
  result.set(note, begin);
  result.set(program.subarray(oldNotes.offset, freeEnd), begin + note.length);
  result.fill(0, tableEnd, freeEnd);
  result.set(program.subarray(interpreter.offset, interpreter.offset + interpreter.size), newEnd);

  const view = new DataView(result.buffer);
  const base = ownTable.address - table;
  const address = align(Math.max(...segments.filter(({ type }) => type === PT_LOAD).map(({ end }) => end)), ALIGNMENT);
  const size = note.length + oldNotes.size;
  view.setUint16(56, count + 1, true);
  const written = segmentsOf(view);
  const place = (segment: Segment): Segment => written[segments.indexOf(segment)]!;
  place(ownTable).set(PT_PHDR, FLAG_READ, table, base + table, newEnd - table, 8);
  place(interpreter).set(PT_INTERP, FLAG_READ, newEnd, base + newEnd, interpreter.size, 1);
  place(oldNotes).set(PT_NOTE, FLAG_READ, begin, address, size, NOTE_ALIGNMENT);
  new Segment(view, tableEnd).set(PT_LOAD, FLAG_READ, begin, address, size, ALIGNMENT);
  return result;
}
