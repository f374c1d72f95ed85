/**
 * Drops the fields that the schema does not have, and reports them. Objects are not changed: unchanged parts are
 * shared. Source: apiextensions-apiserver, pkg/apiserver/schema/pruning.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { MAX_PROBLEMS } from "../../values/go-json.ts";
import { isObject, setMember } from "../../values/json.ts";
import { type JsonSchema, metaFields, propertyOf, valuesOf } from "../schema/json-schema.ts";

/** @returns the object, and the paths of its fields that the schema lacks: `spec.list[0].name` */
export function pruned(object: JsonObject, schema: JsonSchema): { object: JsonObject; unknown: readonly string[] } {
  const pruning = new Pruning();
  const kept = pruning.value(object, { ...schema, "x-kubernetes-embedded-resource": true }) as JsonObject;
  return { object: kept, unknown: pruning.unknown.toSorted() };
}

/** A part of an object, such as a default. */
export function prunedValue(value: Json, schema: JsonSchema): Json {
  return new Pruning().value(value, schema);
}

class Pruning {
  readonly unknown: string[] = [];
  readonly #path: string[] = [];

  value(value: Json, schema: JsonSchema | undefined): Json {
    const keepsUnknown = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
    if (Array.isArray(value)) return this.#items(value, schema?.items, keepsUnknown);
    return isObject(value) ? this.#members(value, schema, keepsUnknown) : value;
  }

  #members(value: JsonObject, schema: JsonSchema | undefined, keepsUnknown: boolean): JsonObject {
    const kept: JsonObject = {};
    let isSame = true;
    for (const [name, member] of Object.entries(value)) {
      const next = this.#member(name, member, schema, keepsUnknown);
      if (next !== member) isSame = false;
      if (next !== undefined) setMember(kept, name, next);
    }
    return isSame ? value : kept;
  }

  /** Undefined: the schema does not have it. */
  #member(name: string, member: Json, schema: JsonSchema | undefined, keepsUnknown: boolean): Json | undefined {
    if (schema?.["x-kubernetes-embedded-resource"] && metaFields.has(name)) return member;
    const property = schema && propertyOf(schema, name);
    if (property === undefined && schema?.additionalProperties === undefined) {
      if (keepsUnknown) return member;
      if (!metaFields.has(name) || this.#path.length > 0) this.#record(name);
      return undefined;
    }
    this.#path.push(this.#path.length === 0 ? name : `.${name}`);
    const next = this.value(member, property ?? valuesOf(schema!));
    this.#path.pop();
    return next;
  }

  #items(value: Json[], items: JsonSchema | undefined, keepsUnknown: boolean): Json[] {
    const schema = keepsUnknown && items !== undefined ? { ...items, ...keeping } : items;
    if (keepsUnknown && items === undefined) return value;
    const kept = value.map((item, index) => {
      this.#path.push(`[${index}]`);
      const next = this.value(item, schema);
      this.#path.pop();
      return next;
    });
    return kept.some((item, index) => item !== value[index]) ? kept : value;
  }

  #record(name: string): void {
    if (this.unknown.length < MAX_PROBLEMS)
      this.unknown.push(`${this.#path.join("")}${this.#path.length === 0 ? "" : "."}${name}`);
  }
}

/** Items of a list that keeps unknown fields keep them too. */
const keeping = { "x-kubernetes-preserve-unknown-fields": true };
