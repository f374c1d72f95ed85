/**
 * Reads a part of a document as a tree: of objects only the members with certain names, at any depth. It is for long
 * lists of objects of which little is read.
 *
 * Invariant: what is looked up by these names is as in the tree of the whole document. Other members are skipped: they
 * are not checked and do not count as values. Equal short texts are one string. Members that are alike in most objects
 * have their children in common where their bytes are equal, and these name the first of them as their parent.
 */
import { MemberNames } from "./member-names";
import * as reader from "./reader";
import { after, ARRAY, JsonNode, NULL, OBJECT, STRING, UNCHANGED } from "./tree";
import { countValue, decode, setScalar } from "./tree-text";

const OPEN_OBJECT: u32 = 0x7b;
const OPEN_ARRAY: u32 = 0x5b;
const QUOTE: u32 = 0x22;

// Texts that are longer, such as messages, are rarely equal.
const SHARED_BYTES_MAX: u32 = 64;
const SHARED_BITS: i32 = 9;
const KNOWN_BITS: i32 = 6;
const GOLDEN: u64 = 0x9e3779b97f4a7c15;

// A member that was read, and its bytes.
class Known {
  node: JsonNode;
  at: usize;
  size: u32;

  constructor(node: JsonNode, at: usize, size: u32) {
    this.node = node;
    this.at = at;
    this.size = size;
  }
}

export class PartialReader {
  private readonly wanted: MemberNames;
  private readonly alike: StaticArray<string>;
  // The last member of each hash.
  private readonly known: StaticArray<Known | null> = new StaticArray<Known | null>(1 << KNOWN_BITS);
  // The last text of each hash. A reader lives for one document, and so do these.
  private readonly texts: StaticArray<string | null> = new StaticArray<string | null>(1 << SHARED_BITS);

  /** @param alike - those of the wanted names whose members most objects have in common */
  constructor(wanted: MemberNames, alike: StaticArray<string>) {
    this.wanted = wanted;
    this.alike = alike;
  }

  /** Reads the next value into a node that is null. */
  readInto(node: JsonNode, depth: i32): void {
    if (!countValue(depth)) return;
    const head = reader.peek();
    if (head == OPEN_OBJECT) this.readMembers(node, depth);
    else if (head == OPEN_ARRAY) this.readElements(node, depth);
    else if (head == QUOTE) this.readText(node);
    else this.readScalar(node);
  }

  private readMembers(node: JsonNode, depth: i32): void {
    if (!reader.enterObject()) return;
    node.kind = OBJECT;
    node.text = "";
    while (reader.nextKey()) {
      const name = this.wanted.find();
      if (name === null) reader.skipValue();
      else if (this.alike.includes(name)) this.readAlike(memberNamed(node, name), depth + 1);
      else this.readInto(memberNamed(node, name), depth + 1);
    }
  }

  private readAlike(node: JsonNode, depth: i32): void {
    reader.peek();
    const at = reader.position();
    reader.skipValue();
    const size = u32(reader.position() - at);
    const place = placeOf(hashOf(at, size), KNOWN_BITS);
    const known = this.known[place];
    if (known !== null && known.size == size && areEqual(known.at, at, size)) {
      if (countValue(depth)) node.share(known.node);
      return;
    }
    reader.seek(at);
    this.readInto(node, depth);
    this.known[place] = new Known(node, at, size);
  }

  private readElements(node: JsonNode, depth: i32): void {
    if (!reader.enterArray()) return;
    node.kind = ARRAY;
    node.text = "";
    while (reader.nextElement()) {
      const child = new JsonNode(NULL, "null");
      node.attach("", child);
      this.readInto(child, depth + 1);
    }
  }

  private readText(node: JsonNode): void {
    if (!reader.readString()) return;
    node.kind = STRING;
    node.text = this.textOf(reader.stringAt(), reader.stringSize());
  }

  private readScalar(node: JsonNode): void {
    const from = reader.position();
    reader.skipValue();
    setScalar(node, this.textOf(from, u32(reader.position() - from)));
  }

  private textOf(ptr: usize, size: u32): string {
    if (size > SHARED_BYTES_MAX) return decode(ptr, size);
    const place = placeOf(hashOf(ptr, size), SHARED_BITS);
    const known = this.texts[place];
    if (known !== null && isText(known, ptr, size)) return known;
    const text = decode(ptr, size);
    // Only ASCII has as many units as bytes, and a comparison of units with bytes is right for it alone.
    if (u32(text.length) == size) this.texts[place] = text;
    return text;
  }
}

// The member of this name, which is null: a new one, or the earlier one, whose value does not count. All names are of
// one set, so addresses tell whether they are equal.
function memberNamed(node: JsonNode, name: string): JsonNode {
  for (let child = node.first; child !== null; child = after(child)) {
    if (changetype<usize>(child.key) != changetype<usize>(name)) continue;
    child.become(new JsonNode(NULL, "null"));
    child.change = UNCHANGED;
    return child;
  }
  const child = new JsonNode(NULL, "null");
  node.attach(name, child);
  return child;
}

// Whether two places of the document have the same bytes.
function areEqual(one: usize, other: usize, size: u32): bool {
  let i: usize = 0;
  for (; i + 16 <= size; i += 16) {
    if (i8x16.bitmask(i8x16.eq(v128.load(one + i), v128.load(other + i))) != 0xffff) return false;
  }
  for (; i < size; ++i) if (load<u8>(one + i) != load<u8>(other + i)) return false;
  return true;
}

// Eight bytes at a time; the padding behind the document makes the last ones readable.
function hashOf(at: usize, size: u32): u64 {
  let hash: u64 = size;
  for (let i: usize = 0; i < size; i += 8) {
    const left = size - u32(i);
    const word = left >= 8 ? load<u64>(at + i) : load<u64>(at + i) & ((u64(1) << (left * 8)) - 1);
    hash = (rotl<u64>(hash, 23) ^ word) * GOLDEN;
  }
  return hash;
}

function placeOf(hash: u64, bits: i32): i32 {
  return i32((hash * GOLDEN) >> u64(64 - bits));
}

function isText(text: string, ptr: usize, size: u32): bool {
  if (u32(text.length) != size) return false;
  const units = changetype<usize>(text);
  for (let i: usize = 0; i < size; ++i) {
    if (load<u16>(units + (i << 1)) != u16(load<u8>(ptr + i))) return false;
  }
  return true;
}
