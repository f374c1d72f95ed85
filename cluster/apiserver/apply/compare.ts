/**
 * Compares two states of an object, and returns the differences as two sets of fields. A part that both states share
 * costs nothing. Source: structured-merge-diff's typed.Compare.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { deepEqual, isObject, isWithoutParts } from "../../values/json.ts";
import { type Draft, type FieldSet, noFields, nodeOf, selfNode, setFrom, unionNode } from "./field-set.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import {
  isWhole,
  type ListShape,
  type MapShape,
  memberShape,
  type ScalarShape,
  type Shape,
  shapeFor,
} from "./shape.ts";

export interface Comparison {
  readonly removed: FieldSet;
  /** Modified, or added. */
  readonly written: FieldSet;
}

/** Both objects must be valid for the shape (validate.ts), apart from duplicate items of a list. */
export function compare(before: Json, after: Json, shape: Shape): Comparison {
  const { removed = noFields, written = noFields } = valueDifferences(before, after, shape) ?? {};
  return { removed, written };
}

/** The nodes of one value in both sets. Undefined: nothing of it is in that set. */
interface Differences {
  readonly removed?: FieldSet | undefined;
  readonly written?: FieldSet | undefined;
}

const isModified: Differences = { written: selfNode };
const noMembers: JsonObject = {};

/** Undefined: no difference. An undefined value does not exist; null is a value. */
function valueDifferences(before: Json | undefined, after: Json | undefined, shape: Shape): Differences | undefined {
  if (before === after) return undefined;
  if (before === undefined) return { written: nodeOfValue(after!, shape) };
  if (after === undefined) return { removed: nodeOfValue(before, shape) };
  const [left, right] = [shapeFor(shape, before ?? after), shapeFor(shape, after ?? before)];
  const found = partDifferences(before, after, left);
  return left.form === right.form ? found : both(found, partDifferences(before, after, right));
}

function both(a: Differences = {}, b: Differences = {}): Differences {
  const joined = (left?: FieldSet, right?: FieldSet) => (left && right ? unionNode(left, right) : (left ?? right));
  return { removed: joined(a.removed, b.removed), written: joined(a.written, b.written) };
}

type ActualShape = ScalarShape | ListShape | MapShape;

/** Two empty values are compared as a whole, so that null differs from empty. */
function partDifferences(before: Json, after: Json, shape: ActualShape): Differences | undefined {
  if (shape.form === "scalar" || isWhole(shape) || (isWithoutParts(before) && isWithoutParts(after)))
    return deepEqual(before, after) ? undefined : isModified;
  return shape.form === "map" ? memberDifferences(before, after, shape) : itemDifferences(before, after, shape);
}

/** Collects the differences of the members of an object, or of the items of a list. */
class Found {
  #removed: Draft | undefined;
  #written: Draft | undefined;

  add(element: PathElement, differences: Differences | undefined): void {
    if (differences?.removed !== undefined) (this.#removed ??= {})[element] = differences.removed;
    if (differences?.written !== undefined) (this.#written ??= {})[element] = differences.written;
  }

  get all(): Differences | undefined {
    if (this.#removed === undefined && this.#written === undefined) return undefined;
    return { removed: this.#removed && setFrom(this.#removed), written: this.#written && setFrom(this.#written) };
  }
}

function memberDifferences(before: Json, after: Json, shape: MapShape): Differences | undefined {
  const left = isObject(before) ? before : noMembers;
  const right = isObject(after) ? after : noMembers;
  const found = new Found();
  const compareMember = (name: string, was: Json | undefined, is: Json | undefined): void => {
    const next = memberShape(shape, name);
    // A field that the schema does not know has no owner: no decoded object has one.
    if (next !== undefined) found.add(fieldElement(name), valueDifferences(was, is, next));
  };
  for (const name of Object.keys(left)) {
    const other = Object.hasOwn(right, name) ? right[name] : undefined;
    if (left[name] !== other) compareMember(name, left[name], other);
  }
  for (const name of Object.keys(right)) if (!Object.hasOwn(left, name)) compareMember(name, undefined, right[name]);
  return found.all;
}

type Values = readonly Json[];
const none: Values = [];

function itemDifferences(before: Json, after: Json, shape: ListShape): Differences | undefined {
  const left = byElement(before, shape);
  const right = byElement(after, shape);
  const found = new Found();
  for (const [element, values] of left)
    found.add(element, repeatedDifferences(values, right.get(element) ?? none, shape.element));
  for (const [element, values] of right)
    if (!left.has(element)) found.add(element, repeatedDifferences(none, values, shape.element));
  return found.all;
}

/** Compares the items of one element. Duplicate items count as one value. */
function repeatedDifferences(before: Values, after: Values, shape: Shape): Differences | undefined {
  if (before.length <= 1 && after.length <= 1) return valueDifferences(before[0], after[0], shape);
  if (before.length > 1 && after.length > 1) return deepEqual(before, after) ? undefined : isModified;
  if (before.length > 1)
    return { removed: selfNode, written: after.length > 0 ? nodeOfValue(after[0]!, shape) : undefined };
  return { removed: before.length > 0 ? nodeOfValue(before[0]!, shape) : undefined, written: selfNode };
}

function byElement(list: Json, shape: ListShape): Map<PathElement, Json[]> {
  const items = new Map<PathElement, Json[]>();
  for (const item of Array.isArray(list) ? list : []) {
    const element = itemElement(item, shape);
    const known = items.get(element);
    if (known === undefined) items.set(element, [item]);
    else known.push(item);
  }
  return items;
}

/** The node of a value that is new, or removed: itself, and everything below. */
function nodeOfValue(value: Json, shape: Shape): FieldSet {
  const actual = shapeFor(shape, value);
  if (actual.form === "scalar" || isWhole(actual) || isWithoutParts(value)) return selfNode;
  const below: Draft = {};
  if (actual.form === "list") {
    for (const [element, values] of byElement(value, actual))
      below[element] = values.length > 1 ? selfNode : nodeOfValue(values[0]!, actual.element);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const next = value[name] === undefined ? undefined : memberShape(actual, name);
      if (next !== undefined) below[fieldElement(name)] = nodeOfValue(value[name]!, next);
    }
  }
  return nodeOf(true, setFrom(below))!;
}
