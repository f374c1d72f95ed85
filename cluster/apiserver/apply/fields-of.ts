/**
 * Returns the fields of an object as a set: every atomic value, every item of a keyed list, every member of a map.
 * Structs are not in it, except empty ones. Source: structured-merge-diff's typed.ToFieldSet.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { isObject } from "../../values/json.ts";
import { type Draft, type FieldSet, fieldsBelow, hasField, noFields, nodeOf, selfNode, setFrom } from "./field-set.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement, fieldOf, type PathElement } from "./path-element.ts";
import { isWhole, type ListShape, type MapShape, memberShape, type Shape, shapeFor } from "./shape.ts";

export function fieldsOf(value: Json, shape: Shape): FieldSet {
  const actual = shapeFor(shape, value);
  if (isWhole(actual)) return noFields;
  if (actual.form === "map" && isObject(value)) return fieldsOfMembers(value, actual);
  return actual.form === "list" && Array.isArray(value) ? fieldsOfItems(value, actual) : noFields;
}

function fieldsOfMembers(value: JsonObject, shape: MapShape): FieldSet {
  const fields: Draft = {};
  for (const name in value) {
    const member = value[name]!;
    const next = memberShape(shape, name);
    if (next === undefined) continue;
    const isEmpty = member === null || (isObject(member) && Object.keys(member).length === 0);
    const isField = isEmpty || shape.field(name) === undefined || isWhole(shapeFor(next, member));
    const node = nodeOf(isField, fieldsOf(member, next));
    if (node !== undefined) fields[fieldElement(name)] = node;
  }
  return setFrom(fields);
}

function fieldsOfItems(list: readonly Json[], shape: ListShape): FieldSet {
  const fields: Draft = {};
  for (const item of list) {
    const element = itemElement(item, shape);
    // A duplicate item has no known fields; only the item itself counts.
    fields[element] = element in fields ? selfNode : nodeOf(true, fieldsOf(item, shape.element))!;
  }
  return setFrom(fields);
}

/** The set, and each field of a struct with fields of the set below it. */
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
