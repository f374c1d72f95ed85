/**
 * Nulls and defaults. A null where the schema allows none counts as not set: the default replaces it, or it is removed.
 * Objects are not changed: unchanged parts are shared. Source: apiextensions-apiserver,
 * pkg/apiserver/schema/defaulting.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { isObject, setMember } from "../../values/json.ts";
import { type JsonSchema, memberOf } from "../schema/json-schema.ts";

/** The value with its defaults, and without nulls that the schema forbids. */
export function withDefaults<T extends Json>(value: T, schema: JsonSchema | undefined): T {
  if (schema === undefined) return value;
  if (Array.isArray(value)) return items(value, schema) as T;
  return isObject(value) ? (members(value, schema) as T) : value;
}

function members(value: JsonObject, schema: JsonSchema): JsonObject {
  const complete: JsonObject = {};
  let isSame = true;
  for (const [name, member] of Object.entries(value)) {
    const next = present(member, memberOf(schema, name));
    if (next !== member) isSame = false;
    if (next !== undefined) setMember(complete, name, next);
  }
  for (const [name, { default: absent }] of Object.entries(schema.properties ?? {})) {
    if (absent === undefined || Object.hasOwn(value, name)) continue;
    isSame = false;
    setMember(complete, name, withDefaults(absent, schema.properties![name]));
  }
  return isSame ? value : complete;
}

function items(value: Json[], { items: schema }: JsonSchema): Json[] {
  const complete = value.map((item) =>
    isMissing(item, schema) && schema?.default === undefined ? item : present(item, schema)!,
  );
  return complete.some((item, index) => item !== value[index]) ? complete : value;
}

/** The value that counts; undefined: none. */
function present(value: Json, schema: JsonSchema | undefined): Json | undefined {
  const own = isMissing(value, schema) ? schema?.default : value;
  return own === undefined ? undefined : withDefaults(own, schema);
}

function isMissing(value: Json, schema: JsonSchema | undefined): boolean {
  return value === null && schema !== undefined && schema.nullable !== true;
}
