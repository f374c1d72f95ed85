/**
 * Finds duplicates in lists whose items, or their keys, must be unique: x-kubernetes-list-type `set` and `map`. Source:
 * apiextensions-apiserver, pkg/apiserver/schema/listtype.
 */
import type { Json } from "../../values/types.ts";
import { isObject, stringify } from "../../values/json.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { type JsonSchema, memberOf, propertyOf } from "../schema/json-schema.ts";

export function listViolations(value: Json, schema: JsonSchema | undefined, path = ""): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value))
    return [
      ...repeated(value, schema, path),
      ...value.flatMap((item, index) => listViolations(item, schema.items, `${path}[${index}]`)),
    ];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inMap = propertyOf(schema, name) === undefined ? `${path}[${name}]` : `${path}.${name}`;
    return listViolations(member, memberOf(schema, name), inMap.replace(/^\./, ""));
  });
}

function repeated(items: readonly Json[], schema: JsonSchema, path: string): FieldError[] {
  const type = schema["x-kubernetes-list-type"];
  if (type === "set") return duplicates(items, path);
  if (type !== "map") return [];
  const stray = items.findIndex((item) => item !== null && !isObject(item));
  if (stray >= 0)
    return [
      {
        kind: "Invalid",
        field: `${path}[${stray}]`,
        value: items[stray]!,
        detail: "must be an object for an array of list-type map",
      },
    ];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return duplicates(
    items.map((item) => keysOf(item, keys)),
    path,
  );
}

function keysOf(item: Json, keys: readonly string[]): Json {
  if (!isObject(item)) return {};
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]!]));
}

/** Reports each duplicate value once, at its second place. */
function duplicates(values: readonly Json[], path: string): FieldError[] {
  const counts = new Map<string, number>();
  return values.flatMap((value, index): FieldError[] => {
    const text = stringify(value);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return count === 2 ? [{ kind: "Duplicate", field: `${path}[${index}]`, value }] : [];
  });
}
