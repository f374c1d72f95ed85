/**
 * A set of member names, to ask of each name that the reader meets. Invariant: a name that is found is the very string
 * that the set was made of. So no name is decoded, and names of one set are compared by address.
 */
import * as reader from "./reader";

const GOLDEN: u64 = 0x9e3779b97f4a7c15;
// Open addressing; less than half of the places are taken.
const BITS: i32 = 8;
const PLACES: i32 = 1 << BITS;

export class MemberNames {
  private readonly names: StaticArray<string | null> = new StaticArray<string | null>(PLACES);
  // The first eight bytes and the last, which are all of a name of at most sixteen bytes.
  private readonly heads: StaticArray<u64> = new StaticArray<u64>(PLACES);
  private readonly tails: StaticArray<u64> = new StaticArray<u64>(PLACES);

  /** @param names - in ASCII, at most 100 */
  constructor(names: StaticArray<string>) {
    for (let i = 0; i < names.length; i++) this.add(names[i]);
  }

  /** The name that the reader has read last; null: it is not in the set. */
  find(): string | null {
    const size = reader.stringSize();
    const head = headOf(reader.stringAt(), size);
    const tail = tailOf(reader.stringAt(), size);
    let place = placeOf(head, tail);
    for (let name = this.names[place]; name !== null; name = this.names[place]) {
      const isAlike = this.heads[place] == head && this.tails[place] == tail && u32(name.length) == size;
      if (isAlike && (size <= 16 || reader.stringIs(name))) return name;
      place = next(place);
    }
    return null;
  }

  private add(name: string): void {
    const bytes = String.UTF8.encode(name + "        ");
    const at = changetype<usize>(bytes);
    const size = u32(name.length);
    let place = placeOf(headOf(at, size), tailOf(at, size));
    while (this.names[place] !== null) place = next(place);
    this.names[place] = name;
    this.heads[place] = headOf(at, size);
    this.tails[place] = tailOf(at, size);
  }
}

// Eight bytes from here on are readable, because PADDING follows every document.
function headOf(at: usize, size: u32): u64 {
  const bytes = load<u64>(at);
  return size >= 8 ? bytes : bytes & ((u64(1) << (size * 8)) - 1);
}

function tailOf(at: usize, size: u32): u64 {
  return size >= 8 ? load<u64>(at + size - 8) : 0;
}

function placeOf(head: u64, tail: u64): i32 {
  return i32(((head ^ rotl<u64>(tail, 29)) * GOLDEN) >> u64(64 - BITS));
}

function next(place: i32): i32 {
  return (place + 1) & (PLACES - 1);
}
