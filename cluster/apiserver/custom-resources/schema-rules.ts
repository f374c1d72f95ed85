/**
 * Validates the schema in a CustomResourceDefinition: the fields that are supported, lists and maps that merge, and
 * that it is structural: types are given, and alternatives only restrict what is described outside of them. Leaves out
 * what rules in CEL cost. Source: apiextensions-apiserver, pkg/apis/apiextensions/validation, pkg/apiserver/schema.
 */
import type { Json } from "../../values/types.ts";
import { regularExpression } from "../../values/regular-expressions.ts";
import { deepEqual, isObject } from "../../values/json.ts";
import type { FieldError, Violation } from "../contract/status-errors.ts";
import { unreadableRules } from "./cel-rules.ts";
import { withDefaults } from "./defaulting.ts";
import { type JsonSchema, metaFields, propertyOf, valuesOf } from "../schema/json-schema.ts";
import { prunedValue } from "./pruning.ts";
import { schemaViolations } from "./schema-validation.ts";

type Level = "root" | "item" | "field";

const types = ["array", "boolean", "integer", "number", "object", "string"];
const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
/** Fields of JSON Schema that are not supported here. */
const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;
const intOrString = [{ type: "integer" }, { type: "string" }];
const allowedAtRoot = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];

/** @param field the path of the schema */
export function schemaErrors(schema: JsonSchema, field: string, hasStatus: boolean): Violation[] {
  const errors: Violation[] = [...rootErrors(schema, field, hasStatus)];
  const structural = [...invariantErrors(schema, "root", field), ...completenessErrors(schema, field)].toSorted(
    byField,
  );
  errors.push(...(structural.length > 0 ? structural : defaultErrors(schema, field, false)));
  errors.push(...standardErrors(schema, field, { isRoot: true, isInsideMeta: false }));
  // Rules are about a schema that is right.
  return errors.length > 0 ? errors : expressionErrors(schema, field);
}

function byField(left: FieldError, right: FieldError): number {
  return left.field < right.field ? -1 : left.field > right.field ? 1 : 0;
}

function required(field: string, detail: string): FieldError {
  return { kind: "Required", field, detail };
}

function forbidden(field: string, detail: string): FieldError {
  return { kind: "Forbidden", field, detail };
}

function invalid(field: string, value: Json | undefined, detail: string): FieldError {
  return { kind: "Invalid", field, value: value ?? null, detail };
}

function asJson(value: unknown): Json {
  return value as Json;
}

