/**
 * The fields that an object has, as a set: every value that is one as a whole, every item of a keyed list, every
 * member of a map. Structs are not in it, but for empty ones. Source: structured-merge-diff's typed.ToFieldSet.
 */
import type { Json, JsonObject } from "../../types.ts";
import { isObject } from "../json.ts";
import { type FieldSet, FieldSetBuilder, fieldsBelow, hasField, nodeOf } from "./field-set.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement, fieldOf, type PathElement } from "./path-element.ts";
import { type ListShape, type MapShape, memberShape, type Shape, shapeFor } from "./shape.ts";

export function fieldsOf(value: Json, shape: Shape): FieldSet {
  const fields = new FieldSetBuilder();
  addFields(value, shape, [], fields);
  return fields.set;
}

function addFields(value: Json, shape: Shape, path: PathElement[], fields: FieldSetBuilder): void {
  const actual = shapeFor(shape, value);
  switch (actual.form) {
    case "scalar":
      return fields.add(path);
    case "map":
      if (actual.isAtomic) fields.add(path);
      else if (isObject(value)) addMembers(value, actual, path, fields);
      return;
    case "list":
      if (actual.elements === "atomic") fields.add(path);
      else if (Array.isArray(value)) addItems(value, actual, path, fields);
  }
}

function addMembers(value: JsonObject, shape: MapShape, path: PathElement[], fields: FieldSetBuilder): void {
  for (const name in value) {
    const member = value[name]!;
    const next = memberShape(shape, name);
    if (next === undefined) continue;
    path.push(fieldElement(name));
    addFields(member, next, path, fields);
    const isEmpty = member === null || (isObject(member) && Object.keys(member).length === 0);
    if (isEmpty || shape.field(name) === undefined) fields.add(path);
    path.pop();
  }
}

function addItems(list: readonly Json[], shape: ListShape, path: PathElement[], fields: FieldSetBuilder): void {
  const elements = list.map((item) => itemElement(item, shape));
  const seen = new Set<PathElement>();
  const repeated = new Set(elements.filter((element) => seen.size === seen.add(element).size));
  elements.forEach((element, index) => {
    path.push(element);
    // Of an item that is there twice nothing is known but that it is there.
    if (!repeated.has(element)) addFields(list[index]!, shape.element, path, fields);
    fields.add(path);
    path.pop();
  });
}

/** The set, and each field of a struct that has fields of the set below it. */
export function withStructs(set: FieldSet, shape: Shape | undefined): FieldSet {
  const result: Record<PathElement, FieldSet> = {};
  for (const element in set) {
    const below = withStructs(fieldsBelow(set, element), shapeBelow(shape, element));
    result[element] = nodeOf(hasField(set, element) || isDeclared(element, shape), below)!;
  }
  return result;
}

function isDeclared(element: PathElement, shape: Shape | undefined): boolean {
  const name = fieldOf(element);
  return name !== undefined && shape?.form === "map" && shape.field(name) !== undefined;
}

function shapeBelow(shape: Shape | undefined, element: PathElement): Shape | undefined {
  const name = fieldOf(element);
  if (shape?.form === "deduced") return name === undefined ? undefined : shape;
  if (name !== undefined) return shape?.form === "map" ? memberShape(shape, name) : undefined;
  return element.startsWith("k:") && shape?.form === "list" ? shape.element : undefined;
}
