/**
 * What the other objects of manifests say about the Jobs of a namespace: ResourceQuotas, LimitRanges and
 * PodDisruptionBudgets. Invariant: values have the types that the engine reads; others are left out. The API server
 * reports what is wrong with such objects. Leaves out the cluster, which is not asked.
 */
import type { Manifest } from "../../cluster/manifests/manifests.ts";
import { type LintContext, type Loose, objectIn } from "./job-in.ts";

type Amounts = Readonly<Record<string, string>>;

/** The most PodDisruptionBudgets of a namespace that are passed on. */
const MAX_BUDGETS = 100;

/** Whether the object matters for Jobs. */
export function isSurrounding({ object: { kind, apiVersion } }: Manifest): boolean {
  if (kind === "PodDisruptionBudget") return String(apiVersion).startsWith("policy/");
  return apiVersion === "v1" && (kind === "ResourceQuota" || kind === "LimitRange");
}

export function namespaceOf({ object }: Manifest): string {
  const namespace: unknown = objectIn(object.metadata)["namespace"];
  return typeof namespace === "string" && namespace !== "" ? namespace : "default";
}

/** The surroundings of the Jobs of each namespace; a namespace that is missing has none. */
export function surroundingsOf(manifests: readonly Manifest[]): Map<string, LintContext> {
  const found = new Map<string, LintContext>();
  for (const manifest of manifests) {
    if (!isSurrounding(manifest)) continue;
    const { kind } = manifest.object;
    const spec = objectIn(manifest.object["spec"]);
    const namespace = namespaceOf(manifest);
    const known = found.get(namespace) ?? {};
    const more =
      kind === "ResourceQuota"
        ? withQuota(known, spec)
        : kind === "LimitRange"
          ? withDefaults(known, spec)
          : withBudget(known, manifest.object);
    if (more !== undefined) found.set(namespace, { ...known, ...more });
  }
  return found;
}

/** Quotas that count only some of the pods are left out, and of several quotas for one resource all but the first. */
function withQuota({ quota }: LintContext, { hard, scopes, scopeSelector }: Loose): LintContext | undefined {
  if (scopes !== undefined || scopeSelector !== undefined) return undefined;
  return { quota: { ...amountsIn(hard), ...quota } };
}

/** The defaults of the LimitRanger plugin for a container, after the API server's defaults for a LimitRange. */
function withDefaults({ containerDefaults }: LintContext, { limits }: Loose): LintContext | undefined {
  const given = { requests: { ...containerDefaults?.requests }, limits: { ...containerDefaults?.limits } };
  for (const item of Array.isArray(limits) ? limits.map(objectIn) : []) {
    if (item["type"] !== "Container") continue;
    const ownLimits = { ...amountsIn(item["max"]), ...amountsIn(item["default"]) };
    const ownRequests = { ...amountsIn(item["min"]), ...ownLimits, ...amountsIn(item["defaultRequest"]) };
    Object.assign(given.limits, ownLimits);
    Object.assign(given.requests, ownRequests);
  }
  return { containerDefaults: given };
}

function withBudget({ disruptionBudgets = [] }: LintContext, budget: Loose): LintContext | undefined {
  if (disruptionBudgets.length >= MAX_BUDGETS) return undefined;
  const { selector, minAvailable, maxUnavailable } = objectIn(budget["spec"]);
  const { name } = objectIn(budget["metadata"]);
  const passed = {
    metadata: typeof name === "string" ? { name } : {},
    spec: {
      ...(selector === undefined ? {} : { selector: selectorIn(selector) }),
      ...(isShare(minAvailable) ? { minAvailable } : {}),
      ...(isShare(maxUnavailable) ? { maxUnavailable } : {}),
    },
  };
  return { disruptionBudgets: [...disruptionBudgets, passed] };
}

function selectorIn(selector: unknown): Loose {
  const { matchLabels, matchExpressions } = objectIn(selector);
  return {
    matchLabels: Object.fromEntries(Object.entries(objectIn(matchLabels)).filter(([, value]) => isText(value))),
    matchExpressions: (Array.isArray(matchExpressions) ? matchExpressions : []).map(objectIn).flatMap((expression) => {
      const { key, operator, values } = expression;
      if (!isText(key) || !isText(operator)) return [];
      return [{ key, operator, values: Array.isArray(values) ? values.filter(isText) : [] }];
    }),
  };
}

function amountsIn(resources: unknown): Amounts {
  return Object.fromEntries(
    Object.entries(objectIn(resources))
      .filter(([, amount]) => isQuantity(amount))
      .map(([name, amount]) => [name, String(amount)]),
  );
}

function isQuantity(amount: unknown): boolean {
  return /^[+-]?[0-9.]+([eE][+-]?[0-9]{1,3}|[KMGTPE]i|[numkMGTPE])?$/.test(String(amount));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isShare(value: unknown): value is number | string {
  return Number.isInteger(value) || isText(value);
}