function rootErrors(schema: JsonSchema, field: string, hasStatus: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (hasStatus && schema.type !== "object" && schema.type !== undefined)
    errors.push(
      invalid(
        `${field}.type`,
        schema.type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    );
  const stray = Object.keys(schema).find((name) => !allowedAtRoot.includes(goFieldName(name)));
  if (hasStatus && stray !== undefined)
    errors.push(
      invalid(
        field,
        asJson(schema),
        `only [${allowedAtRoot.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`,
      ),
    );
  if (schema.nullable) errors.push(forbidden(`${field}.nullable`, "nullable cannot be true at the root"));
  return errors;
}

/** `XPreserveUnknownFields` of `x-kubernetes-preserve-unknown-fields`. */
function goFieldName(name: string): string {
  return name
    .replace("x-kubernetes", "x")
    .split("-")
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");
}

// Structural schemas.

function invariantErrors(schema: JsonSchema, level: Level, field: string): FieldError[] {
  const { type, items, additionalProperties } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  const errors: FieldError[] = [];
  if (type === "array" && items === undefined) errors.push(required(`${field}.items`, "must be specified"));
  if (items !== undefined) errors.push(...invariantErrors(items, "item", `${field}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...invariantErrors(property, "field", `${field}.properties[${name}]`));
  if (additionalProperties !== undefined) {
    if (level === "root") errors.push(forbidden(`${field}.additionalProperties`, "must not be used at the root"));
    const values = valuesOf(schema);
    if (values !== undefined) errors.push(...invariantErrors(values, "field", `${field}.additionalProperties`));
    if (isEmbedded)
      errors.push(
        forbidden(`${field}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"),
      );
  }
  if (isIntOrString && keepsUnknown)
    errors.push(
      invalid(
        `${field}.x-kubernetes-preserve-unknown-fields`,
        true,
        "must be false if x-kubernetes-int-or-string is true",
      ),
    );
  if (isIntOrString && isEmbedded)
    errors.push(
      invalid(`${field}.x-kubernetes-embedded-resource`, true, "must be false if x-kubernetes-int-or-string is true"),
    );
  errors.push(...alternativeErrors(schema, field));
  if (isEmbedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === undefined ? required(`${field}.type`, detail) : invalid(`${field}.type`, type, detail));
  } else if (type === undefined && !isIntOrString && !keepsUnknown) {
    errors.push(required(`${field}.type`, `must not be empty ${whereTypeIsMissing[level]}`));
  }
  if (level === "root" && type !== undefined && type !== "object")
    errors.push(invalid(`${field}.type`, type, "must be object at the root"));
  errors.push(...metaErrors(schema, level, field));
  if (isEmbedded && !keepsUnknown && Object.keys(schema.properties ?? {}).length === 0)
    errors.push(
      required(
        `${field}.properties`,
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
  return errors;
}

const whereTypeIsMissing: Readonly<Record<Level, string>> = {
  root: "at the root",
  item: "for specified array items",
  field: "for specified object fields",
};

function metaErrors(schema: JsonSchema, level: Level, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const isResource = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  if (!isResource) return errors;
  for (const name of ["kind", "apiVersion"]) {
    const property = propertyOf(schema, name);
    if (property !== undefined && property.type !== "string")
      errors.push(invalid(`${field}.properties[${name}].type`, property.type ?? "", "must be string"));
  }
  const metadata = propertyOf(schema, "metadata");
  if (metadata === undefined) return errors;
  const at = `${field}.properties[metadata]`;
  if (metadata.type !== "object") errors.push(invalid(`${at}.type`, metadata.type ?? "", "must be object"));
  const { type: _type, default: _default, description: _description, properties = {}, ...rest } = metadata;
  const isRestricted = Object.keys(properties).some((name) => name !== "name" && name !== "generateName");
  if (level === "root" && (isRestricted || Object.keys(rest).length > 0 || metadata.description !== undefined))
    errors.push(
      forbidden(at, "must not specify anything other than name and generateName, but metadata is implicitly specified"),
    );
  return errors;
}

/** Rules of anyOf, allOf, oneOf, not and pattern. */
function alternativeErrors(schema: JsonSchema, field: string): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern } = schema;
  const errors: FieldError[] = [];
  const isIntOrString = (one: JsonSchema | undefined): boolean => deepEqual(one?.anyOf, intOrString);
  if (!isIntOrString(schema))
    anyOf.forEach((one, index) => errors.push(...nestedErrors(one, `${field}.anyOf[${index}]`, false)));
  allOf.forEach((one, index) =>
    errors.push(...nestedErrors(one, `${field}.allOf[${index}]`, index === 0 && isIntOrString(one))),
  );
  oneOf.forEach((one, index) => errors.push(...nestedErrors(one, `${field}.oneOf[${index}]`, false)));
  if (not !== undefined) errors.push(...nestedErrors(not, `${field}.not`, false));
  if (pattern !== undefined) {
    try {
      regularExpression(pattern);
    } catch (error) {
      errors.push(
        invalid(
          `${field}.pattern`,
          pattern,
          `must be a valid regular expression, but isn't: ${(error as Error).message}`,
        ),
      );
    }
  }
  return errors;
}

