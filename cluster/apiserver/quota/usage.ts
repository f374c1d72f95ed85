/**
 * What an object uses of a ResourceQuota: which names of `hard` it counts for, whether it is in the quota's scopes, and
 * how much it takes. Source: pkg/quota/v1/evaluator/core/pods.go and generic/evaluator.go of the API server.
 *
 * A pod that has ended still is an object (`count/pods`), but takes nothing else. Leaves out device classes,
 * and the scopes CrossNamespacePodAffinity and VolumeAttributesClass: no pod is in these.
 */
import { podAmounts } from "../../values/resource-amounts.ts";
import type { Pod, PodSpec, ResourceQuota, ScopedResourceSelectorRequirement } from "../../values/kinds.ts";
import type { KubeObject } from "../../values/types.ts";
import type { ResourceDefinition } from "../contract/context.ts";
import { parseQuantity, type Quantity } from "../../values/quantities.ts";
import { qualified } from "../contract/status-errors.ts";

/** Amounts by the names that quotas have for them: `pods`, `requests.cpu`, `count/jobs.batch`. */
export type Usage = Map<string, Quantity>;

/** Names of amounts that are about pods, but for `count/pods`. */
const podNames =
  /^(pods|((requests|limits)\.)?(cpu|memory|ephemeral-storage)|(requests\.)?hugepages-.*|requests\.(?!.*kubernetes\.io\/).*\/.*)$/;
/** Resources that are also counted under their bare names. */
const bareNames = /^(configmaps|resourcequotas|secrets)$/;
type Member = "limits" | "requests";
const ONE: Quantity = { milli: 1000n, format: "decimal" };

function isPods({ group, resource }: ResourceDefinition): boolean {
  return group === "" && resource === "pods";
}

/** The names under which an object always counts. */
function countNames({ group, resource }: ResourceDefinition): string[] {
  const count = `count/${qualified({ group, name: resource })}`;
  return group === "" && bareNames.test(resource) ? [count, resource] : [count];
}

/** The names of a quota for which objects of a resource count. */
export function namesFor(definition: ResourceDefinition, hard: object): string[] {
  const counts = countNames(definition);
  return Object.keys(hard).filter((name) => counts.includes(name) || (isPods(definition) && podNames.test(name)));
}

/** Whether an object is in all scopes of a quota. Only pods are in any. */
export function isInScopes(object: KubeObject, definition: ResourceDefinition, { spec }: ResourceQuota): boolean {
  const selectors: ScopedResourceSelectorRequirement[] = [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
  return selectors.every((selector) => isPods(definition) && isInScope(object as Pod, selector));
}

function isInScope(
  { spec, status }: Pod,
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
): boolean {
  const priorityClass = spec.priorityClassName;
  switch (scopeName) {
    case "Terminating":
    case "NotTerminating":
      return hasDeadline(spec) === (scopeName === "Terminating");
    case "BestEffort":
    case "NotBestEffort":
      return (status.qosClass === "BestEffort") === (scopeName === "BestEffort");
    case "PriorityClass":
      return operator === "In" || operator === "NotIn"
        ? values.includes(priorityClass!) === (operator === "In")
        : Boolean(priorityClass) === (operator === "Exists");
    default:
      return false;
  }
}

/** Whether a pod has a time limit: the scope Terminating. */
export function hasDeadline(spec: PodSpec): boolean {
  return spec.activeDeadlineSeconds !== undefined;
}

/** Whether a pod uses nothing but its place in the store any more. */
export function hasEnded({ status }: KubeObject): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Everything that an object uses, also of what no quota limits. */
export function usageOf(object: KubeObject, definition: ResourceDefinition): Usage {
  const usage: Usage = new Map(countNames(definition).map((name) => [name, ONE]));
  if (!isPods(definition) || hasEnded(object)) return usage;
  usage.set("pods", ONE);
  for (const member of ["requests", "limits"] as const) {
    for (const [name, milli] of podAmounts(object.spec, member)) {
      const quantity = { milli: BigInt(milli), format: formatOf(object.spec, member, name) };
      for (const counted of namesOf(name, member)) usage.set(counted, quantity);
    }
  }
  return usage;
}

/** The names in quotas for what a container requests or is limited to. */
function namesOf(name: string, member: string): string[] {
  const isStandard = /^(cpu|memory|ephemeral-storage)$/.test(name);
  if (member === "limits") return isStandard ? [`limits.${name}`] : [];
  if (isStandard || name.startsWith("hugepages-")) return [name, `requests.${name}`];
  return podNames.test(`requests.${name}`) ? [`requests.${name}`] : [];
}

/** The format of a sum over the containers of a pod is that of the first amount. */
export function formatOf(spec: PodSpec, member: Member, name: string): Quantity["format"] {
  for (const { resources } of [spec, ...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const amount = resources?.[member]?.[name];
    if (amount !== undefined && amount !== "0") return parseQuantity(amount).format;
  }
  return "decimal";
}

/**
 * Limited amounts that containers of a pod leave out: `limits.cpu for: a,b`, in order; empty for none. Upstream quirk:
 * only cpu and memory are required, and not if the pod as a whole has amounts.
 */
export function missingAmounts({ spec }: Pod, names: readonly string[]): string {
  if ((["requests", "limits"] as const).some((member) => Object.keys(spec.resources?.[member] ?? {}).length > 0))
    return "";
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return names
    .flatMap((name) => {
      const [, , member = "requests", resource] = /^((requests|limits)\.)?(cpu|memory)$/.exec(name) ?? [];
      if (resource === undefined) return [];
      const without = containers.filter(({ resources }) => resources?.[member as Member]?.[resource] === undefined);
      const list = [...new Set(without.map((container) => container.name))].toSorted().join();
      return list === "" ? [] : [`${name} for: ${list}`];
    })
    .join("; ");
}
