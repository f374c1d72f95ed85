/**
 * Validates an object against the schema of its kind, with upstream's texts. An update does not check unchanged parts
 * again, so a client can change other parts of an object that was valid once (ratcheting). Leaves out rules in CEL.
 * Source: kube-openapi, pkg/validation/validate; apiextensions-apiserver, pkg/apiserver/validation.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { regularExpression } from "../../values/regular-expressions.ts";
import { deepEqual, isObject } from "../../values/json.ts";
import type { StatusCause } from "../contract/status-errors.ts";
import { hasFormat, isKnownFormat } from "./formats.ts";
import { type JsonSchema, propertyOf, valuesOf } from "../schema/json-schema.ts";

/** The search ends at this many violations. A response shows some hundred of them. */
const MAX_VIOLATIONS = 300;

export interface ValidationOptions {
  /** The place of the value, if it is a part of something: `status`. Texts name paths inside of the value. */
  readonly place?: string;
  /** The value before an update. */
  readonly before?: Json | undefined;
}

export function schemaViolations(
  value: Json,
  schema: JsonSchema,
  { place, before }: ValidationOptions = {},
): StatusCause[] {
  const { violations } = check(value, schema, "", before);
  if (place === undefined) return violations;
  return violations.map((one) => ({ ...one, field: [place, one.field].filter((part) => part !== NOWHERE).join(".") }));
}

/** The field of the object itself, as Go prints it. */
const NOWHERE = "<nil>";

/** What is wrong with a value, and how well it fits: the alternative that fits best is reported. */
interface Finding {
  violations: StatusCause[];
  matches: number;
}

function check(value: Json, schema: JsonSchema, path: string, before: Json | undefined): Finding {
  const finding: Finding = { violations: [], matches: 1 };
  if (before !== undefined && deepEqual(value, before)) return finding;
  const types = typesOf(schema);
  if (value === null) {
    if (types.length > 0 && !schema.nullable) report(finding, typeInvalid(path, types.join(","), "null"));
    checkEnum(value, schema, path, finding);
    return finding;
  }
  checkType(value, types, schema, path, finding);
  checkAlternatives(value, schema, path, finding);
  if (typeof value === "string") checkString(value, schema, path, finding);
  if (typeof value === "number") checkNumber(value, schema, path, finding);
  if (Array.isArray(value)) checkItems(value, schema, path, before, finding);
  checkEnum(value, schema, path, finding);
  if (isObject(value)) checkMembers(value, schema, path, before, finding);
  return finding;
}

