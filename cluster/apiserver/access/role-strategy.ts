/**
 * Validates roles and their bindings. Source: pkg/apis/rbac/validation. Leaves out privilege escalation:
 * access/escalation.ts prevents it.
 */
import type { ClusterRole, PolicyRule, Role, Subject } from "../../values/kinds.ts";
import { type AnyBinding, RBAC_GROUP, subjectsOf } from "./rbac.ts";
import type { ResourceRequest, Strategy } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { pathSegmentErrors, subdomainErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { invalid, oneOf } from "../strategies/field-errors.ts";
import { selectorErrors } from "../strategies/selector-errors.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";

export const roleStrategy: Strategy<Role> = {
  prepareCreate: withoutEmptyRules,
  prepareUpdate: withoutEmptyRules,
  validate: (role) => rulesErrors(role, true),
};

export const clusterRoleStrategy: Strategy<ClusterRole> = {
  prepareCreate: withoutEmptyRules,
  prepareUpdate: withoutEmptyRules,
  validate: (role) => [...rulesErrors(role, false), ...aggregationErrors(role)],
};

export const roleBindingStrategy = bindingStrategy(true);
export const clusterRoleBindingStrategy = bindingStrategy(false);

/** An empty list of rules is written as null. */
function withoutEmptyRules<Kind extends Role | ClusterRole>(role: Kind): Kind {
  return role.rules?.length === 0 ? { ...role, rules: null } : role;
}

/** A required list is null if the client leaves it out. */
function isEmpty(list: readonly string[] | null | undefined): boolean {
  return list == null || list.length === 0;
}

function rulesErrors(role: Role | ClusterRole, isNamespaced: boolean): FieldError[] {
  const rules = role.rules ?? [];
  return rules.flatMap((rule, index) => ruleErrors(rule, isNamespaced, `rules[${index}]`));
}

function ruleErrors(rule: PolicyRule, isNamespaced: boolean, field: string): FieldError[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if (isEmpty(verbs))
    errors.push({ kind: "Required", field: `${field}.verbs`, detail: "verbs must contain at least one value" });
  const refusePaths = (detail: string): unknown =>
    errors.push({ kind: "Invalid", field: `${field}.nonResourceURLs`, value: [...nonResourceURLs], detail });
  if (nonResourceURLs.length > 0) {
    if (isNamespaced) refusePaths("namespaced rules cannot apply to non-resource URLs");
    if (!isEmpty(apiGroups) || !isEmpty(resources) || !isEmpty(resourceNames))
      refusePaths("rules cannot apply to both regular resources and non-resource URLs");
    return errors;
  }
  if (isEmpty(apiGroups))
    errors.push({
      kind: "Required",
      field: `${field}.apiGroups`,
      detail: "resource rules must supply at least one api group",
    });
  if (isEmpty(resources))
    errors.push({
      kind: "Required",
      field: `${field}.resources`,
      detail: "resource rules must supply at least one resource",
    });
  return errors;
}

function aggregationErrors({ aggregationRule }: ClusterRole): FieldError[] {
  if (aggregationRule === undefined) return [];
  const field = "aggregationRule.clusterRoleSelectors";
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length > 0)
    return selectors.flatMap((selector, index) => {
      const at = `${field}[${index}]`;
      const errors = selectorErrors(selector, at);
      return errors.length === 0 ? [] : [...errors, invalid(at, null, "invalid label selector.")];
    });
  const detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
  return [{ kind: "Required", field, detail }];
}

function bindingStrategy(isNamespaced: boolean): Strategy<AnyBinding> {
  return {
    prepareCreate: withGroups,
    prepareUpdate: withGroups,
    validate: (binding, current, request) => [
      ...roleRefErrors(binding, isNamespaced),
      ...subjectsOf(binding).flatMap((subject, index) => subjectErrors(subject, isNamespaced, `subjects[${index}]`)),
      ...changeErrors(binding, current, request),
    ],
  };
}

/** Defaults the groups of roles, users and groups. */
function withGroups(binding: AnyBinding): AnyBinding {
  const named = subjectsOf(binding).map((subject) =>
    subject.apiGroup || !["User", "Group"].includes(subject.kind) ? subject : { ...subject, apiGroup: RBAC_GROUP },
  );
  const roleRef = { ...binding.roleRef, apiGroup: binding.roleRef.apiGroup || RBAC_GROUP };
  return { ...binding, ...(binding.subjects && { subjects: named }), roleRef };
}

function roleRefErrors({ roleRef }: AnyBinding, isNamespaced: boolean): FieldError[] {
  const { apiGroup, kind, name } = roleRef;
  const errors = oneOf(apiGroup, [RBAC_GROUP], "roleRef.apiGroup");
  errors.push(...oneOf(kind, isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"], "roleRef.kind"));
  if (!name) errors.push({ kind: "Required", field: "roleRef.name", detail: "" });
  else
    errors.push(
      ...pathSegmentErrors(name).map((detail): FieldError => ({
        kind: "Invalid",
        field: "roleRef.name",
        value: name,
        detail,
      })),
    );
  return errors;
}

function subjectErrors(subject: Subject, isNamespaced: boolean, field: string): FieldError[] {
  const { kind, apiGroup = "", name, namespace } = subject;
  const errors: FieldError[] = [];
  if (!name) errors.push({ kind: "Required", field: `${field}.name`, detail: "" });
  switch (kind) {
    case "ServiceAccount":
      if (name)
        errors.push(
          ...subdomainErrors(name).map((detail): FieldError => ({
            kind: "Invalid",
            field: `${field}.name`,
            value: name,
            detail,
          })),
        );
      errors.push(...oneOf(apiGroup, [""], `${field}.apiGroup`));
      if (!isNamespaced && !namespace) errors.push({ kind: "Required", field: `${field}.namespace`, detail: "" });
      return errors;
    case "User":
    case "Group":
      return [...errors, ...oneOf(apiGroup, [RBAC_GROUP], `${field}.apiGroup`)];
    default:
      return [...errors, ...oneOf(kind, ["ServiceAccount", "User", "Group"], `${field}.kind`)];
  }
}

function changeErrors(
  { roleRef }: AnyBinding,
  current: AnyBinding | undefined,
  { server }: ResourceRequest,
): FieldError[] {
  if (current === undefined || deepEqual(roleRef, current.roleRef)) return [];
  // Upstream shows its internal type, whose members begin with capitals.
  const value = { APIGroup: roleRef.apiGroup, Kind: roleRef.kind, Name: roleRef.name };
  const detail = isAhead("declared-rules", server.kubernetes) ? "cannot change roleRef" : "field is immutable";
  return [{ kind: "Invalid", field: "roleRef", value, detail }];
}
