/**
 * The rules in CEL of a schema (x-kubernetes-validations): whether they can be read, and which an object breaks. `self`
 * is the value at the schema of the rule, `oldSelf` the one before an update. Leaves out the checks of a rule before it
 * runs, its types and its estimated cost, and rules inside of allOf. Source: apiextensions-apiserver,
 * pkg/apiserver/schema/cel.
 */
import { Optional } from "@marcbachmann/cel-js";
import { BoundedMap } from "../../values/bounded-map.ts";
import { BudgetError, CallCostError, CostBudget } from "../../cel/cost.ts";
import { celEnvironment, compile, type Program } from "../../cel/environment.ts";
import type { Json } from "../../values/types.ts";
import { deepEqual, isObject } from "../../values/json.ts";
import type { FieldError, StatusCause, Violation } from "../contract/status-errors.ts";
import { typedValue } from "./cel-values.ts";
import {
  type JsonSchema,
  memberOf,
  propertyOf,
  someSchema,
  type ValidationRule,
  valuesOf,
} from "../schema/json-schema.ts";

/** Expressions that are kept as programs. */
const MAX_PROGRAMS = 5_000;
const programs = new BoundedMap<string, Program>(MAX_PROGRAMS);

/** @throws Error with one line that says what is wrong */
function programOf(expression: string, type: "bool" | "string"): Program {
  const key = `${type} ${expression}`;
  const program = programs.get(key) ?? compile(expression, celEnvironment({ self: "dyn", oldSelf: "dyn" }), [type]);
  programs.put(key, program);
  return program;
}

/** Whether some part of the schema has rules. */
export function hasRules(schema: JsonSchema): boolean {
  const known =
    withRules.get(schema) ?? someSchema(schema, (part) => (part["x-kubernetes-validations"]?.length ?? 0) > 0);
  withRules.set(schema, known);
  return known;
}

/** Asked again for each part of each object. */
const withRules = new WeakMap<JsonSchema, boolean>();

/** Reports rules that cannot be compiled. @param field the path of the schema that has them */
export function unreadableRules(rules: readonly ValidationRule[], field: string): FieldError[] {
  return rules.flatMap(({ rule, messageExpression }, index) => [
    ...unreadable(rule, "bool", `${field}.x-kubernetes-validations[${index}].rule`),
    ...unreadable(messageExpression, "string", `${field}.x-kubernetes-validations[${index}].messageExpression`),
  ]);
}

function unreadable(expression: string | undefined, type: "bool" | "string", field: string): FieldError[] {
  if (expression === undefined || expression.trim() === "") return [];
  try {
    programOf(expression, type);
    return [];
  } catch (error) {
    return [{ kind: "Invalid", field, value: expression, detail: `compilation failed: ${(error as Error).message}` }];
  }
}

/** Errors after which rules are not evaluated, because rules may rely on the schema. */
const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

export interface BrokenRules {
  readonly violations: readonly Violation[];
  /** Warnings about rules that were broken before, by unchanged values. */
  readonly warnings: readonly string[];
}

/** @param others the violations of the schema */
export function brokenRules(
  value: Json,
  before: Json | undefined,
  schema: JsonSchema,
  others: readonly Violation[],
): BrokenRules {
  if (!hasRules(schema)) return { violations: [], warnings: [] };
  if (others.some((other) => blocking.has("reason" in other ? other.reason : `FieldValue${other.kind}`)))
    return { violations: [unchecked], warnings: [] };
  const check = new RuleCheck();
  check.value(value, before, schema, "", true);
  return check;
}

const unchecked: StatusCause = {
  reason: "FieldValueInvalid",
  message:
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
  field: "<nil>",
};

/** A value that has rules. */
interface RuledValue {
  readonly value: Json;
  readonly before: Json | undefined;
  /** The two as rules see them. */
  readonly self: unknown;
  readonly old: unknown;
  /** By its schema. */
  readonly type: string;
}

class RuleCheck implements BrokenRules {
  readonly violations: Violation[] = [];
  readonly warnings: string[] = [];
  readonly #budget = new CostBudget();
  /** A rule has exceeded its cost: no other is evaluated. */
  #isOver = false;