function typesOf(schema: JsonSchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"]) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

function report(finding: Finding, ...violations: StatusCause[]): void {
  if (finding.violations.length < MAX_VIOLATIONS) finding.violations.push(...violations);
}

function merge(finding: Finding, other: Finding): void {
  report(finding, ...other.violations);
  finding.matches += other.matches;
}

/** A violation that shows the value, with upstream's text for it. */
function invalid(path: string, value: Json, text: string): StatusCause {
  return cause("FieldValueInvalid", path, `Invalid value: ${JSON.stringify(value)}: ${inBody(path)} ${text}`);
}

function inBody(path: string): string {
  return `${path} in body`;
}

function typeInvalid(path: string, expected: string, actual: string): StatusCause {
  const shown = JSON.stringify(actual);
  return cause(
    "FieldValueTypeInvalid",
    path,
    `Invalid value: ${shown}: ${inBody(path)} must be of type ${expected}: ${shown}`,
  );
}

function cause(reason: string, path: string, message: string): StatusCause {
  const field = path.replace(/^\./, "");
  return { reason, message, field: field === "" ? NOWHERE : field };
}

/** A violation that upstream reports without its place. */
function placeless(text: string): StatusCause {
  return { reason: "FieldValueInvalid", message: `Invalid value: "": ${text}`, field: NOWHERE };
}

function checkType(
  value: Json,
  types: readonly string[],
  { format }: JsonSchema,
  path: string,
  finding: Finding,
): void {
  if (types.length === 0) return;
  const actual = typeOf(value);
  const isNumeric = types.includes("integer") || types.includes("number");
  // Upstream quirk: with a format, a string or a list passes for any type but a number.
  const isFormatted = format !== undefined && isKnownFormat(types[0], format) && !isNumeric;
  const fits =
    types.includes(actual) ||
    (actual === "integer" && types.includes("number")) ||
    (isFormatted && (actual === "string" || actual === "array"));
  if (fits) finding.matches++;
  else if (format !== undefined && isKnownFormat(types[0], format) && actual !== "string" && actual !== "array")
    report(finding, typeInvalid(path, format, goFormats[actual] ?? ""));
  else report(finding, typeInvalid(path, types.join(","), actual));
}

/** Upstream quirk: a format that does not fit is compared with Go's name of the type. */
const goFormats: Readonly<Record<string, string>> = { integer: "int64", number: "float64" };

function typeOf(value: Json): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function checkAlternatives(value: Json, schema: JsonSchema, path: string, finding: Finding): void {
  const { anyOf, oneOf, allOf, not } = schema;
  const findings = (schemas: readonly JsonSchema[]): Finding[] =>
    schemas.map((one) => check(value, one, path, undefined));
  if (anyOf !== undefined && anyOf.length > 0) {
    const tried = findings(anyOf);
    const fitting = tried.find(isFitting);
    if (fitting === undefined)
      report(finding, placeless(`${JSON.stringify(path)} must validate at least one schema (anyOf)`));
    merge(finding, fitting ?? best(tried));
  }
  if (oneOf !== undefined && oneOf.length > 0) {
    const tried = findings(oneOf);
    const fitting = tried.filter(isFitting);
    if (fitting.length === 1) merge(finding, fitting[0]!);
    else {
      const found = fitting.length === 0 ? "Found none valid" : `Found ${fitting.length} valid alternatives`;
      report(finding, placeless(`${JSON.stringify(path)} must validate one and only one schema (oneOf). ${found}`));
      if (fitting.length === 0) merge(finding, best(tried));
    }
  }
  if (allOf !== undefined && allOf.length > 0) {
    const tried = findings(allOf);
    for (const one of tried) merge(finding, one);
    const fitting = tried.filter(isFitting).length;
    if (fitting < tried.length) {
      const none = fitting === 0 ? ". None validated" : "";
      report(finding, placeless(`${JSON.stringify(path)} must validate all the schemas (allOf)${none}`));
    }
  }
  if (not !== undefined && isFitting(check(value, not, path, undefined)))
    report(finding, placeless(`${JSON.stringify(path)} must not validate the schema (not)`));
  finding.matches++;
}

function isFitting({ violations }: Finding): boolean {
  return violations.length === 0;
}

function best(findings: readonly Finding[]): Finding {
  return findings.reduce((first, other) => (other.matches > first.matches ? other : first));
}

/** Only the first violation of a string is reported, as upstream does. */
function checkString(value: string, schema: JsonSchema, path: string, finding: Finding): void {
  const { maxLength, minLength, pattern, format } = schema;
  const length = maxLength === undefined && minLength === undefined ? 0 : [...value].length;
  if (maxLength !== undefined && length > maxLength)
    report(finding, cause("FieldValueTooLong", path, `Too long: may not be more than ${maxLength} bytes`));
  else if (minLength !== undefined && length < minLength)
    report(finding, invalid(path, value, `should be at least ${minLength} chars long`));
  else if (pattern !== undefined && !regularExpression(pattern).test(value))
    report(finding, invalid(path, value, `should match '${pattern}'`));
  else finding.matches++;
  if (format === undefined || !isKnownFormat(schema.type, format)) return;
  if (hasFormat(value, format)) finding.matches++;
  else
    report(
      finding,
      cause(
        "FieldValueTypeInvalid",
        path,
        `Invalid value: ${JSON.stringify(value)}: ${inBody(path)} must be of type ${format}: ${JSON.stringify(value)}`,
      ),
    );
}

function checkNumber(value: number, schema: JsonSchema, path: string, finding: Finding): void {
  const { type, format, multipleOf, maximum, minimum, exclusiveMaximum, exclusiveMinimum } = schema;
  if (type === "integer" && !(Number.isInteger(value) && isInRange(value, format === "int32" ? 2 ** 31 : 2 ** 63))) {
    const form = format !== undefined && isKnownFormat(type, format) ? "with format " + format : "(default format)";
    report(finding, placeless(`Checked value must be of type integer ${form} in ${path}`));
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    report(finding, invalid(path, value, `should be a multiple of ${multipleOf}`));
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    report(finding, invalid(path, value, `should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`));
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    report(finding, invalid(path, value, `should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`));
  finding.matches++;
}

function isInRange(value: number, limit: number): boolean {
  return value >= -limit && value < limit;
}

function isMultiple(value: number, factor: number): boolean {
  return Number.isInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

function checkEnum(value: Json, { enum: allowed }: JsonSchema, path: string, finding: Finding): void {
  if (allowed === undefined || allowed.length === 0) return;
  if (allowed.some((one) => deepEqual(one, value))) {
    finding.matches++;
    return;
  }
  const supported = allowed.map((one) => JSON.stringify(typeof one === "string" ? one : JSON.stringify(one)));
  report(
    finding,
    cause(
      "FieldValueNotSupported",
      path,
      `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.join(", ")}`,
    ),
  );
}

function checkItems(
  value: readonly Json[],
  schema: JsonSchema,
  path: string,
  before: Json | undefined,
  finding: Finding,
): void {
  const { items, maxItems, minItems } = schema;
  const itemBefore = Array.isArray(before) ? itemsBefore(before, schema) : () => undefined;
  if (items !== undefined)
    value.forEach((item, index) => {
      if (finding.violations.length < MAX_VIOLATIONS)
        merge(finding, check(item, items, `${path}[${index}]`, itemBefore(item)));
    });
  if (minItems !== undefined && value.length < minItems)
    report(finding, invalid(path, value.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) report(finding, tooMany(path, value.length, maxItems));
  finding.matches++;
}

/** Finds the earlier state of an item. Only items with keys can be matched. */
function itemsBefore(before: readonly Json[], schema: JsonSchema): (item: Json) => Json | undefined {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (schema["x-kubernetes-list-type"] !== "map") return () => undefined;
  const known = new Map(before.map((item) => [keyText(item, keys), item]));
  return (item) => known.get(keyText(item, keys));
}

function keyText(item: Json, keys: readonly string[]): string {
  return isObject(item) ? JSON.stringify(keys.map((key) => item[key] ?? null)) : "";
}

function tooMany(path: string, actual: number, allowed: number): StatusCause {
  return cause("FieldValueTooMany", path, `Too many: ${actual}: must have at most ${allowed} items`);
}

function checkMembers(
  value: JsonObject,
  schema: JsonSchema,
  path: string,
  before: Json | undefined,
  finding: Finding,
): void {
  const { minProperties, maxProperties, required = [], additionalProperties } = schema;
  const names = Object.keys(value);
  const child = (name: string): string => (path === "" ? name : `${path}.${name}`);
  if (minProperties !== undefined && names.length < minProperties)
    report(finding, invalid(path, names.length, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && names.length > maxProperties)
    report(finding, tooMany(path, names.length, maxProperties));
  const values = valuesOf(schema);
  for (const name of names) {
    const property = propertyOf(schema, name) ?? values;
    if (property === undefined) {
      if (additionalProperties === false)
        report(
          finding,
          cause(
            "FieldValueInvalid",
            path,
            `Invalid value: ${JSON.stringify(name)}: ${path}.${name} in body is a forbidden property`,
          ),
        );
      continue;
    }
    if (finding.violations.length >= MAX_VIOLATIONS) return;
    const memberBefore = isObject(before) && Object.hasOwn(before, name) ? before[name] : undefined;
    merge(finding, check(value[name]!, property, child(name), memberBefore));
  }
  for (const name of required)
    if (!Object.hasOwn(value, name)) report(finding, cause("FieldValueRequired", child(name), "Required value"));
}
