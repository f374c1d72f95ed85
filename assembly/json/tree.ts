/**
 * A mutable JSON tree for admission, which reads a document in any order and changes it.
 *
 * Members keep the order of the document, and numbers keep their spelling. If several members have one name, the last
 * one counts. A node that is set or replaced after parsing is marked (`change`), so that a patch can be computed
 * without a second copy of the document. A node knows its parent, so that an error can name the field that it is about.
 * Invariant: reading a field as a type that it does not have gives the absent value, and is recorded (`mismatch`). So
 * callers need no check at each field. Leaves out removal, which admission does not need, and text (tree-text.ts).
 */
import { take } from "../memory/arena";
import { decimal, integerOf } from "./text";
export const NULL: u8 = 0;
export const BOOLEAN: u8 = 1;
export const NUMBER: u8 = 2;
export const STRING: u8 = 3;
export const ARRAY: u8 = 4;
export const OBJECT: u8 = 5;

/** The node is as it was read. */
export const UNCHANGED: u8 = 0;
/** The node was not there when the document was read. */
export const ADDED: u8 = 1;
/** The node had another value, perhaps null, when the document was read. */
export const REPLACED: u8 = 2;

/** What `integer` returns for a field that is not there. No field of the API may have this value. */
export const ABSENT: i64 = i64.MIN_VALUE;

// An object with more members than this is searched through a map.
const LINEAR_MEMBERS_MAX: i32 = 16;

let mismatched: JsonNode | null = null;
let mismatchExpected: string = "";

/** One value of a tree, with its children. It lives until the next collection of garbage. */
@unmanaged
@final
export class JsonNode {
  kind: u8 = NULL;
  /** UNCHANGED, ADDED or REPLACED. Everything below an added or replaced node is part of it. */
  change: u8 = UNCHANGED;
  /** The position among the children of the parent. */
  index: i32 = 0;
  /** Number of children. */
  length: i32 = 0;
  /** The name, if the parent is an object. */
  key: string = "";
  /** The value of a string; or the spelling of a number, a boolean or null. */
  text: string = "";
  parent: JsonNode | null = null;
  first: JsonNode | null = null;
  last: JsonNode | null = null;
  next: JsonNode | null = null;
  private members: Map<string, JsonNode> | null = null;

  constructor(kind: u8, text: string = "") {
    const node = changetype<JsonNode>(take(offsetof<JsonNode>()));
    node.kind = kind;
    node.key = "";
    node.text = text;
    return node;
  }

  static object(): JsonNode {
    return new JsonNode(OBJECT);
  }

  static string(value: string): JsonNode {
    return new JsonNode(STRING, value);
  }

  static integer(value: i64): JsonNode {
    return new JsonNode(NUMBER, decimal(value));
  }

  static boolean(value: bool): JsonNode {
    return new JsonNode(BOOLEAN, value ? "true" : "false");
  }

  /** A copy without parent and without history. */
  clone(): JsonNode {
    const copy = new JsonNode(this.kind, this.text);
    for (let child = this.first; child !== null; child = after(child)) copy.attach(child.key, child.clone());
    return copy;
  }

  /** The member with that name; null if there is none or it is null. */
  get(key: string): JsonNode | null {
    if (this.kind != OBJECT) {
      if (this.kind != NULL) noteMismatch(this, "an object");
      return null;
    }
    const member = this.find(key);
    return member === null || member.kind == NULL ? null : member;
  }

  /** Whether there is a member with that name that is not null. */
  has(key: string): bool {
    return this.get(key) !== null;
  }

  /** The member, an object; null if there is none. */
  object(key: string): JsonNode | null {
    return this.typed(key, OBJECT, "an object");
  }

  /** The member, an array; null if there is none. */
  list(key: string): JsonNode | null {
    return this.typed(key, ARRAY, "an array");
  }

  /** The member, a string; "" if there is none. */
  string(key: string): string {
    const member = this.typed(key, STRING, "a string");
    return member === null ? "" : member.text;
  }

  /** The member, true or false; false if there is none. */
  boolean(key: string): bool {
    const member = this.typed(key, BOOLEAN, "true or false");
    return member !== null && member.text == "true";
  }

  /** The member, an integer of 64 bits; ABSENT if there is none. */
  integer(key: string): i64 {
    const member = this.get(key);
    return member === null ? ABSENT : member.asInteger();
  }

  /** This node's string; "" for null. */
  asString(): string {
    if (this.kind == STRING) return this.text;
    if (this.kind != NULL) noteMismatch(this, "a string");
    return "";
  }

  /** This node's integer. Null is 0: a null element of a list reads like that. */
  asInteger(): i64 {
    if (this.kind == NULL) return 0;
    if (this.kind == NUMBER && isInteger(this.text)) return integerOf(this.text);
    noteMismatch(this, "an integer of 64 bits");
    return ABSENT;
  }

  /**
   * Sets a member, and returns the node that now holds the value. If this node is null, it becomes an object first; any
   * other kind stays as it is.
   */
  set(key: string, value: JsonNode): JsonNode {
    if (this.kind == NULL) this.become(JsonNode.object());
    if (this.kind != OBJECT) return value;
    const member = this.find(key);
    if (member !== null) {
      member.become(value);
      return member;
    }
    value.change = ADDED;
    this.attach(key, value);
    return value;
  }

