/** The tables of ValidatingAdmissionPolicies and of their bindings. */
import type { ParamRef } from "./policy.ts";
import type { LabelSelector } from "../../values/label-selector.ts";
import { age } from "../tables/duration.ts";
import { column, type TableDefinition } from "../tables/table.ts";

export const admissionPolicyTable: TableDefinition = {
  columns: [column("Name"), column("Validations", { type: "integer" }), column("ParamKind"), column("Age")],
  cells(policy, nowMs) {
    const { validations, paramKind } = policy["spec"];
    const params = paramKind ? `${paramKind.apiVersion}/${paramKind.kind}` : "<unset>";
    return [policy.metadata.name, validations?.length ?? 0, params, age(policy, nowMs)];
  },
};

export const admissionPolicyBindingTable: TableDefinition = {
  columns: [column("Name"), column("PolicyName"), column("ParamRef"), column("Age")],
  cells(binding, nowMs) {
    const { policyName, paramRef } = binding["spec"];
    return [binding.metadata.name, policyName, params(paramRef), age(binding, nowMs)];
  },
};

function params(paramRef: ParamRef | undefined): string {
  if (paramRef?.name) return `${paramRef.namespace || "*"}/${paramRef.name}`;
  return paramRef?.selector ? goSelector(paramRef.selector) : "<unset>";
}

/** As upstream's type is written. */
function goSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .toSorted()
    .map((key) => `${key}: ${matchLabels[key]},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
