/**
 * Role-based access control: a rule of a role allows a request if a binding grants the role to the user, to one of the
 * user's groups, or to the user's service account. Roles and bindings are read on each request, so a change counts from
 * the next request on. Source: plugin/pkg/auth/authorizer/rbac and pkg/registry/rbac/validation.
 */
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "../../values/kinds.ts";
import { keyOf, type ServerContext, type User } from "../contract/context.ts";
import { quote } from "../../values/json.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
import { qualified } from "../contract/status-errors.ts";
import type { Attributes } from "./attributes.ts";
import { type Authorizer, joined, type PolicyRule } from "./authorizer.ts";
import { MASTERS, serviceAccountName } from "./users.ts";

export const RBAC_GROUP = "rbac.authorization.k8s.io";

/** A binding of either kind. */
export type AnyBinding = ClusterRoleBinding | RoleBinding;

/** A rule and a description of its source, or a missing role that is bound. */
type Found = { readonly rule: PolicyRule; readonly source: () => string } | { readonly missing: RoleRef };

export const rbac: Authorizer = {
  decide(attributes, server) {
    const errors: string[] = [];
    const { target, user } = attributes;
    if (user.groups.includes(MASTERS)) return { isAllowed: true, reason: "" };
    for (const found of rulesOf(user, typeof target === "string" ? "" : target.namespace, server)) {
      if ("missing" in found) errors.push(missingText(found.missing));
      else if (allows(found.rule, attributes)) return { isAllowed: true, reason: `RBAC: allowed by ${found.source()}` };
    }
    if (errors.length === 0) return { isAllowed: false, reason: "" };
    const name = isAhead("authorizers-by-name", server.kubernetes) ? "" : "rbac: ";
    return { isAllowed: false, reason: `${name}RBAC: ${joined(errors)}` };
  },
  rulesFor(user, namespace, server) {
    const { rules, missing } = heldRules(user, namespace, server);
    return { rules, errors: missing.map(missingText) };
  },
};

/** The rules of a user in a namespace, and the missing roles that are bound to the user. */
export function heldRules(
  user: User,
  namespace: string,
  server: ServerContext,
): { readonly rules: readonly PolicyRule[]; readonly missing: readonly RoleRef[] } {
  const found = [...rulesOf(user, namespace, server)];
  return {
    rules: found.flatMap((one) => ("rule" in one ? [one.rule] : [])),
    missing: found.flatMap((one) => ("missing" in one ? [one.missing] : [])),
  };
}

function missingText({ kind, name }: RoleRef): string {
  return `${qualified({ group: RBAC_GROUP, name: kind.toLowerCase() })} ${quote(name)} not found`;
}

/** The rules that apply to a user: those for the whole cluster, and those for the namespace unless it is empty. */
function* rulesOf(user: User, namespace: string, server: ServerContext): Generator<Found> {
  yield* rulesOfBindings("clusterrolebindings", "", user, server);
  if (namespace !== "") yield* rulesOfBindings("rolebindings", namespace, user, server);
}

function* rulesOfBindings(
  resource: "clusterrolebindings" | "rolebindings",
  namespace: string,
  user: User,
  server: ServerContext,
): Generator<Found> {
  const store = server.store(server.definition(RBAC_GROUP, resource));
  for (const { object: binding } of store.scan(namespace === "" ? "" : `${namespace}/`, "")) {
    const subject = subjectsOf(binding).find((one) => isMeant(one, user, namespace));
    if (subject === undefined) continue;
    const found = rulesOfRole(binding.roleRef, namespace, server);
    if (found === undefined) yield { missing: binding.roleRef };
    else for (const rule of found) yield { rule, source: () => sourceOf(binding, subject) };
  }
}

export function subjectsOf(binding: AnyBinding): readonly Subject[] {
  return binding.subjects ?? [];
}

function isMeant({ kind, name, namespace: own = "" }: Subject, user: User, namespace: string): boolean {
  switch (kind) {
    case "User":
      return user.name === name;
    case "Group":
      return user.groups.includes(name);
    case "ServiceAccount": {
      const home = own || namespace;
      return home !== "" && user.name === serviceAccountName(home, name);
    }
    default:
      return false;
  }
}

/** The rules of a role that a binding in `namespace` names; undefined: the role does not exist. */
export function rulesOfRole(
  { kind, name }: RoleRef,
  namespace: string,
  server: ServerContext,
): readonly PolicyRule[] | undefined {
  const isCluster = kind === "ClusterRole";
  const store = server.store(server.definition(RBAC_GROUP, isCluster ? "clusterroles" : "roles"));
  const role = store.get(keyOf(isCluster ? "" : namespace, name))?.object;
  return role && (role.rules ?? []);
}

function sourceOf({ kind, metadata, ...binding }: AnyBinding, subject: Subject): string {
  const { name, namespace } = metadata;
  const own = namespace === undefined ? name : `${name}/${namespace}`;
  const { kind: roleKind, name: roleName }: RoleRef = binding.roleRef;
  return `${kind} ${quote(own)} of ${roleKind} ${quote(roleName)} to ${described(subject, namespace ?? "")}`;
}

function described({ kind, name, namespace }: Subject, home: string): string {
  return `${kind} ${quote(kind === "ServiceAccount" ? `${name}/${namespace || home}` : name)}`;
}

function allows(rule: PolicyRule, { verb, target }: Attributes): boolean {
  if (!includes(rule.verbs, verb)) return false;
  if (typeof target === "string") return (rule.nonResourceURLs ?? []).some((path) => coversPath(path, target));
  const { group, resource, subresource, name } = target;
  const { resourceNames = [] } = rule;
  return (
    includes(rule.apiGroups, group) &&
    includesResource(rule.resources, resource, subresource) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

function includes(items: readonly string[] | null | undefined, wanted: string): boolean {
  return items != null && (items.includes("*") || items.includes(wanted));
}

function includesResource(items: readonly string[] | null | undefined, resource: string, subresource: string): boolean {
  if (subresource === "") return includes(items, resource);
  return includes(items, `${resource}/${subresource}`) || includes(items, `*/${subresource}`);
}

/** `/healthz/*` covers all that begins with `/healthz/`. */
export function coversPath(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, ""));
}
