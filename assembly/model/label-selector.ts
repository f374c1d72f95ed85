/**
 * A label selector. It is compiled once for each Job, into one blob of requirements that must all hold. It is matched
 * against the bytes of labels in place, in a document or in a copy. Leaves out the syntax of keys and values, which the
 * API server checks. Source: docs/spec/controller.md 2.7; apimachinery meta/v1 LabelSelectorAsSelector.
 *
 * A requirement is [u32 bytes of it, u8 operator, u32 size, key, u32 number of values, [u32 size, value]…].
 */
import { bytesEqual } from "../memory/hash";
import * as f from "../json/field-keys";
import * as reader from "../json/reader";
import { Writer } from "../json/writer";
import { blobAt, blobOf, blobSize } from "../memory/blob";

const MATCH_LABELS = f.keyOf("matchLabels");
const MATCH_EXPRESSIONS = f.keyOf("matchExpressions");
const KEY = f.keyOf("key");
const OPERATOR = f.keyOf("operator");
const VALUES = f.keyOf("values");

const IN: i32 = 0;
const NOT_IN: i32 = 1;
const EXISTS: i32 = 2;
const DOES_NOT_EXIST: i32 = 3;
const OPERATORS: StaticArray<string> = ["In", "NotIn", "Exists", "DoesNotExist"];

const requirements = new Writer(256);
const key = new Writer(64);
const values = new Writer(128);
let valueCount: u32 = 0;

/** The result of `compileSelector`. */
@unmanaged
export class CompiledSelector {
  /** The requirements, a blob that the caller owns; 0: the JSON is no selector. */
  blob: usize;
  /**
   * Why it is no selector, in upstream's words; null: it is one. The string is managed, so it lasts only for the
   * current call (memory/garbage.ts).
   */
  problem: string | null;
}

const compiled = changetype<CompiledSelector>(memory.data(offsetof<CompiledSelector>(), 8));

/**
 * Compiles the selector in this JSON. The result lasts until the next call. `{}` selects everything. The reader's
 * current document is saved and restored.
 */
export function compileSelector(ptr: usize, size: u32): CompiledSelector {
  compiled.problem = null;
  requirements.reset();
  reader.aside();
  reader.open(ptr, size);
  if (reader.enterObject()) {
    while (reader.nextKey()) {
      const member = f.key();
      if (member == MATCH_LABELS) readLabels();
      else if (member == MATCH_EXPRESSIONS) readExpressions();
      else reader.skipValue();
    }
  }
  if (!reader.ok()) compiled.problem = reader.errorText();
  reader.back();
  compiled.blob = compiled.problem === null ? blobOf(requirements.start, requirements.length) : 0;
  return compiled;
}

/** Whether the selector asks for this one label and nothing else. */
export function isOneLabel(selector: usize, name: usize, value: usize): bool {
  requirements.reset();
  key.reset();
  key.blob(name);
  values.reset();
  addText(values, blobAt(value), blobSize(value));
  valueCount = 1;
  addRequirement(IN);
  return (
    requirements.length == blobSize(selector) && bytesEqual(requirements.start, blobAt(selector), requirements.length)
  );
}

/**
 * Whether the selector matches an object with these labels (a JSON object). The reader's current document is saved and
 * restored.
 */
export function matchesLabels(selector: usize, labels: usize, size: u32): bool {
  reader.aside();
  let at = blobAt(selector);
  const end = at + blobSize(selector);
  while (at < end && holds(at, labels, size)) at += load<u32>(at);
  reader.back();
  return at == end;
}

function holds(requirement: usize, labels: usize, size: u32): bool {
  const operator = i32(load<u8>(requirement, 4));
  const nameSize = load<u32>(requirement, 5);
  const name = requirement + 9;
  let isThere = false;
  let isListed = false;
  reader.open(labels, size);
  if (reader.enterObject()) {
    while (reader.nextKey()) {
      if (reader.stringSize() != nameSize || !bytesEqual(reader.stringAt(), name, nameSize)) {
        reader.skipValue();
      } else if (reader.readString()) {
        isThere = true;
        isListed = lists(name + nameSize, reader.stringAt(), reader.stringSize());
      }
    }
  }
  if (operator == IN) return isListed;
  if (operator == NOT_IN) return !isListed;
  return isThere == (operator == EXISTS);
}

function lists(at: usize, value: usize, size: u32): bool {
  let left = load<u32>(at);
  at += 4;
  for (; left > 0; --left) {
    const listedSize = load<u32>(at);
    if (listedSize == size && bytesEqual(at + 4, value, size)) return true;
    at += 4 + listedSize;
  }
  return false;
}

function readLabels(): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    key.reset();
    key.bytes(reader.stringAt(), reader.stringSize());
    values.reset();
    valueCount = 0;
    addValue();
    addRequirement(IN);
  }
}

function readExpressions(): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    if (!reader.enterObject()) continue;
    let operator = -1;
    let operatorName = "";
    key.reset();
    values.reset();
    valueCount = 0;
    while (reader.nextKey()) {
      const member = f.key();
      if (member == KEY) {
        if (reader.readString()) key.bytes(reader.stringAt(), reader.stringSize());
      } else if (member == OPERATOR) {
        if (!reader.readString()) continue;
        operator = OPERATORS.length - 1;
        while (operator >= 0 && !reader.stringIs(OPERATORS[operator])) --operator;
        if (operator < 0) operatorName = String.UTF8.decodeUnsafe(reader.stringAt(), reader.stringSize());
      } else if (member == VALUES) {
        if (!reader.enterArray()) continue;
        while (reader.nextElement()) addValue();
      } else {
        reader.skipValue();
      }
    }
    if (operator < 0) compiled.problem = '"' + operatorName + '" is not a valid label selector operator';
    else if (operator <= NOT_IN != valueCount > 0)
      compiled.problem =
        operator <= NOT_IN
          ? "for 'in', 'notin' operators, values set can't be empty"
          : "values set must be empty for exists and does not exist";
    addRequirement(operator);
  }
}

function addValue(): void {
  if (!reader.readString()) return;
  addText(values, reader.stringAt(), reader.stringSize());
  ++valueCount;
}

function addRequirement(operator: i32): void {
  const at = requirements.length;
  requirements.grow(5);
  requirements.length += 5;
  addText(requirements, key.start, key.length);
  store<u32>(requirements.grow(4), valueCount);
  requirements.length += 4;
  requirements.bytes(values.start, values.length);
  store<u32>(requirements.start + at, requirements.length - at);
  store<u8>(requirements.start + at, u8(operator), 4);
}

function addText(to: Writer, ptr: usize, size: u32): void {
  store<u32>(to.grow(4), size);
  to.length += 4;
  to.bytes(ptr, size);
}
