/** Creates the initial roles and bindings of a cluster with role-based access control: bootstrap-policy.ts. */
import type { JsonObject } from "../values/types.ts";
import type { BareCluster } from "../bare-cluster.ts";
import {
  AGGREGATED,
  AGGREGATED_TO,
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  GANG_RULES,
  ROLE_BINDINGS,
  ROLES,
} from "../apiserver/access/bootstrap-policy.ts";
import { RBAC_GROUP } from "../apiserver/access/rbac.ts";
import { isBefore, type ServedVersion } from "../values/kubernetes-versions.ts";

const CONTROLLER = "system:controller:";
const NEWER = /^since 1\.37 \| /;

export function createBootstrapObjects(cluster: Pick<BareCluster, "handle" | "gangScheduling" | "kubernetes">): void {
  for (const content of bootstrapObjects(clusterRoles(cluster))) {
    const { kind, metadata } = content as { kind: string; metadata: { name: string; namespace?: string } };
    const where = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
    const path = `/apis/${RBAC_GROUP}/v1${where}/${kind.toLowerCase()}s`;
    const { status } = cluster.handle({
      method: "POST",
      path,
      headers: { "user-agent": "kube-apiserver" },
      body: JSON.stringify(content),
    });
    if (status !== 201) throw new Error(`the ${kind} ${metadata.name} cannot be created: status ${status}`);
  }
}

type Roles = Readonly<Record<string, readonly string[]>>;

function clusterRoles({ gangScheduling, kubernetes }: Pick<BareCluster, "gangScheduling" | "kubernetes">): Roles {
  const known = rolesOf(kubernetes);
  if (!gangScheduling) return known;
  const more = Object.entries(GANG_RULES).map(([name, rules]) => [name, [...(known[name] ?? []), ...rules]]);
  return { ...known, ...Object.fromEntries(more) };
}

/** The roles of a version, with their rules. */
function rolesOf(kubernetes: ServedVersion): Roles {
  const hasBegun = (line: string): boolean => !NEWER.test(line) || !isBefore(kubernetes, "1.37");
  return Object.fromEntries(
    Object.entries(CLUSTER_ROLES)
      .filter(([, lines]) => lines.length === 0 || lines.some(hasBegun))
      .map(([name, lines]) => [name, lines.filter(hasBegun).map((line) => line.replace(NEWER, ""))]),
  );
}

/** In an order in which they can be created. */
function bootstrapObjects(roles: Roles): JsonObject[] {
  return [
    ...AGGREGATED.map((name) => ({
      ...object("ClusterRole", name),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateLabel(name)]: "true" } }] },
    })),
    ...Object.entries(roles).map(([name, rules]) => ({
      ...object("ClusterRole", name),
      rules: rules.map(ruleOf),
    })),
    ...Object.entries(allClusterRoleBindings(roles)).map(([name, subjects]) =>
      binding("ClusterRole", name, name, subjects),
    ),
    ...Object.entries(ROLES).map(([key, rules]) => ({ ...object("Role", key), rules: rules.map(ruleOf) })),
    ...Object.entries(ROLE_BINDINGS).map(([key, [role, ...subjects]]) => binding("Role", key, role, subjects)),
  ];
}

function allClusterRoleBindings(roles: Roles): Roles {
  const controllers = Object.keys(roles).filter((name) => name.startsWith(CONTROLLER));
  const own = controllers.map((name) => [name, [`ServiceAccount kube-system/${name.slice(CONTROLLER.length)}`]]);
  const others = Object.entries(CLUSTER_ROLE_BINDINGS).filter(([name]) => name in roles);
  return { ...Object.fromEntries(others), ...Object.fromEntries(own) };
}

/** @param key a name, or `namespace/name` */
function object(kind: string, key: string): JsonObject {
  const [name = "", namespace] = key.split("/").toReversed();
  const aggregatedTo = AGGREGATED_TO[name];
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels: {
        "kubernetes.io/bootstrapping": "rbac-defaults",
        ...(kind === "ClusterRole" && aggregatedTo !== undefined && { [aggregateLabel(aggregatedTo)]: "true" }),
      },
      annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    },
  };
}

function aggregateLabel(role: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${role}`;
}

function binding(roleKind: string, key: string, role: string, subjects: readonly string[]): JsonObject {
  return {
    ...object(`${roleKind}Binding`, key),
    roleRef: { apiGroup: RBAC_GROUP, kind: roleKind, name: role },
    ...(subjects.length > 0 && { subjects: subjects.map(subjectOf) }),
  };
}

/** `verbs | groups | resources | names`, or `verbs | paths`. */
function ruleOf(line: string): JsonObject {
  const [verbs = [], second = [], resources, names] = line.split(" | ").map((part) => part.split(" "));
  if (resources === undefined) return { verbs, nonResourceURLs: second };
  const apiGroups = second.map((group) => (group === "core" ? "" : group));
  return { verbs, apiGroups, resources, ...(names && { resourceNames: names }) };
}

/** `User name`, `Group name` or `ServiceAccount namespace/name`. */
function subjectOf(text: string): JsonObject {
  const [kind = "", key = ""] = text.split(" ");
  if (kind !== "ServiceAccount") return { kind, apiGroup: RBAC_GROUP, name: key };
  const [namespace = "", name = ""] = key.split("/");
  return { kind, name, namespace };
}