/** Fields that only describe, and so must be outside of alternatives. */
const outsideOnly: readonly (readonly [name: keyof JsonSchema, detail: string])[] = [
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function nestedErrors(schema: JsonSchema, field: string, isIntOrString: boolean): FieldError[] {
  const errors = alternativeErrors(isIntOrString ? { ...schema, anyOf: [] } : schema, field);
  if (schema.items !== undefined) errors.push(...nestedErrors(schema.items, `${field}.items`, false));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...nestedErrors(property, `${field}.properties[${name}]`, false));
  if (schema.type !== undefined) errors.push(forbidden(`${field}.type`, "must be empty to be structural"));
  if (schema.additionalProperties !== undefined)
    errors.push(forbidden(`${field}.additionalProperties`, "must be undefined to be structural"));
  for (const [name, detail] of outsideOnly)
    if (schema[name] !== undefined) errors.push(forbidden(`${field}.${name}`, detail));
  if (propertyOf(schema, "metadata") !== undefined)
    errors.push(forbidden(`${field}.properties[metadata]`, "must not be specified in a nested context"));
  return errors;
}

/**
 * What an alternative names must be described outside of it too. Upstream quirk: only the alternatives of the root are
 * checked.
 */
function completenessErrors(schema: JsonSchema, field: string): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not } = schema;
  const alternatives = (name: string, schemas: readonly JsonSchema[]): FieldError[] =>
    schemas.flatMap((one, index) => missingOutside(one, schema, `${field}.${name}[${index}]`, field));
  return [
    ...alternatives("anyOf", anyOf),
    ...alternatives("allOf", allOf),
    ...alternatives("oneOf", oneOf),
    ...(not === undefined ? [] : missingOutside(not, schema, `${field}.not`, field)),
  ];
}

function missingOutside(nested: JsonSchema, outer: JsonSchema | undefined, from: string, field: string): FieldError[] {
  if (outer === undefined) return [required(field, `because it is defined in ${from}`)];
  const { anyOf = [], allOf = [], oneOf = [], not, items, properties = {} } = nested;
  return [
    ...[...anyOf, ...allOf, ...oneOf, ...(not === undefined ? [] : [not])].flatMap((one) =>
      missingOutside(one, outer, from, field),
    ),
    ...(items === undefined ? [] : missingOutside(items, outer.items, `${from}.items`, `${field}.items`)),
    ...Object.entries(properties).flatMap(([name, property]) =>
      missingOutside(property, propertyOf(outer, name), `${from}.properties[${name}]`, `${field}.properties[${name}]`),
    ),
  ];
}

/** A default must be valid for its schema without a change. */
function defaultErrors(schema: JsonSchema, field: string, isInsideMeta: boolean): Violation[] {
  const errors: Violation[] = [];
  const { default: value, items, properties = {} } = schema;
  if (value !== undefined && !isInsideMeta) {
    if (!deepEqual(prunedValue(value, schema), value))
      errors.push(invalid(`${field}.default`, value, "must not have unknown fields"));
    errors.push(...schemaViolations(withDefaults(value, schema), schema, { place: `${field}.default` }));
  }
  if (items !== undefined) errors.push(...defaultErrors(items, `${field}.items`, isInsideMeta));
  for (const [name, property] of Object.entries(properties)) {
    const isMeta = schema["x-kubernetes-embedded-resource"] === true && metaFields.has(name);
    errors.push(...defaultErrors(property, `${field}.properties[${name}]`, isInsideMeta || isMeta));
  }
  return errors;
}

// What is supported.

interface Place {
  readonly isRoot: boolean;
  readonly isInsideMeta: boolean;
  /** Why there can be no default here. */
  readonly noDefault?: string;
}

