/**
 * The schema of a custom resource, as a CustomResourceDefinition has it (JSONSchemaProps of apiextensions.k8s.io/v1),
 * and the few questions that every walk along it asks. Leaves out what is refused in such a schema:
 * custom-resources/schema-rules.ts.
 */
import type { Json } from "../../values/types.ts";

export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** A rule in CEL. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** Fields of the root, and of embedded resources, that need not be in the schema. */
export const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** The schema of a named property. A plain look-up would find inherited members, which a client could name. */
export function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of the values of a map. */
export function valuesOf({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** The schema of a member: that of the property, or else that of the values of the map. */
export function memberOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  return propertyOf(schema, name) ?? valuesOf(schema);
}

/** Whether the schema, or one that it contains, is such. */
export function someSchema(schema: JsonSchema | undefined, isSuch: (schema: JsonSchema) => boolean): boolean {
  if (schema === undefined) return false;
  return isSuch(schema) || partsOf(schema).some((part) => someSchema(part, isSuch));
}

function partsOf(schema: JsonSchema): JsonSchema[] {
  const { items, not, allOf = [], anyOf = [], oneOf = [], properties = {} } = schema;
  const single = [items, not, valuesOf(schema)].filter((part) => part !== undefined);
  return [...single, ...allOf, ...anyOf, ...oneOf, ...Object.values(properties)];
}
