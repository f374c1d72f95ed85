/**
 * The rules of the kinds that need a few lines each: accounts, limit ranges, budgets, classes, bindings of roles.
 */
import type { KubeObject } from "../../types.ts";
import type { Strategy } from "../definition.ts";

const RBAC_GROUP = "rbac.authorization.k8s.io";

/** A status that its controller fills. */
export const emptyStatusStrategy: Strategy = { prepareCreate: (object) => ({ ...object, status: {} }) };

function priorityClassDefaults(priorityClass: KubeObject): KubeObject {
  return { ...priorityClass, preemptionPolicy: priorityClass["preemptionPolicy"] ?? "PreemptLowerPriority" };
}
export const priorityClassStrategy: Strategy = {
  prepareCreate: priorityClassDefaults,
  prepareUpdate: priorityClassDefaults,
};

interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
}

function withGroups(binding: KubeObject): KubeObject {
  const subjects: Subject[] | undefined = binding["subjects"];
  const named = subjects?.map((subject) =>
    subject.apiGroup || !["User", "Group"].includes(subject.kind) ? subject : { ...subject, apiGroup: RBAC_GROUP },
  );
  const roleRef = { ...binding["roleRef"], apiGroup: binding["roleRef"].apiGroup || RBAC_GROUP };
  return { ...binding, ...(named && { subjects: named }), roleRef };
}
/** Of RoleBindings and ClusterRoleBindings. */
export const roleBindingStrategy: Strategy = { prepareCreate: withGroups, prepareUpdate: withGroups };

type Quantities = Readonly<Record<string, string>>;

interface LimitRangeItem {
  readonly type: string;
  readonly max?: Quantities;
  readonly min?: Quantities;
  readonly default?: Quantities;
  readonly defaultRequest?: Quantities;
}

/** What a container gets unless it says: the maximum as its limit, and the limit or the minimum as its request. */
function withLimitDefaults(range: KubeObject): KubeObject {
  const limits: readonly LimitRangeItem[] = range["spec"]?.limits ?? [];
  const filled = limits.map((item) => {
    if (item.type !== "Container") return item;
    const limit = { ...item.max, ...item.default };
    const request = { ...item.min, ...limit, ...item.defaultRequest };
    return { ...item, default: limit, defaultRequest: request };
  });
  return { ...range, spec: { ...range["spec"], limits: filled } };
}
export const limitRangeStrategy: Strategy = { prepareCreate: withLimitDefaults, prepareUpdate: withLimitDefaults };
