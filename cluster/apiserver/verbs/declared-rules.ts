/**
 * Rules that upstream declares with the types of the API since Kubernetes 1.37, and no longer writes by hand: what is
 * said of such a field has the words of declared rules, and comes behind everything else. Source: the tags
 * `+k8s:required`, `+k8s:immutable` and `+k8s:update` in k8s.io/api of 1.37 that are enforced there.
 */
import { isAhead } from "../../values/kubernetes-changes.ts";
import type { ResourceRequest } from "../contract/context.ts";
import type { FieldError, Violation } from "../contract/status-errors.ts";

/** What a declared rule says of a field, by the kind of the error that a strategy gives. */
type Rule = Pick<FieldError, "kind"> & { readonly says: Omit<FieldError, "field"> };

const REQUIRED: Rule = { kind: "Required", says: { kind: "Required" } };
const IMMUTABLE: Rule = { kind: "Invalid", says: { kind: "Invalid", value: null, detail: "field is immutable" } };
const SET_ONCE: Rule = {
  kind: "Forbidden",
  says: { kind: "Invalid", value: null, detail: "field cannot be modified once set" },
};

/** By kind, and by the path of the field without indexes. */
const RULES: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  ClusterRole: { "rules.verbs": REQUIRED },
  ClusterRoleBinding: { "roleRef.name": REQUIRED, "subjects.name": REQUIRED },
  CronJob: { "spec.schedule": REQUIRED },
  EndpointSlice: { addressType: IMMUTABLE, "endpoints.addresses": REQUIRED },
  Node: { "spec.providerID": SET_ONCE },
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

/** The violations that a strategy found, as the version of the server says them. */
export function asDeclared(violations: readonly Violation[], { definition, server }: ResourceRequest): Violation[] {
  const rules = RULES[definition.body.kind];
  if (rules === undefined || isAhead("declared-rules", server.kubernetes)) return [...violations];
  const declared: Violation[] = [];
  const others = violations.filter((violation) => {
    const rule = ruleOf(violation, rules);
    if (rule !== undefined) declared.push({ ...rule.says, field: violation.field });
    return rule === undefined;
  });
  return [...others, ...declared];
}

function ruleOf(violation: Violation, rules: Readonly<Record<string, Rule>>): Rule | undefined {
  if (!("kind" in violation)) return undefined;
  const rule = rules[violation.field.replaceAll(/\[\d+\]/g, "")];
  const isHeld = rule?.kind === violation.kind && (rule !== IMMUTABLE || violation.detail === rule.says.detail);
  return isHeld ? rule : undefined;
}
