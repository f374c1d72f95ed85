/** An object without some of its fields. Source: structured-merge-diff's typed.RemoveItems. */
import type { Json, JsonObject } from "../../values/types.ts";
import { isObject, setMember } from "../../values/json.ts";
import { type FieldSet, fieldsBelow, hasField, isEmptySet } from "./field-set.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement } from "./path-element.ts";
import { deduced, type ListShape, type MapShape, memberShape, type Shape, shapeFor } from "./shape.ts";

/** Null: nothing is left of a list, of a map, or of an atomic value. */
export function removeFields(value: Json, fields: FieldSet, shape: Shape): Json {
  if (isEmptySet(fields)) return value;
  const actual = shapeFor(shape, value);
  switch (actual.form) {
    case "scalar":
      return value;
    case "map":
      return actual.isAtomic || !isObject(value) ? null : withoutMembers(value, fields, actual);
    case "list":
      return actual.elements === "atomic" || !Array.isArray(value) ? null : withoutItems(value, fields, actual);
  }
}

function withoutMembers(value: JsonObject, fields: FieldSet, shape: MapShape): Json {
  const left: JsonObject = {};
  for (const name in value) {
    const element = fieldElement(name);
    if (hasField(fields, element)) continue;
    setMember(
      left,
      name,
      removeFields(value[name]!, fieldsBelow(fields, element), memberShape(shape, name) ?? deduced),
    );
  }
  return Object.keys(left).length === 0 ? null : left;
}

function withoutItems(list: readonly Json[], fields: FieldSet, shape: ListShape): Json {
  const left: Json[] = [];
  for (const item of list) {
    const element = itemElement(item, shape);
    if (!hasField(fields, element)) left.push(removeFields(item, fieldsBelow(fields, element), shape.element));
  }
  return left.length === 0 ? null : left;
}
