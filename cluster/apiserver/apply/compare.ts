/**
 * What differs between two states of an object, as three sets of fields. No field is in two of them. A part that both
 * states share costs nothing. Source: structured-merge-diff's typed.Compare.
 */
import type { Json, JsonObject } from "../../types.ts";
import { deepEqual, isObject } from "../json.ts";
import { type FieldSet, FieldSetBuilder } from "./field-set.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { type ListShape, type MapShape, memberShape, type Shape, shapeFor } from "./shape.ts";

export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Both objects are valid for the shape (validate.ts), apart from items that a list has twice. */
export function compare(before: Json, after: Json, shape: Shape): Comparison {
  const walk = new Walk();
  walk.value(before, after, shape);
  return { removed: walk.removed.set, modified: walk.modified.set, added: walk.added.set };
}

type Values = readonly Json[];
const none: Values = [];
const noMembers: JsonObject = {};

class Walk {
  readonly removed = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly added = new FieldSetBuilder();
  readonly #path: PathElement[] = [];

  /** Undefined: the value is not there. Null is a value. */
  value(before: Json | undefined, after: Json | undefined, shape: Shape): void {
    if (before === after) return;
    const [left, right] = [shapeFor(shape, before ?? after), shapeFor(shape, after ?? before)];
    let isLeaf = this.#parts(before, after, left);
    if (left.form !== right.form) isLeaf = this.#parts(before, after, right);
    if (isLeaf) return;
    if (before === undefined) this.added.add(this.#path);
    else if (after === undefined) this.removed.add(this.#path);
  }

  /** Whether the value is one as a whole. */
  #parts(before: Json | undefined, after: Json | undefined, shape: ReturnType<typeof shapeFor>): boolean {
    if (shape.form === "scalar" || isWhole(before, after, shape)) {
      this.#whole(before, after);
      return true;
    }
    if (shape.form === "map") this.#members(before, after, shape);
    else this.#items(before, after, shape);
    return false;
  }

  #whole(before: Json | undefined, after: Json | undefined): void {
    if (before === undefined) this.added.add(this.#path);
    else if (after === undefined) this.removed.add(this.#path);
    else if (!deepEqual(before, after)) this.modified.add(this.#path);
  }

  #members(before: Json | undefined, after: Json | undefined, shape: MapShape): void {
    const left = isObject(before) ? before : noMembers;
    const right = isObject(after) ? after : noMembers;
    for (const name in left) {
      const other = Object.hasOwn(right, name) ? right[name] : undefined;
      if (left[name] !== other) this.#below(fieldElement(name), left[name], other, memberShape(shape, name));
    }
    for (const name in right)
      if (!Object.hasOwn(left, name)) this.#below(fieldElement(name), undefined, right[name], memberShape(shape, name));
  }

  #items(before: Json | undefined, after: Json | undefined, shape: ListShape): void {
    const left = byElement(before, shape);
    const right = byElement(after, shape);
    for (const [element, values] of left) this.#item(element, values, right.get(element) ?? none, shape);
    for (const [element, values] of right) if (!left.has(element)) this.#item(element, none, values, shape);
  }

  /** Items that a list has more than once count as one value. */
  #item(element: PathElement, before: Values, after: Values, { element: shape }: ListShape): void {
    if (before.length <= 1 && after.length <= 1) return this.#below(element, before[0], after[0], shape);
    const path = [...this.#path, element];
    if (before.length > 1 && after.length > 1) {
      if (!deepEqual(before, after)) this.modified.add(path);
    } else if (before.length > 1) {
      if (after.length > 0) this.#below(element, undefined, after[0], shape);
      this.removed.add(path);
    } else {
      if (before.length > 0) this.#below(element, before[0], undefined, shape);
      this.added.add(path);
    }
  }

  #below(element: PathElement, before: Json | undefined, after: Json | undefined, shape: Shape | undefined): void {
    // A field that the schema does not know is nobody's: no object that was decoded has one.
    if (shape === undefined) return;
    this.#path.push(element);
    this.value(before, after, shape);
    this.#path.pop();
  }
}

/** Two empty values are compared whole, so that null differs from empty. */
function isWhole(before: Json | undefined, after: Json | undefined, shape: ListShape | MapShape): boolean {
  const isAtomic = shape.form === "map" ? shape.isAtomic : shape.elements === "atomic";
  return isAtomic || (isEmpty(before) && isEmpty(after));
}

function isEmpty(value: Json | undefined): boolean {
  if (typeof value !== "object" || value === null) return true;
  for (const _name in value) return false;
  return true;
}

function byElement(list: Json | undefined, shape: ListShape): Map<PathElement, Json[]> {
  const items = new Map<PathElement, Json[]>();
  for (const item of Array.isArray(list) ? list : []) {
    const element = itemElement(item, shape);
    const known = items.get(element);
    if (known === undefined) items.set(element, [item]);
    else known.push(item);
  }
  return items;
}