function standardErrors(schema: JsonSchema, field: string, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  const { type, uniqueItems, items, not, properties = {} } = schema;
  if (type !== undefined && !types.includes(type)) {
    if (type === "null")
      errors.push(forbidden(`${field}.type`, "type cannot be set to null, use nullable as an alternative"));
    const supported = types.map((one) => JSON.stringify(one)).join(", ");
    errors.unshift({
      kind: "NotSupported",
      field: `${field}.type`,
      value: type,
      detail: `supported values: ${supported}`,
    });
  }
  if (schema.default !== undefined && place.noDefault !== undefined)
    errors.push(forbidden(`${field}.default`, `must not be set ${place.noDefault}`));
  for (const name of unsupported)
    if ((schema as Readonly<Record<string, unknown>>)[name] !== undefined)
      errors.push(forbidden(`${field}.${name}`, `${name} is not supported`));
  if (Array.isArray(items)) errors.push(forbidden(`${field}.items`, "items must be a schema object and not an array"));
  if (place.isInsideMeta && schema["x-kubernetes-embedded-resource"])
    errors.push(forbidden(`${field}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  if (uniqueItems)
    errors.push(
      forbidden(
        `${field}.uniqueItems`,
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    );
  errors.push(...mapErrors(schema, field, place));
  for (const [name, property] of Object.entries(properties)) {
    const isMeta = (place.isRoot || schema["x-kubernetes-embedded-resource"] === true) && metaFields.has(name);
    errors.push(
      ...standardErrors(property, `${field}.properties[${name}]`, {
        ...place,
        isRoot: false,
        isInsideMeta: place.isInsideMeta || isMeta,
        ...(place.isRoot && isMeta && { noDefault: `in top-level ${name}` }),
      }),
    );
  }
  const inner = { ...place, isRoot: false };
  if (not !== undefined) errors.push(...standardErrors(not, `${field}.not`, inner));
  for (const name of ["allOf", "oneOf", "anyOf"] as const)
    schema[name]?.forEach((one, index) => errors.push(...standardErrors(one, `${field}.${name}[${index}]`, inner)));
  if (isObject(items)) errors.push(...standardErrors(items as JsonSchema, `${field}.items`, inner));
  return [...errors, ...mergeErrors(schema, field), ...ruleErrors(schema, field)];
}

function mapErrors(schema: JsonSchema, field: string, place: Place): FieldError[] {
  const { additionalProperties, properties = {} } = schema;
  if (additionalProperties === undefined) return [];
  const at = `${field}.additionalProperties`;
  const errors: FieldError[] = [];
  if (Object.keys(properties).length > 0 && additionalProperties !== true)
    errors.push(forbidden(at, "additionalProperties and properties are mutual exclusive"));
  const values = valuesOf(schema);
  if (values === undefined) return errors;
  const noDefault = place.isInsideMeta && { noDefault: "inside additionalProperties applying to object metadata" };
  return [...errors, ...standardErrors(values, at, { ...place, isRoot: false, ...noDefault })];
}

/** The marks for server-side apply. */
function mergeErrors(schema: JsonSchema, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const mapType = schema["x-kubernetes-map-type"];
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const mustBe = (type: string, mark: string): void => {
    const detail = `must be ${type} if ${mark} is specified`;
    if (schema.type === undefined) errors.push(required(`${field}.type`, detail));
    else if (schema.type !== type) errors.push(invalid(`${field}.type`, schema.type, detail));
  };
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    errors.push(invalid(`${field}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  if (mapType !== undefined) {
    mustBe("object", "x-kubernetes-map-type");
    errors.push(...notAmong(mapType, ["atomic", "granular"], `${field}.x-kubernetes-map-type`));
  }
  if (listType !== undefined) {
    mustBe("array", "x-kubernetes-list-type");
    if (listType === "set" && schema.type === "array") errors.push(...setErrors(schema.items, field));
    errors.push(...notAmong(listType, ["atomic", "set", "map"], `${field}.x-kubernetes-list-type`));
  }
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    const at = `${field}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  if (listType === "map") errors.push(...keyErrors(schema, keys, field));
  if ((listType === "map" || listType === "set") && schema.items?.nullable)
    errors.push(forbidden(`${field}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  return errors;
}

function notAmong(value: string, allowed: readonly string[], field: string): FieldError[] {
  if (allowed.includes(value)) return [];
  const supported = allowed.map((one) => JSON.stringify(one)).join(", ");
  return [{ kind: "NotSupported", field, value, detail: `supported values: ${supported}` }];
}

function setErrors(items: JsonSchema | undefined, field: string): FieldError[] {
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && listType !== undefined && listType !== "atomic")
    return [invalid(`${field}.items.x-kubernetes-list-type`, listType, detail)];
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic")
    // Upstream quirk: it shows the list type of the items.
    return [invalid(`${field}.items.x-kubernetes-map-type`, listType, detail)];
  return [];
}

function keyErrors({ items }: JsonSchema, keys: readonly string[], field: string): FieldError[] {
  const at = `${field}.x-kubernetes-list-map-keys`;
  const errors: FieldError[] = [];
  if (keys.length === 0) errors.push(required(at, "must not be empty if x-kubernetes-list-type is map"));
  if (items === undefined)
    return [...errors, required(`${field}.items`, "must have a schema if x-kubernetes-list-type is map")];
  if (items.type !== "object")
    return [
      ...errors,
      invalid(
        `${field}.items.type`,
        items.type ?? "",
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    ];
  keys.forEach((key, index) => {
    const property = propertyOf(items, key);
    const own = `${field}.items.properties[${key}]`;
    if (property === undefined) errors.push(invalid(at, [...keys], "entries must all be names of item properties"));
    else if (property.type === "array" || property.type === "object")
      errors.push(
        invalid(`${own}.type`, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"),
      );
    if (keys.indexOf(key) < index) errors.push(invalid(at, [...keys], "must not contain duplicate entries"));
    if (property === undefined) return;
    if (!items.required?.includes(key) && property.default === undefined)
      errors.push(
        required(
          `${own}.default`,
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        ),
      );
    if (property.nullable)
      errors.push(
        forbidden(`${own}.nullable`, "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"),
      );
  });
  return errors;
}

/** Rules in CEL that cannot be read. */
function expressionErrors(schema: JsonSchema, field: string): FieldError[] {
  const { items, properties = {} } = schema;
  const values = valuesOf(schema);
  return [
    ...unreadableRules(schema["x-kubernetes-validations"] ?? [], field),
    ...(items === undefined ? [] : expressionErrors(items, `${field}.items`)),
    ...(values === undefined ? [] : expressionErrors(values, `${field}.additionalProperties`)),
    ...Object.entries(properties).flatMap(([name, property]) =>
      expressionErrors(property, `${field}.properties[${name}]`),
    ),
  ];
}

/** The form of the rules in CEL. */
function ruleErrors(schema: JsonSchema, field: string): FieldError[] {
  return (schema["x-kubernetes-validations"] ?? []).flatMap(
    ({ rule, message = "", messageExpression, reason }, index) => {
      const at = `${field}.x-kubernetes-validations[${index}]`;
      const errors: FieldError[] = [];
      const hasLines = (text: string): boolean => /[\r\n]/.test(text.trim());
      if (rule.trim() === "") errors.push(required(`${at}.rule`, "rule is not specified"));
      else if (message !== "" && message.trim() === "")
        errors.push(invalid(`${at}.message`, message, "must be non-empty if specified"));
      else if (hasLines(message)) errors.push(invalid(`${at}.message`, message, "must not contain line breaks"));
      else if (hasLines(rule) && message.trim() === "")
        errors.push(required(`${at}.message`, "message must be specified if rule contains line breaks"));
      if (messageExpression !== undefined && messageExpression !== "" && messageExpression.trim() === "")
        errors.push(required(`${at}.messageExpression`, "messageExpression must be non-empty if specified"));
      if (reason !== undefined) errors.push(...notAmong(reason, reasons, `${at}.reason`));
      return errors;
    },
  );
}