  /** Moves the value of a node into this one. That node must be in no tree. */
  become(value: JsonNode): void {
    this.kind = value.kind;
    this.text = value.text;
    this.first = value.first;
    this.last = value.last;
    this.length = value.length;
    this.members = value.members;
    for (let child = this.first; child !== null; child = after(child)) child.parent = this;
    if (this.change != ADDED) this.change = REPLACED;
  }

  /** Takes the value of a node as its own, with the same children, which keep their parent. Both only read it then. */
  share(other: JsonNode): void {
    this.kind = other.kind;
    this.text = other.text;
    this.first = other.first;
    this.last = other.last;
    this.length = other.length;
  }

  /** Makes this node the root of its tree. Paths begin here. */
  detach(): void {
    this.parent = null;
  }

  /** Where the node is, as Kubernetes writes fields: `spec.template.spec.containers[0].name`. The root is "". */
  path(): string {
    const parent = this.parent;
    if (parent === null) return "";
    return parent.kind == ARRAY ? parent.path() + "[" + decimal(this.index) + "]" : parent.pathOf(this.key);
  }

  /** The path of a member, which need not be there. */
  pathOf(key: string): string {
    const path = this.path();
    return path.length == 0 ? key : path + "." + key;
  }

  /** The path of this node as a key of a map, for example `spec.nodeSelector[KEY]`. */
  keyPath(): string {
    const parent = this.parent;
    return (parent === null ? "" : parent.path()) + "[" + this.key + "]";
  }

  /** The member with that name, also when it is null. */
  find(key: string): JsonNode | null {
    if (this.length > LINEAR_MEMBERS_MAX) {
      const members = this.lookup();
      return members.has(key) ? members.get(key) : null;
    }
    for (let child = this.first; child !== null; child = after(child)) {
      if (child.key == key) return child;
    }
    return null;
  }

  /** Adds a child as it was read, without marking it as a change. */
  attach(key: string, child: JsonNode): void {
    child.key = key;
    child.parent = this;
    child.index = this.length++;
    const last = this.last;
    if (last === null) this.first = child;
    else last.next = child;
    this.last = child;
    const members = this.members;
    if (members !== null) members.set(key, child);
  }

  private typed(key: string, kind: u8, expected: string): JsonNode | null {
    const member = this.get(key);
    if (member === null || member.kind == kind) return member;
    noteMismatch(member, expected);
    return null;
  }

  private lookup(): Map<string, JsonNode> {
    let members = this.members;
    if (members === null) {
      members = new Map<string, JsonNode>();
      for (let child = this.first; child !== null; child = after(child)) members.set(child.key, child);
      this.members = members;
    }
    return members;
  }
}

/** The sibling behind `node`, which must not be null (unchecked). It is the step of a loop that has checked already. */
export function after(node: JsonNode | null): JsonNode | null {
  return changetype<JsonNode>(changetype<usize>(node)).next;
}

/** The first element of a list that may be missing. */
export function firstOf(list: JsonNode | null): JsonNode | null {
  return list === null ? list : list.first;
}

/** `get`, of a node that may be missing itself. */
export function memberOf(node: JsonNode | null, key: string): JsonNode | null {
  return node === null ? node : node.get(key);
}

/** `object`, of a node that may be missing itself. */
export function objectOf(node: JsonNode | null, key: string): JsonNode | null {
  return node === null ? node : node.object(key);
}

/** `list`, of a node that may be missing itself. */
export function listOf(node: JsonNode | null, key: string): JsonNode | null {
  return node === null ? node : node.list(key);
}

/** `string`, of a node that may be missing itself. */
export function stringOf(node: JsonNode | null, key: string): string {
  return node === null ? "" : node.string(key);
}

/**
 * The first field that was read as a type that it does not have: `FIELD: expected WHAT, got WHAT`. "" if there was
 * none.
 */
export function mismatch(): string {
  const node = mismatched;
  if (node === null) return "";
  const path = node.path();
  return (path.length == 0 ? "the document" : path) + ": expected " + mismatchExpected + ", got " + kindName(node);
}

/** Forgets what was recorded, because a new document begins. */
export function resetMismatch(): void {
  mismatched = null;
}

/** Records a field of the wrong type. For callers that check types themselves. */
export function noteMismatch(node: JsonNode, expected: string): void {
  if (mismatched !== null) return;
  mismatched = node;
  mismatchExpected = expected;
}

function kindName(node: JsonNode): string {
  if (node.kind == STRING) return "a string";
  if (node.kind == NUMBER)
    return "the number " + (node.text.length > 40 ? node.text.substring(0, 40) + "…" : node.text);
  if (node.kind == BOOLEAN) return node.text;
  return node.kind == ARRAY ? "an array" : node.kind == OBJECT ? "an object" : "null";
}

// Whether the text is an integer of at most 18 digits. It then fits 64 bits, and is never ABSENT.
function isInteger(text: string): bool {
  const from = text.charCodeAt(0) == 0x2d ? 1 : 0;
  if (text.length - from > 18) return false;
  return digitsEnd(text, from) == text.length;
}

/** The position behind the decimal digits that start at `from`. */
export function digitsEnd(text: string, from: i32): i32 {
  let at = from;
  while (at < text.length && u32(text.charCodeAt(at)) - 0x30 < 10) ++at;
  return at;
}
