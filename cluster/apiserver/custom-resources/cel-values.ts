/**
 * Values of a custom resource as CEL sees them: with the types that the schema says, and with the names that CEL can
 * write. Leaves out durations and bytes, which stay texts, and fields that the schema does not describe.
 */
import { celValue } from "../../cel/environment.ts";
import type { Json, JsonObject } from "../../values/types.ts";
import { isObject } from "../../values/json.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

const text: JsonSchema = { type: "string" };
const typeMeta: Readonly<Record<string, JsonSchema>> = {
  apiVersion: text,
  kind: text,
  metadata: { type: "object", properties: { name: text, generateName: text } },
};

/** @param isResource the object itself, or one that is embedded */
export function typedValue(value: Json, schema: JsonSchema, isResource: boolean): unknown {
  if (value === null) return null;
  if (Array.isArray(value))
    return value.map((item) => (schema.items === undefined ? celValue(item) : inner(item, schema.items)));
  if (isObject(value)) return typedMap(value, schema, isResource);
  if (typeof value === "number") return schema.type === "number" ? value : celValue(value);
  if (typeof value === "string" && schema.type === "string" && isTime(schema.format)) return new Date(value);
  return value;
}

function inner(value: Json, schema: JsonSchema): unknown {
  return typedValue(value, schema, schema["x-kubernetes-embedded-resource"] === true);
}

function isTime(format: string | undefined): boolean {
  return format === "date-time" || format === "datetime" || format === "date";
}

function typedMap(value: JsonObject, schema: JsonSchema, isResource: boolean): Map<string, unknown> {
  const { additionalProperties } = schema;
  const entries = Object.entries(value);
  if (typeof additionalProperties === "object")
    return new Map(entries.map(([name, member]) => [name, inner(member, additionalProperties)]));
  if (additionalProperties === true) return new Map(entries.map(([name, member]) => [name, celValue(member)]));
  const properties = isResource ? { ...schema.properties, ...typeMeta } : (schema.properties ?? {});
  const known = entries.filter(([name]) => Object.hasOwn(properties, name));
  return new Map(
    known.flatMap(([name, member]) => {
      const typed = inner(member, properties[name]!);
      return namesOf(name).map((written) => [written, typed] as const);
    }),
  );
}

/** Keywords of CEL's grammar, which cannot be names. */
const literals: ReadonlySet<string> = new Set(["true", "false", "null", "in"]);
/** Words that are reserved for variables and functions, but not for fields. */
const reserved: ReadonlySet<string> = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
const signs: Readonly<Record<string, string>> = {
  "__": "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** How expressions may write the name of a property: `namespace` is `__namespace__` too. */
export function namesOf(name: string): readonly string[] {
  if (reserved.has(name)) return [`__${name}__`, name];
  return [literals.has(name) ? `__${name}__` : name.replace(/__|[./-]/g, (sign) => signs[sign]!)];
}
