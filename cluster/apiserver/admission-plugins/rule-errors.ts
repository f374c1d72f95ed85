/**
 * Validates what admission webhooks and policies have in common: rules about operations and resources, conditions, and
 * expressions in CEL. Source: pkg/apis/admissionregistration/validation.
 */
import { celEnvironment, compile, WrongTypeError } from "../../cel/environment.ts";
import type { Rule } from "./matching.ts";
import { qualifiedNameErrors } from "../../values/names.ts";
import type { FieldError, Violation } from "../contract/status-errors.ts";
import { invalidAll, oneOf, required } from "../strategies/field-errors.ts";

const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES = ["*", "Cluster", "Namespaced"];
const MAX_CONDITIONS = 64;

export function withScope<Rule extends { scope?: string }>(rule: Rule): Rule {
  return { scope: "*", ...rule };
}

export function ruleErrors(rule: Rule, field: string): FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  return [
    ...wildcardErrors(operations, "operations", `${field}.operations`),
    ...operations.flatMap((operation, index) => oneOf(operation, OPERATIONS, `${field}.operations[${index}]`)),
    ...wildcardErrors(apiGroups, "API groups", `${field}.apiGroups`),
    ...wildcardErrors(apiVersions, "API versions", `${field}.apiVersions`),
    ...apiVersions.flatMap((version, index) => (version === "" ? [required(`${field}.apiVersions[${index}]`)] : [])),
    ...resourceErrors(resources, `${field}.resources`),
    ...(scope === undefined ? [] : oneOf(scope, SCOPES, `${field}.scope`)),
  ];
}

function wildcardErrors(list: readonly string[], what: string, field: string): FieldError[] {
  if (list.length === 0) return [required(field)];
  if (list.length === 1 || !list.includes("*")) return [];
  return invalidAll([`if '*' is present, must not specify other ${what}`], field, [...list]);
}

function resourceErrors(resources: readonly string[], field: string): FieldError[] {
  if (resources.length === 0) return [required(field)];
  const errors: FieldError[] = [];
  const [withAllSubresources, ofAllResources] = [new Set<string>(), new Set<string>()];
  let hasPlain = false;
  for (const [index, one] of resources.entries()) {
    const at = `${field}[${index}]`;
    const refuse = (present: string): unknown =>
      errors.push(...invalidAll([`if '${present}' is present, must not specify ${one}`], at, one));
    if (one === "") errors.push(required(at));
    const slash = one.indexOf("/");
    // Upstream quirk: the last one without a subresource decides.
    if (one !== "" && slash < 0) hasPlain = one !== "*";
    if (slash < 0) continue;
    const [resource, subresource] = [one.slice(0, slash), one.slice(slash + 1)];
    if (withAllSubresources.has(resource)) refuse(`${resource}/*`);
    if (ofAllResources.has(subresource)) refuse(`*/${subresource}`);
    if (subresource === "*") withAllSubresources.add(resource);
    if (resource === "*") ofAllResources.add(subresource);
  }
  const refuseAll = (detail: string): unknown => errors.push(...invalidAll([detail], field, [...resources]));
  if (resources.length > 1 && resources.includes("*/*"))
    refuseAll("if '*/*' is present, must not specify other resources");
  if (resources.includes("*") && hasPlain)
    refuseAll("if '*' is present, must not specify other resources without subresources");
  return errors;
}

interface Condition {
  readonly name?: string;
  readonly expression?: string;
}

/** @param variables the variables of the expressions, with types */
export function conditionErrors(
  conditions: readonly Condition[],
  variables: Readonly<Record<string, string>>,
  field: string,
): Violation[] {
  const tooMany: Violation = {
    reason: "FieldValueTooMany",
    field,
    message: `Too many: ${conditions.length}: must have at most ${MAX_CONDITIONS} items`,
  };
  const names = conditions.map(({ name }) => name);
  return [
    ...(conditions.length > MAX_CONDITIONS ? [tooMany] : []),
    ...conditions.flatMap(({ name, expression = "" }, index): FieldError[] => {
      const at = `${field}[${index}]`;
      return [
        ...(expression.trim() === ""
          ? [required(`${at}.expression`)]
          : expressionErrors(expression.trim(), variables, ["bool"], `${at}.expression`)),
        ...(name ? invalidAll(qualifiedNameErrors(name), `${at}.name`, name) : [required(`${at}.name`)]),
        ...(name && names.indexOf(name) < index
          ? [{ kind: "Duplicate" as const, field: `${at}.name`, value: name }]
          : []),
      ];
    }),
  ];
}

/** Upstream requires an expression whose static type is right. The library cannot check that, except for these. */
const UNTYPED = /^\s*(?:object|oldObject|params)(?:\.\w+)*\s*$/;

/** @param types the expression must return one of these */
export function expressionErrors(
  expression: string,
  variables: Readonly<Record<string, string>>,
  types: readonly string[] | "any",
  field: string,
): FieldError[] {
  try {
    if (types !== "any" && UNTYPED.test(expression)) throw new WrongTypeError(types, "dyn");
    compile(expression, celEnvironment(variables), types);
    return [];
  } catch (error) {
    const { message } = error as Error;
    return invalidAll(
      [error instanceof WrongTypeError ? message : `compilation failed: ${message}`],
      field,
      expression,
    );
  }
}
