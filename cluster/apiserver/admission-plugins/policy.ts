/** The parts of ValidatingAdmissionPolicies and of their bindings; and what expressions may ask. */
import type { LabelSelector } from "../../values/label-selector.ts";
import type { Criteria, Rule } from "./matching.ts";

export interface MatchResources extends Omit<Criteria, "rules" | "excludedRules"> {
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
}

export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

export interface AuditAnnotation {
  readonly key: string;
  readonly valueExpression: string;
}

export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface PolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly NamedExpression[];
  readonly variables?: readonly NamedExpression[];
  readonly validations?: readonly Validation[];
  readonly auditAnnotations?: readonly AuditAnnotation[];
  readonly failurePolicy: "Fail" | "Ignore";
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: "Allow" | "Deny";
}

export interface BindingSpec {
  readonly policyName: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions: readonly ("Audit" | "Deny" | "Warn")[];
}

/** What the expressions of a policy may ask. */
export function policyVariables({ paramKind, variables = [] }: PolicySpec): Readonly<Record<string, string>> {
  return {
    object: "dyn",
    oldObject: "dyn",
    request: "dyn",
    namespaceObject: "dyn",
    ...(paramKind && { params: "dyn" }),
    ...(variables.length > 0 && { variables: "dyn" }),
  };
}

/** Converts match resources to the form of webhooks. Without rules they match everything. */
export function criteriaOf({ resourceRules = [], excludeResourceRules = [], ...rest }: MatchResources): Criteria {
  return {
    ...rest,
    rules: resourceRules.length > 0 ? resourceRules : [EVERYTHING],
    excludedRules: excludeResourceRules,
  };
}

const EVERYTHING: Rule = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };
