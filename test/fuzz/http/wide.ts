/**
 * Objects that are too much of something: one field of the schema, at any depth, as a long list, a map with many
 * members, or a text that patterns find hard. Whether the object is valid is not looked at: refusing it must be quick,
 * too.
 */
import type { StructField, StructType, Type } from "../../../cluster/apiserver/schema/schema.ts";
import type { Json, JsonObject } from "../../../cluster/values/types.ts";
import type { Chance } from "../../simulation/chance.ts";

/** Kinds that contain themselves end here. */
const MAX_DEPTH = 9;
/** Of elements, members or characters: mostly few, for the largest take a hundred times as long to make. */
const SIZES = [2, 30, 30, 300, 300, 3_000, 3_000, 30_000, 120_000] as const;
const LONG_TEXTS: readonly ((length: number) => string)[] = [
  (length) => "a".repeat(length),
  (length) => `${"-".repeat(length)}x`,
  (length) => `${"a.".repeat(length / 2)}!`,
  (length) => "9".repeat(length),
  (length) => `1e${"9".repeat(Math.min(length, 8))}`,
  (length) => `0.${"0".repeat(length)}1`,
  (length) => `${" ".repeat(length)}x`,
  (length) => '\u0000"\\<ü'.repeat(length / 4),
  (length) => `${"$(A)".repeat(length / 4)}$(`,
  (length) => Array.from({ length: length / 4 }, (_, n) => 2 * n).join(),
];

/** A member by member copy of `base` with one field of `type` made wide. */
export function widened(base: JsonObject, type: StructType, chance: Chance): JsonObject {
  return wideStruct(base, type, chance, 0);
}

function wideStruct(base: JsonObject, type: StructType, chance: Chance, depth: number): JsonObject {
  const fields = [...type.fields.values()].filter(({ name }) => name !== "kind" && name !== "apiVersion");
  if (fields.length === 0) return base;
  const field = chance.pick(fields);
  return { ...base, [field.name]: wideValue(base[field.name], field, chance, depth) };
}

function wideValue(base: Json | undefined, { type }: Pick<StructField, "type">, chance: Chance, depth: number): Json {
  const size = chance.pick(SIZES);
  switch (type.form) {
    case "scalar":
      return type.scalar === "any" ? nested(size) : chance.pick(LONG_TEXTS)(size);
    case "struct":
      return depth < MAX_DEPTH ? wideStruct(isObject(base) ? base : {}, type, chance, depth + 1) : {};
    case "map":
      return Object.fromEntries(Array.from({ length: size }, (_, n) => [`k${n}`, example(type.element, n)]));
    case "list": {
      // One element that is wide in itself, or many.
      const [first] = Array.isArray(base) ? base : [];
      if (type.element.form === "struct" && depth < MAX_DEPTH && chance.isHit(0.6))
        return [wideStruct(isObject(first) ? first : {}, type.element, chance, depth + 1)];
      const isAlike = chance.isHit(0.3);
      return Array.from({ length: size }, (_, n) => example(type.element, isAlike ? 0 : n));
    }
  }
}

/** A small value of a type, another one for another number. */
function example(type: Type, n: number): Json {
  if (type.form === "list") return [example(type.element, n)];
  if (type.form === "map") return { [`k${n}`]: example(type.element, n) };
  if (type.form === "scalar")
    return type.scalar === "int32" || type.scalar === "int64" || type.scalar === "float64"
      ? n
      : type.scalar === "bool"
        ? n % 2 === 0
        : type.scalar === "Quantity"
          ? `${n}m`
          : `stint.dev/v${n}`;
  if (type.form !== "struct") return null;
  // What tells elements apart, and what most of them need.
  const telling = [...type.fields.values()].filter(
    ({ name, type: { form } }) =>
      form === "scalar" &&
      /^(name|key|uid|ip|type|mountPath|containerPort|kind|apiVersion|operator|topologyKey|index)$/.test(name),
  );
  return Object.fromEntries(
    telling.map((field) => [
      field.name,
      field.name === "containerPort"
        ? 1 + n
        : field.name === "operator"
          ? "Exists"
          : field.name === "mountPath"
            ? `/m${n}`
            : example(field.type, n),
    ]),
  );
}

function nested(size: number): Json {
  let value: Json = 1;
  for (let depth = 0; depth < Math.min(size, 900); depth++) value = { a: value };
  return value;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
