/**
 * A set of member names, to ask of each name that the reader meets. Invariant: a name that is found is the very string
 * that the set was made of. So no name is decoded, and names of one set are compared by address. Sets are unmanaged,
 * with names that are literals: each collection of garbage would look at every name.
 */
import * as reader from "./reader";

const GOLDEN: u64 = 0x9e3779b97f4a7c15;
// Open addressing; less than half of the places are taken.
const BITS: i32 = 8;
const PLACES: usize = 1 << BITS;

/** A place of the table: the name, and its first and last eight bytes, which are all of at most sixteen. */
@unmanaged
class Place {
  head: u64;
  tail: u64;
  /** The address of the literal; 0: the place is free. */
  name: usize;
}

@unmanaged
export class MemberNames {
  private table: usize = 0;

  /** @param names - literals in ASCII, at most 100 */
  static of(names: StaticArray<string>): MemberNames {
    const set = new MemberNames();
    const size = PLACES * offsetof<Place>();
    set.table = heap.alloc(size);
    memory.fill(set.table, 0, size);
    for (let i = 0; i < names.length; i++) set.add(names[i]);
    return set;
  }

  /** The name that the reader has read last; null: it is not in the set. */
  find(): string | null {
    const size = reader.stringSize();
    const head = headOf(reader.stringAt(), size);
    const tail = tailOf(reader.stringAt(), size);
    let at = placeOf(head, tail);
    for (let place = this.placeAt(at); place.name != 0; place = this.placeAt(++at)) {
      if (place.head != head || place.tail != tail) continue;
      const name = changetype<string>(place.name);
      if (u32(name.length) == size && (size <= 16 || reader.stringIs(name))) return name;
    }
    return null;
  }

  private add(name: string): void {
    const bytes = String.UTF8.encode(name + "        ");
    const head = headOf(changetype<usize>(bytes), u32(name.length));
    const tail = tailOf(changetype<usize>(bytes), u32(name.length));
    let at = placeOf(head, tail);
    while (this.placeAt(at).name != 0) ++at;
    const place = this.placeAt(at);
    place.head = head;
    place.tail = tail;
    place.name = changetype<usize>(name);
  }

  private placeAt(at: usize): Place {
    return changetype<Place>(this.table + (at & (PLACES - 1)) * offsetof<Place>());
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

function placeOf(head: u64, tail: u64): usize {
  return usize(((head ^ rotl<u64>(tail, 29)) * GOLDEN) >> u64(64 - BITS));
}
