/**
 * The text of a JSON tree: reads a whole document, and writes a part of one. Invariant: what was read is written with
 * the same bytes, except for white space and escapes. No document uses more memory than the limits allow. Leaves out
 * pretty printing.
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET } from "./punctuation";
import { decimal } from "./text";
import * as reader from "./reader";
import {
  after,
  ARRAY,
  BOOLEAN,
  digitsEnd,
  JsonNode,
  NULL,
  NUMBER,
  OBJECT,
  resetMismatch,
  STRING,
  UNCHANGED,
} from "./tree";
import { utf8Of } from "./utf8";
import { Writer } from "./writer";

/** The largest depth of objects and arrays inside one another. Kubernetes objects stay below 20. */
export const MAX_TREE_DEPTH: i32 = 100;
/**
 * The most values that a tree may have: twice what fits into the 1.5 MB that etcd takes, at Kubernetes' usual density.
 */
export const MAX_TREE_VALUES: i32 = 250000;

let values: i32 = 0;

/** Reads a whole document. Null when it is not JSON or exceeds a limit; `reader.errorText` then says why. */
export function parseTree(ptr: usize, length: u32): JsonNode | null {
  openTree(ptr, length);
  const root = new JsonNode(NULL, "null");
  readInto(root, 0);
  return reader.atEnd() ? root : null;
}

/** Begins to read a document. For callers that read its root themselves. */
export function openTree(ptr: usize, length: u32): void {
  values = 0;
  resetMismatch();
  reader.open(ptr, length);
}

/** Writes a tree as compact JSON. */
export function writeTree(node: JsonNode, writer: Writer): void {
  if (node.kind == STRING) {
    writeString(node.text, writer);
  } else if (node.kind == OBJECT) {
    writer.byte(OPEN_BRACE);
    for (let child = node.first; child !== null; child = after(child)) {
      if (child.index > 0) writer.byte(COMMA);
      writeString(child.key, writer);
      writer.byte(COLON);
      writeTree(child, writer);
    }
    writer.byte(CLOSE_BRACE);
  } else if (node.kind == ARRAY) {
    writer.byte(OPEN_BRACKET);
    for (let child = node.first; child !== null; child = after(child)) {
      if (child.index > 0) writer.byte(COMMA);
      writeTree(child, writer);
    }
    writer.byte(CLOSE_BRACKET);
  } else {
    writer.text(node.text);
  }
}

/** Writes a JSON string; a lone surrogate becomes U+FFFD. */
export function writeString(value: string, writer: Writer): void {
  const utf8 = utf8Of(value);
  writer.quoted(utf8.start, utf8.length);
}

/** Whether the limits allow one more value at this depth. If not, the reader has failed. */
export function countValue(depth: i32): bool {
  if (depth > MAX_TREE_DEPTH) {
    reader.fail("objects and arrays are nested deeper than " + decimal(MAX_TREE_DEPTH));
    return false;
  }
  if (++values > MAX_TREE_VALUES) {
    reader.fail("there are more than " + decimal(MAX_TREE_VALUES) + " values");
    return false;
  }
  return true;
}

/** Reads the next value into a node that is null. */
export function readInto(node: JsonNode, depth: i32): void {
  if (!countValue(depth)) return;
  const head = reader.peek();
  if (head == 0x7b) readMembers(node, depth);
  else if (head == 0x5b) readElements(node, depth);
  else if (head == 0x22) readText(node);
  else readScalar(node);
}

function readMembers(node: JsonNode, depth: i32): void {
  if (!reader.enterObject()) return;
  node.kind = OBJECT;
  node.text = "";
  while (reader.nextKey()) {
    readInto(memberNamed(node, decode(reader.stringAt(), reader.stringSize())), depth + 1);
  }
}

/** The member of this name, null and as it was read: a new one, or the earlier one, whose value does not count. */
export function memberNamed(node: JsonNode, key: string): JsonNode {
  let child = node.find(key);
  if (child === null) {
    child = new JsonNode(NULL, "null");
    node.attach(key, child);
  } else {
    child.become(new JsonNode(NULL, "null"));
    child.change = UNCHANGED;
  }
  return child;
}

function readElements(node: JsonNode, depth: i32): void {
  if (!reader.enterArray()) return;
  node.kind = ARRAY;
  node.text = "";
  while (reader.nextElement()) {
    const child = new JsonNode(NULL, "null");
    node.attach("", child);
    readInto(child, depth + 1);
  }
}

function readText(node: JsonNode): void {
  if (!reader.readString()) return;
  node.kind = STRING;
  node.text = decode(reader.stringAt(), reader.stringSize());
}

function readScalar(node: JsonNode): void {
  const from = reader.position();
  reader.skipValue();
  setScalar(node, decode(from, u32(reader.position() - from)));
}

/** Gives a node that is null the value of this word or number. */
export function setScalar(node: JsonNode, text: string): void {
  if (text == "null") return;
  if (text == "true" || text == "false") node.kind = BOOLEAN;
  else if (isNumber(text)) node.kind = NUMBER;
  else reader.fail("expected a value");
  node.text = text;
}

/** The text of these UTF-8 bytes. Most strings of the API are ASCII. Those are widened here; the others are decoded. */
export function decode(ptr: usize, size: u32): string {
  const text = changetype<string>(__new((<usize>size) << 1, idof<string>()));
  const to = changetype<usize>(text);
  let seen: u32 = 0;
  for (let i: u32 = 0; i < size; ++i) {
    const c = <u32>load<u8>(ptr + i);
    seen |= c;
    store<u16>(to + ((<usize>i) << 1), u16(c));
  }
  return seen < 0x80 ? text : String.UTF8.decodeUnsafe(ptr, size);
}

function isNumber(text: string): bool {
  let at = text.charCodeAt(0) == 0x2d ? 1 : 0;
  const from = at;
  at = digitsEnd(text, at);
  if (at == from || (text.charCodeAt(from) == 0x30 && at > from + 1)) return false;
  if (at < text.length && text.charCodeAt(at) == 0x2e) {
    const fraction = ++at;
    at = digitsEnd(text, at);
    if (at == fraction) return false;
  }
  if (at < text.length && (text.charCodeAt(at) | 0x20) == 0x65) {
    ++at;
    if (at < text.length && (text.charCodeAt(at) == 0x2b || text.charCodeAt(at) == 0x2d)) ++at;
    const exponent = at;
    at = digitsEnd(text, at);
    if (at == exponent) return false;
  }
  return at == text.length;
}
