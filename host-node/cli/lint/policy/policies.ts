/**
 * Writes the rules of lint that CEL can say as ValidatingAdmissionPolicies with their bindings: for Jobs and for
 * CronJobs, one that warns and one that denies. Pure.
 *
 * Jobs of CronJobs are left out: the policy of CronJobs has spoken before, and a denial would stop a schedule silently.
 */
import type { LintCode } from "../../../../bindings/js/abi.ts";
import texts from "../rule-texts.json" with { type: "json" };
import type { RuleSettings } from "../../../lint/settings.ts";
import { POLICY_RULES, POLICY_VARIABLES, type PolicyContext, type PolicyKind } from "./rules.ts";

/** What the policies are made of, as the settings of `stint lint` say it. */
export interface PolicyOptions extends PolicyContext {
  readonly rule: RuleSettings;
}

type Severity = "warn" | "deny";

const KINDS: readonly PolicyKind[] = ["Job", "CronJob"];
const SEVERITIES: readonly Severity[] = ["warn", "deny"];
const ACTIONS = { warn: "Warn", deny: "Deny" } as const;
const RESOURCES = { Job: "jobs", CronJob: "cronjobs" } as const;
// Little of a Job can change after its creation.
const OPERATIONS = { Job: ["CREATE"], CronJob: ["CREATE", "UPDATE"] } as const;
const NOT_OF_A_CRON_JOB = {
  name: "not-of-a-cronjob",
  expression:
    "!has(object.metadata.ownerReferences) ||" +
    " !object.metadata.ownerReferences.exists(owner, owner.kind == 'CronJob'" +
    " && has(owner.controller) && owner.controller)",
};

/** The codes of the rules that no expression says, in the order of docs/lint.md. */
export const unsaidRules: readonly string[] = Object.keys(texts).filter((code) => !(code in POLICY_RULES));

/** @returns the policies, each followed by its binding; none for a severity that no rule has */
export function policiesOf(options: PolicyOptions): readonly object[] {
  return KINDS.flatMap((kind) =>
    SEVERITIES.flatMap((severity) => {
      const validations = validationsOf(kind, severity, options);
      return validations.length === 0 ? [] : policyAndBinding(kind, severity, validations);
    }),
  );
}

interface Validation {
  readonly expression: string;
  readonly message: string;
}

function validationsOf(kind: PolicyKind, severity: Severity, { rule, ...context }: PolicyOptions): Validation[] {
  return Object.entries(POLICY_RULES).flatMap(([code, policyRule]) => {
    const expression = policyRule[kind];
    const set = rule[code as LintCode];
    const text = texts[code as keyof typeof texts];
    if (expression === undefined || (set ?? text.severity) !== severity) return [];
    if (policyRule.onlyIfSet === kind && set === undefined) return [];
    const speaks = typeof expression === "string" ? expression : expression(context);
    return [{ expression: `!(${speaks})`, message: `${code}: ${text.meaning}` }];
  });
}

function policyAndBinding(kind: PolicyKind, severity: Severity, validations: readonly Validation[]): object[] {
  const head = { apiVersion: "admissionregistration.k8s.io/v1" };
  const name = `stint-lint-${RESOURCES[kind]}-${severity}`;
  const resourceRule = {
    apiGroups: ["batch"],
    apiVersions: ["v1"],
    operations: OPERATIONS[kind],
    resources: [RESOURCES[kind]],
  };
  return [
    {
      ...head,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name },
      spec: {
        // An expression that fails is no reason to refuse a Job that was only to be warned of.
        failurePolicy: severity === "deny" ? "Fail" : "Ignore",
        matchConstraints: { resourceRules: [resourceRule] },
        ...(kind === "Job" ? { matchConditions: [NOT_OF_A_CRON_JOB] } : {}),
        variables: variablesFor(kind, validations),
        validations,
      },
    },
    {
      ...head,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name },
      spec: { policyName: name, validationActions: [ACTIONS[severity]] },
    },
  ];
}

// Those that the expressions name, and those that these name.
function variablesFor(kind: PolicyKind, validations: readonly Validation[]): object[] {
  const all = Object.entries(POLICY_VARIABLES[kind]);
  const named = new Set<string>();
  const note = (expression: string): void => {
    for (const [, name] of expression.matchAll(/variables\.(\w+)/g)) named.add(name!);
  };
  validations.forEach(({ expression }) => note(expression));
  // An earlier one is named by later ones alone.
  for (const [name, expression] of all.toReversed()) if (named.has(name)) note(expression);
  return all.filter(([name]) => named.has(name)).map(([name, expression]) => ({ name, expression }));
}
