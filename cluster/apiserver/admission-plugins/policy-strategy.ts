/**
 * Validates and defaults ValidatingAdmissionPolicies and their bindings. Source: pkg/apis/admissionregistration. Leaves
 * out the rules of a policy's status, and the check that a user who names parameters may read them.
 */
import type { JsonObject, KubeObject } from "../../values/types.ts";
import type { Rule } from "./matching.ts";
import type { AuditAnnotation, MatchResources, ParamRef, PolicySpec } from "./policy.ts";
import { policyVariables } from "./policy.ts";
import { dnsLabelErrors } from "../strategies/dns-label.ts";
import type { Strategy } from "../contract/context.ts";
import { pathSegmentErrors, qualifiedNameErrors, subdomainErrors } from "../../values/names.ts";
import type { FieldError, Violation } from "../contract/status-errors.ts";
import { conditionErrors, expressionErrors, ruleErrors, withScope } from "./rule-errors.ts";
import { invalidAll, oneOf, required } from "../strategies/field-errors.ts";
import { selectorErrors } from "../strategies/selector-errors.ts";

const FAILURE_POLICIES = ["Fail", "Ignore"];
const MATCH_POLICIES = ["Equivalent", "Exact"];
const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const ACTIONS = ["Audit", "Deny", "Warn"];
const NOT_FOUND_ACTIONS = ["Deny", "Allow"];
const MAX_AUDIT_ANNOTATIONS = 20;
const MAX_AUDIT_EXPRESSION_BYTES = 5 * 1024;
const CEL_IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const CEL_RESERVED =
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  );

type Part = Record<string, any>;

export const admissionPolicyStrategy: Strategy = {
  prepareCreate: (policy) => ({ ...policyWithDefaults(policy), status: {} }),
  prepareUpdate: policyWithDefaults,
  validate: ({ metadata, spec = {} }, _current, { subresource }) =>
    subresource ? [] : policyErrors(metadata.name, spec, "spec"),
};

export const admissionPolicyBindingStrategy: Strategy = {
  prepareCreate: bindingWithDefaults,
  prepareUpdate: bindingWithDefaults,
  validate: ({ spec = {} }) => bindingErrors(spec, "spec"),
};

function policyWithDefaults(policy: KubeObject): KubeObject {
  const { spec = {} } = policy;
  return { ...policy, spec: { failurePolicy: "Fail", ...withMatchDefaults(spec, "matchConstraints") } };
}

function bindingWithDefaults(binding: KubeObject): KubeObject {
  const { spec } = binding;
  return spec === undefined ? binding : { ...binding, spec: withMatchDefaults(spec, "matchResources") };
}

function withMatchDefaults(spec: Part, member: string): Part {
  const given: Part | undefined = spec[member];
  if (given === undefined) return spec;
  const { resourceRules, excludeResourceRules } = given as Record<string, JsonObject[] | undefined>;
  const defaults = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} };
  return {
    ...spec,
    [member]: {
      ...defaults,
      ...given,
      ...(resourceRules && { resourceRules: resourceRules.map(withScope) }),
      ...(excludeResourceRules && { excludeResourceRules: excludeResourceRules.map(withScope) }),
    },
  };
}

function policyErrors(name: string, spec: PolicySpec, field: string): Violation[] {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [] } = spec;
  const { validations = [], auditAnnotations = [] } = spec;
  const { variables: _composed, ...ofConditions } = policyVariables(spec);
  const errors: Violation[] = [
    ...oneOf(failurePolicy, FAILURE_POLICIES, `${field}.failurePolicy`),
    ...(paramKind ? paramKindErrors(paramKind, `${field}.paramKind`) : []),
    ...(matchConstraints
      ? matchErrors(matchConstraints, `${field}.matchConstraints`)
      : [required(`${field}.matchConstraints`)]),
    ...(matchConstraints && !matchConstraints.resourceRules?.length
      ? [required(`${field}.matchConstraints.resourceRules`)]
      : []),
    ...conditionErrors(matchConditions, ofConditions, `${field}.matchConditions`),
    ...variableErrors(spec, `${field}.variables`),
  ];
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    return [...errors, required(`${field}.validations`, detail), required(`${field}.auditAnnotations`, detail)];
  }
  return [
    ...errors,
    ...validations.flatMap((validation, index) => validationErrors(validation, spec, `${field}.validations[${index}]`)),
    ...auditErrors(name, auditAnnotations, spec, `${field}.auditAnnotations`),
  ];
}

function paramKindErrors({ apiVersion = "", kind = "" }: Part, field: string): FieldError[] {
  return [...apiVersionErrors(apiVersion, `${field}.apiVersion`), ...kindErrors(kind, `${field}.kind`)];
}

function apiVersionErrors(apiVersion: string, field: string): FieldError[] {
  const parts = apiVersion.split("/");
  if (apiVersion === "") return [required(field)];
  if (parts.length > 2) return invalidAll([`unexpected GroupVersion string: ${apiVersion}`], field, apiVersion);
  const [group, version] = parts.length === 1 ? ["", apiVersion] : [parts[0]!, parts[1]!];
  return [
    ...(group === "" ? [] : joined(subdomainErrors(group), field, group)),
    ...(version === ""
      ? invalidAll(["version must be specified"], field, apiVersion)
      : joined(dnsLabelErrors(version), field, version)),
  ];
}

function kindErrors(kind: string, field: string): FieldError[] {
  if (kind === "") return [required(field)];
  return joined(dnsLabelErrors(kind.toLowerCase()), field, kind, "may have mixed case, but should otherwise match: ");
}

/** Joins all problems of a value in one sentence. */
function joined(details: readonly string[], field: string, value: string, prefix = ""): FieldError[] {
  return details.length === 0 ? [] : invalidAll([`${prefix}${details.join(",")}`], field, value);
}

function matchErrors(match: MatchResources, field: string): FieldError[] {
  const { matchPolicy, namespaceSelector = {}, objectSelector = {} } = match;
  const { resourceRules = [], excludeResourceRules = [] } = match;
  return [
    ...oneOf(matchPolicy, MATCH_POLICIES, `${field}.matchPolicy`),
    ...selectorErrors(namespaceSelector, `${field}.namespaceSelector`),
    ...selectorErrors(objectSelector, `${field}.objectSelector`),
    ...resourceRules.flatMap((rule, index) => namedRuleErrors(rule, `${field}.resourceRules[${index}]`)),
    ...excludeResourceRules.flatMap((rule, index) => namedRuleErrors(rule, `${field}.excludeResourceRules[${index}]`)),
  ];
}

function namedRuleErrors(rule: Rule, field: string): FieldError[] {
  const { resourceNames = [] } = rule;
  return [
    ...resourceNames.flatMap((name, index) => {
      const at = `${field}.resourceNames[${index}]`;
      const isSecond = resourceNames.indexOf(name) < index;
      return [
        ...invalidAll(pathSegmentErrors(name), at, name),
        ...(isSecond ? [{ kind: "Duplicate" as const, field: at, value: name }] : []),
      ];
    }),
    ...ruleErrors(rule, field),
  ];
}

function variableErrors(spec: PolicySpec, field: string): FieldError[] {
  const { variables = [] } = spec;
  return variables.flatMap(({ name, expression }, index) => {
    const at = `${field}[${index}]`;
    const isIdentifier = CEL_IDENTIFIER.test(name) && !CEL_RESERVED.includes(name);
    return [
      ...(name.trim() === "" ? [required(`${at}.name`, "name is not specified")] : []),
      ...(name.trim() === "" || isIdentifier ? [] : invalidAll(["must be a valid CEL identifier"], `${at}.name`, name)),
      ...(expression.trim() === ""
        ? [required(`${at}.expression`, "expression is not specified")]
        : expressionErrors(expression, policyVariables(spec), "any", `${at}.expression`)),
    ];
  });
}

