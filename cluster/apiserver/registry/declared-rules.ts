/**
 * Rules that upstream declares with the types of the API since Kubernetes 1.37, and no longer writes by hand: what is
 * said of such a field has the words of declared rules, and comes behind everything else. Source: the tags
 * `+k8s:required` and `+k8s:immutable` in k8s.io/api of 1.37 that are enforced there. Leaves out the kinds that the
 * playground has too: their strategies know the version.
 */
import { isAhead } from "../../values/kubernetes-changes.ts";
import type { ResourceDefinition } from "../contract/context.ts";
import type { ServedVersion } from "../../values/kubernetes-versions.ts";
import type { FieldError, Violation } from "../contract/status-errors.ts";

/** What a declared rule says of a field, by the kind of the error that a strategy gives. */
type Rule = Pick<FieldError, "kind"> & { readonly says: Omit<FieldError, "field"> };

type Rules = Readonly<Record<string, Rule>>;

const REQUIRED: Rule = { kind: "Required", says: { kind: "Required" } };
const IMMUTABLE: Rule = { kind: "Invalid", says: { kind: "Invalid", value: null, detail: "field is immutable" } };

/** By kind, and by the path of the field without indexes. */
const RULES: Readonly<Record<string, Rules>> = {
  ClusterRole: { "rules.verbs": REQUIRED },
  ClusterRoleBinding: { "roleRef.name": REQUIRED, "subjects.name": REQUIRED },
  CronJob: { "spec.schedule": REQUIRED },
  EndpointSlice: { addressType: IMMUTABLE, "endpoints.addresses": REQUIRED },
  ResourceClaim: { spec: IMMUTABLE },
  Role: { "rules.verbs": REQUIRED },
  RoleBinding: { "roleRef.name": REQUIRED, "subjects.name": REQUIRED },
  RuntimeClass: { handler: IMMUTABLE },
  StorageClass: {
    parameters: IMMUTABLE,
    provisioner: IMMUTABLE,
    reclaimPolicy: IMMUTABLE,
    volumeBindingMode: IMMUTABLE,
  },
  ValidatingAdmissionPolicyBinding: { "spec.validationActions": REQUIRED },
  VolumeAttachment: { spec: IMMUTABLE },
};

/** A resource whose strategy says declared rules as the version of the server does. */
export function withDeclaredRules(definition: ResourceDefinition): ResourceDefinition {
  const rules = RULES[definition.body.kind];
  const { strategy } = definition;
  if (rules === undefined || strategy.validate === undefined) return definition;
  const validate: typeof strategy.validate = (object, current, request) =>
    asDeclared(strategy.validate!(object, current, request), rules, request.server.kubernetes);
  return { ...definition, strategy: { ...strategy, validate } };
}

function asDeclared(violations: readonly Violation[], rules: Rules, kubernetes: ServedVersion): readonly Violation[] {
  if (isAhead("declared-rules", kubernetes)) return violations;
  const declared: Violation[] = [];
  const others = violations.filter((violation) => {
    const rule = ruleOf(violation, rules);
    if (rule !== undefined) declared.push({ ...rule.says, field: violation.field });
    return rule === undefined;
  });
  return [...others, ...declared];
}

function ruleOf(violation: Violation, rules: Rules): Rule | undefined {
  if (!("kind" in violation)) return undefined;
  const rule = rules[violation.field.replaceAll(/\[\d+\]/g, "")];
  const isHeld = rule?.kind === violation.kind && (rule !== IMMUTABLE || violation.detail === rule.says.detail);
  return isHeld ? rule : undefined;
}