  value(value: Json, before: Json | undefined, schema: JsonSchema, path: string, isResource: boolean): void {
    if (value === null || this.#isOver) return;
    const rules = schema["x-kubernetes-validations"] ?? [];
    if (rules.length > 0) {
      const self = typedValue(value, schema, isResource);
      const old = before === undefined ? undefined : typedValue(before, schema, isResource);
      for (const rule of rules) this.#rule(rule, { value, before, self, old, type: schema.type ?? "" }, path);
    }
    if (Array.isArray(value)) this.#items(value, before, schema, path);
    else if (isObject(value)) {
      const old = isObject(before) ? before : {};
      for (const [name, member] of Object.entries(value)) {
        const inner = memberOf(schema, name);
        if (inner === undefined || !hasRules(inner)) continue;
        const isField = propertyOf(schema, name) !== undefined || valuesOf(schema) === undefined;
        const at = isField ? `${path}.${name}`.replace(/^\./, "") : `${path}[${name}]`;
        const earlier = Object.hasOwn(old, name) ? old[name] : undefined;
        this.value(member, earlier, inner, at, inner["x-kubernetes-embedded-resource"] === true);
      }
    }
  }

  #items(value: readonly Json[], before: Json | undefined, schema: JsonSchema, path: string): void {
    const { items } = schema;
    if (items === undefined || !hasRules(items)) return;
    const keys = schema["x-kubernetes-list-type"] === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : undefined;
    const keyOf = (item: Json): string =>
      JSON.stringify(keys?.map((key) => (isObject(item) ? (item[key] ?? null) : null)));
    const earlier = new Map(
      keys !== undefined && Array.isArray(before) ? before.map((item) => [keyOf(item), item]) : [],
    );
    value.forEach((item, index) => {
      const old = keys === undefined ? undefined : earlier.get(keyOf(item));
      this.value(item, old, items, `${path}[${index}]`, items["x-kubernetes-embedded-resource"] === true);
    });
  }

  #rule(rule: ValidationRule, { value, before, self, old, type }: RuledValue, path: string): void {
    if (this.#isOver) return;
    const usesOld = comparesWithOld(rule);
    if (usesOld && before === undefined && !rule.optionalOldSelf) return;
    const variables = { self, oldSelf: rule.optionalOldSelf ? optional(old) : (old ?? null) };
    const shown = rule.message?.trim() || rule.rule.trim();
    try {
      if (programOf(rule.rule, "bool").evaluate(variables, this.#budget) === true) return;
    } catch (error) {
      const detail = failureOf(error as Error, shown);
      this.#isOver = error instanceof CallCostError || error instanceof BudgetError;
      this.violations.push({ kind: "Invalid", field: path || "<nil>", value: type, detail });
      return;
    }
    const violation = violationOf(rule, value, messageOf(rule, variables), path);
    if (!usesOld && before !== undefined && deepEqual(value, before))
      this.warnings.push(`${violation.field}: ${violation.message}`);
    else this.violations.push(violation);
  }
}

/** Whether it is a transition rule, which holds for updates alone. A rule that cannot be compiled is none. */
function comparesWithOld({ rule, messageExpression }: ValidationRule): boolean {
  const names = (expression: string, type: "bool" | "string"): boolean =>
    programOf(expression, type).variables.has("oldSelf");
  try {
    return names(rule, "bool") || (Boolean(messageExpression?.trim()) && names(messageExpression!, "string"));
  } catch {
    return false;
  }
}

function failureOf(error: Error, rule: string): string {
  if (error instanceof BudgetError) return error.message;
  if (!(error instanceof CallCostError)) return `${error.message} evaluating rule: ${rule}`;
  const consequence = "no further validation rules will be run due to call cost exceeds limit for rule";
  return `'${error.message}': ${consequence}: ${rule}`;
}

function optional(value: unknown): unknown {
  return value === undefined ? Optional.none() : Optional.of(value);
}

function messageOf({ rule, message, messageExpression }: ValidationRule, variables: Record<string, unknown>): string {
  const own = message?.trim() || `failed rule: ${rule.trim()}`;
  if (!messageExpression) return own;
  try {
    const text = String(programOf(messageExpression, "string").evaluate(variables)).trim();
    return text === "" || /[\r\n]/.test(text) ? own : text;
  } catch {
    return own;
  }
}

function violationOf(
  { reason = "FieldValueInvalid", fieldPath = "" }: ValidationRule,
  value: Json,
  detail: string,
  path: string,
): StatusCause {
  const field =
    `${path}${fieldPath.startsWith(".") || path === "" ? fieldPath : `.${fieldPath}`}`.replace(/^\.|\.$/g, "") ||
    "<nil>";
  // Objects and lists are not shown.
  const shown = typeof value === "object" ? "" : `: ${JSON.stringify(value)}`;
  const messages: Readonly<Record<string, string>> = {
    FieldValueForbidden: `Forbidden: ${detail}`,
    FieldValueRequired: `Required value: ${detail}`,
    FieldValueDuplicate: `Duplicate value${shown}`,
  };
  return { reason, message: messages[reason] ?? `Invalid value${shown}: ${detail}`, field };
}
