/**
 * Validates objects inside of a custom resource, x-kubernetes-embedded-resource: they have an apiVersion, a kind, and
 * valid metadata. Source: apiextensions-apiserver, pkg/apiserver/schema/objectmeta.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { isObject } from "../../values/json.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { dnsLabelErrors } from "../strategies/dns-label.ts";
import { type JsonSchema, memberOf, propertyOf } from "../schema/json-schema.ts";

export function embeddedViolations(value: Json, schema: JsonSchema | undefined, path = ""): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => embeddedViolations(item, schema.items, `${path}[${index}]`));
  if (!isObject(value)) return [];
  return [
    ...(schema["x-kubernetes-embedded-resource"] ? typeErrors(value, path) : []),
    ...Object.entries(value).flatMap(([name, member]) => {
      const inner = propertyOf(schema, name) === undefined ? `${path}[${name}]` : `${path}.${name}`;
      return embeddedViolations(member, memberOf(schema, name), inner.replace(/^\./, ""));
    }),
  ];
}

function typeErrors(value: JsonObject, path: string): FieldError[] {
  return ["apiVersion", "kind"].flatMap((name): FieldError[] => {
    const field = `${path}.${name}`;
    const text = value[name];
    if (text === undefined) return [{ kind: "Required", field }];
    const refuse = (detail: string): FieldError[] => [{ kind: "Invalid", field, value: text, detail }];
    if (typeof text !== "string") return refuse("must be a string");
    if (text === "") return refuse("must not be empty");
    if (name === "apiVersion")
      return text.split("/").length > 2 ? refuse(`unexpected GroupVersion string: ${text}`) : [];
    const errors = dnsLabelErrors(text.toLowerCase());
    return errors.length === 0 ? [] : refuse(`may have mixed case, but should otherwise match: ${errors.join(",")}`);
  });
}