function validationErrors(validation: Part, spec: PolicySpec, field: string): FieldError[] {
  const { expression, message = "", messageExpression = "", reason } = validation;
  const variables = policyVariables(spec);
  return [
    ...(expression.trim() === ""
      ? [required(`${field}.expression`, "expression is not specified")]
      : expressionErrors(expression, variables, ["bool"], `${field}.expression`)),
    ...textErrors(messageExpression, `${field}.messageExpression`),
    ...(messageExpression.trim() === ""
      ? []
      : expressionErrors(messageExpression, variables, ["string"], `${field}.messageExpression`)),
    ...textErrors(message, `${field}.message`),
    ...(/[\n\r]/.test(message.trim()) ? invalidAll(["must not contain line breaks"], `${field}.message`, message) : []),
    ...(reason === undefined ? [] : oneOf(reason, REASONS, `${field}.reason`)),
  ];
}

function textErrors(text: string, field: string): FieldError[] {
  return text !== "" && text.trim() === "" ? invalidAll(["must be non-empty if specified"], field, text) : [];
}

function auditErrors(name: string, all: readonly AuditAnnotation[], spec: PolicySpec, field: string): FieldError[] {
  const keys = all.map(({ key }) => key);
  const tooMany = `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`;
  const goAll = all.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression }));
  return [
    ...(all.length > MAX_AUDIT_ANNOTATIONS ? invalidAll([tooMany], field, goAll) : []),
    ...all.flatMap(({ key, valueExpression }, index) => {
      const at = `${field}[${index}]`;
      return [
        ...invalidAll(qualifiedNameErrors(`${name}/${key}`), `${at}.key`, `${name}/${key}`),
        ...auditExpressionErrors(valueExpression, spec, `${at}.valueExpression`),
        ...(keys.indexOf(key) < index ? [{ kind: "Duplicate" as const, field: `${at}.key`, value: key }] : []),
      ];
    }),
  ];
}

function auditExpressionErrors(expression: string, spec: PolicySpec, field: string): FieldError[] {
  if (expression.trim() === "") return [required(field, "valueExpression is not specified")];
  if (expression.trim().length > MAX_AUDIT_EXPRESSION_BYTES)
    return [required(field, `must not exceed ${MAX_AUDIT_EXPRESSION_BYTES} bytes in length`)];
  return expressionErrors(expression, policyVariables(spec), ["string", "null"], field);
}

function bindingErrors(spec: Part, field: string): FieldError[] {
  const { policyName = "", paramRef, matchResources, validationActions = [] } = spec;
  return [
    ...(policyName === ""
      ? [required(`${field}.policyName`)]
      : invalidAll(subdomainErrors(policyName), `${field}.policyName`, policyName)),
    ...(paramRef ? paramRefErrors(paramRef, `${field}.paramRef`) : []),
    ...(matchResources ? matchErrors(matchResources, `${field}.matchResources`) : []),
    ...actionErrors(validationActions, `${field}.validationActions`),
  ];
}

function paramRefErrors(
  { name = "", selector, parameterNotFoundAction: action }: ParamRef,
  field: string,
): FieldError[] {
  const exclusive = (member: string): FieldError[] =>
    name !== "" && selector
      ? [{ kind: "Forbidden", field: `${field}.${member}`, detail: "name and selector are mutually exclusive" }]
      : [];
  return [
    ...invalidAll(pathSegmentErrors(name), `${field}.name`, name),
    ...exclusive("name"),
    ...(selector ? selectorErrors(selector, `${field}.selector`) : []),
    ...exclusive("selector"),
    ...(name === "" && !selector ? [required(field, "one of name or selector must be specified")] : []),
    ...(action
      ? oneOf(action, NOT_FOUND_ACTIONS, `${field}.parameterNotFoundAction`)
      : [required(`${field}.parameterNotFoundAction`)]),
  ];
}

function actionErrors(actions: readonly string[], field: string): FieldError[] {
  const each = actions.flatMap((action, index) => [
    ...oneOf(action, ACTIONS, `${field}[${index}]`),
    ...(actions.indexOf(action) < index
      ? [{ kind: "Duplicate" as const, field: `${field}[${index}]`, value: action }]
      : []),
  ]);
  if (actions.length === 0) return [required(field, "at least one validation action is required")];
  if (!actions.includes("Deny") || !actions.includes("Warn")) return each;
  const detail =
    "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
  return [...each, ...invalidAll([detail], field, [...actions])];
}
