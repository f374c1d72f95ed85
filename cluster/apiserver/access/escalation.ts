/**
 * Prevents privilege escalation: a role may only contain rules that its writer holds, unless the writer has the verb
 * `escalate` for it; a binding may only grant a role whose rules its writer holds, unless the writer has the verb
 * `bind` for it. An aggregating role can get any rule, so only a user with all rights may write one. Source:
 * pkg/registry/rbac and component-helpers/auth/rbac/validation.
 */
import type { ClusterRole, RoleBinding } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import type { AdmissionPlugin } from "../admission-plugins/chain.ts";
import type { ResourceRequest, User } from "../contract/context.ts";
import { resourceName } from "../verbs/create.ts";
import { deepEqual, quote } from "../../values/json.ts";
import { forbidden, notFound, qualified } from "../contract/status-errors.ts";
import { joined, type PolicyRule } from "./authorizer.ts";
import { coversPath, heldRules, rbac, RBAC_GROUP, rulesOfRole } from "./rbac.ts";
import { MASTERS } from "./users.ts";

const ROLES: readonly string[] = ["roles", "clusterroles"];
const BINDINGS: readonly string[] = ["rolebindings", "clusterrolebindings"];
/** The most rights that are checked one by one: those in rules that the writer does not hold as a whole. */
const MAX_PARTS = 20_000;
const ALL_RIGHTS: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

export const escalation: AdmissionPlugin = {
  validate(object, current, request) {
    const { definition, user } = request;
    if (object === undefined || user === undefined || definition.group !== RBAC_GROUP) return;
    if (user.groups.includes(MASTERS) || (current && isOnlyForCollector(object, current))) return;
    if (ROLES.includes(definition.resource))
      checkRole(object as ClusterRole, current as ClusterRole | undefined, request, user);
    if (BINDINGS.includes(definition.resource)) checkBinding(object as RoleBinding, request, user);
  },
};

/** The garbage collector may change finalizers and owners. */
function isOnlyForCollector(object: TypedObject, current: TypedObject): boolean {
  const { finalizers, ownerReferences, managedFields } = current.metadata;
  const metadata = { ...object.metadata, finalizers, ownerReferences, managedFields };
  return deepEqual(JSON.parse(JSON.stringify({ ...object, metadata })), JSON.parse(JSON.stringify(current)));
}

function checkRole(role: ClusterRole, current: ClusterRole | undefined, request: ResourceRequest, user: User): void {
  const { definition, namespace, server } = request;
  const target = { group: RBAC_GROUP, resource: definition.resource, subresource: "", namespace, name: request.name };
  if (rbac.decide({ user, verb: "escalate", target }, server).isAllowed) return;
  refuseMore(role, role.rules ?? [], request, user);
  if (!aggregates(role) && !(current && aggregates(current))) return;
  const own = heldRules(user, namespace, server).rules;
  if (ALL_RIGHTS.every((right) => own.some((rule) => covers(rule, right)))) return;
  const message = "must have cluster-admin privileges to use the aggregationRule";
  throw forbidden(resourceName(request), role.metadata.name, message);
}

function aggregates(role: ClusterRole): boolean {
  return (role.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

function checkBinding(binding: RoleBinding, request: ResourceRequest, user: User): void {
  const { namespace, server } = request;
  const { kind, name } = binding.roleRef;
  const resource = kind === "Role" ? "roles" : "clusterroles";
  const target = { group: RBAC_GROUP, resource, subresource: "", namespace, name };
  if (rbac.decide({ user, verb: "bind", target }, server).isAllowed) return;
  const rules = rulesOfRole(binding.roleRef, namespace, server);
  // Upstream quirk: it names the resource of the request.
  if (rules === undefined) throw notFound(resourceName(request), name);
  refuseMore(binding, rules, request, user);
}

/** @throws ApiError 403 if a user has not all these rights */
function refuseMore(object: TypedObject, rules: readonly PolicyRule[], request: ResourceRequest, user: User): void {
  const own = heldRules(user, request.namespace, request.server);
  const isHeld = (part: PolicyRule): boolean => own.rules.some((rule) => covers(rule, part));
  const split = rules.filter((rule) => !isHeld(rule));
  const count = split.reduce((sum, rule) => sum + partCount(rule), 0);
  if (count > MAX_PARTS)
    throw forbidden(
      resourceName(request),
      object.metadata.name,
      `its rules give ${count} rights, more than the ${MAX_PARTS} that are looked for one by one; give fewer, or write several roles`,
    );
  const missing = split.flatMap(parts).filter((part) => !isHeld(part));
  if (missing.length === 0) return;
  const groups = `[${user.groups.map(quote).join(" ")}]`;
  const lines = [...new Set(compact(missing).map(shown))].toSorted().join("\n");
  const resource = qualified(resourceName(request));
  const unknown = [...new Set(own.missing.map(({ name }) => `${resource} ${quote(name)} not found`))];
  const suffix = unknown.length === 0 ? "" : `; resolution errors: [${joined(unknown)}]`;
  const message = `user ${quote(user.name)} (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n${lines}${suffix}`;
  throw forbidden(resourceName(request), object.metadata.name, message);
}

/** A rule as rules with one verb and one resource, name or path each. */
function parts({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): PolicyRule[] {
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ resourceNames: [name] }));
  return [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          names.map((name) => ({ apiGroups: [group], resources: [resource], verbs: [verb], ...name })),
        ),
      ),
    ),
    ...nonResourceURLs.flatMap((path) => verbs.map((verb) => ({ nonResourceURLs: [path], verbs: [verb] }))),
  ];
}

/** How many there are. */
function partCount({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): number {
  const ofResources = apiGroups.length * resources.length * Math.max(resourceNames.length, 1);
  return verbs.length * (ofResources + nonResourceURLs.length);
}

function covers(rule: PolicyRule, part: PolicyRule): boolean {
  return (
    hasAll(rule.verbs, part.verbs) &&
    hasAll(rule.apiGroups, part.apiGroups) &&
    (part.resources ?? []).every((resource) => hasResource(rule.resources ?? [], resource)) &&
    hasNames(rule.resourceNames ?? [], part.resourceNames ?? []) &&
    (part.nonResourceURLs ?? []).every((path) => (rule.nonResourceURLs ?? []).some((own) => coversPath(own, path)))
  );
}

function hasAll(own: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return own.includes("*") || wanted.every((one) => own.includes(one));
}

function hasResource(own: readonly string[], resource: string): boolean {
  const slash = resource.indexOf("/");
  return own.includes("*") || own.includes(resource) || (slash > 0 && own.includes(`*${resource.slice(slash)}`));
}

function hasNames(own: readonly string[], wanted: readonly string[]): boolean {
  return own.length === 0 || (wanted.length > 0 && wanted.every((name) => own.includes(name)));
}

/** Rules that differ only in their verb become one. */
function compact(rules: readonly PolicyRule[]): PolicyRule[] {
  const found = new Map<string, PolicyRule>();
  for (const { verbs, ...rest } of rules) {
    const key = JSON.stringify(rest.nonResourceURLs === undefined ? rest : [rest, verbs]);
    found.set(key, { ...rest, verbs: [...(found.get(key)?.verbs ?? []), ...verbs] });
  }
  return [...found.values()];
}

/** `{APIGroups:["batch"], Resources:["jobs"], Verbs:["get" "list"]}`. */
function shown(rule: PolicyRule): string {
  const members = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ] as const;
  const lists = members.flatMap(([name, values]) =>
    values?.length ? [`${name}:[${values.map(quote).join(" ")}]`] : [],
  );
  return `{${lists.join(", ")}}`;
}
