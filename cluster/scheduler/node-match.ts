/**
 * Decides whether a pod may run on a node, without looking at free resources: unschedulable, taints, node selector and
 * required node affinity (docs/spec/api.md 5.11). Pure functions of the two specs. The answer is a reason in the
 * scheduler's words. Leaves out what `ignoredPlacement` names. Source: pkg/scheduler/framework/plugins
 * nodeunschedulable, tainttoleration, nodeaffinity.
 */
import type { PodSpec } from "../values/kinds.ts";

/** The fields of a Node that decide. */
export interface NodeFacts {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: "Equal" | "Exists" | "Lt" | "Gt";
  readonly value?: string;
  readonly effect?: string;
}

/** The fields of a pod's spec that decide. */
export interface Placement {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
  /** requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms; undefined: no such affinity. */
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[] | undefined;
}

interface NodeSelectorTerm {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

interface Requirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
  readonly values?: readonly string[];
}

const UNSCHEDULABLE_TAINT: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** The fields of a pod's spec that decide where it may run. */
export function placementOf(podSpec: Partial<PodSpec>): Placement {
  return {
    nodeSelector: podSpec.nodeSelector ?? {},
    tolerations: (podSpec.tolerations ?? []) as Toleration[],
    nodeSelectorTerms: podSpec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      ?.nodeSelectorTerms as readonly NodeSelectorTerm[] | undefined,
  };
}

/** The fields of a pod's spec about placement that this scheduler ignores. */
export function ignoredPlacement(podSpec: Partial<PodSpec>): string[] {
  const { affinity = {}, topologySpreadConstraints } = podSpec;
  const fields: readonly (readonly [path: string, value: unknown])[] = [
    [
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
      affinity.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
    ],
    ["spec.affinity.podAffinity", affinity.podAffinity],
    ["spec.affinity.podAntiAffinity", affinity.podAntiAffinity],
    ["spec.topologySpreadConstraints", topologySpreadConstraints],
  ];
  return fields.filter(([, value]) => value !== undefined).map(([path]) => path);
}

/** Why the pod may not run on the node; undefined if it may. */
export function mismatch(placement: Placement, node: NodeFacts): string | undefined {
  if (node.unschedulable && !tolerates(placement.tolerations, UNSCHEDULABLE_TAINT)) return "node(s) were unschedulable";
  const untolerated = node.taints.find((taint) => repels(taint) && !tolerates(placement.tolerations, taint));
  if (untolerated !== undefined)
    return `node(s) had untolerated taint {${untolerated.key}: ${untolerated.value ?? ""}}`;
  if (!matchesSelectors(placement, node)) return "node(s) didn't match Pod's node affinity/selector";
  return undefined;
}

function repels(taint: Taint): boolean {
  return taint.effect === "NoSchedule" || taint.effect === "NoExecute";
}

/** Whether one of the tolerations is for the taint. */
export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key, operator = "Equal", value = "", effect }) => {
    if (effect !== undefined && effect !== "" && effect !== taint.effect) return false;
    // An empty key is allowed only with Exists, and tolerates everything.
    if (key !== undefined && key !== "" && key !== taint.key) return false;
    if (operator === "Exists") return true;
    if (operator === "Equal") return value === (taint.value ?? "");
    return compareIntegers(taint.value, operator, value);
  });
}

function matchesSelectors({ nodeSelector, nodeSelectorTerms }: Placement, node: NodeFacts): boolean {
  if (!Object.entries(nodeSelector).every(([key, value]) => node.labels[key] === value)) return false;
  if (nodeSelectorTerms === undefined) return true;
  return nodeSelectorTerms.some(({ matchExpressions = [], matchFields = [] }) => {
    // An empty term matches nothing.
    if (matchExpressions.length + matchFields.length === 0) return false;
    return (
      matchExpressions.every((requirement) => satisfies(node.labels[requirement.key], requirement)) &&
      matchFields.every((requirement) =>
        satisfies(requirement.key === "metadata.name" ? node.name : undefined, requirement),
      )
    );
  });
}

function satisfies(actual: string | undefined, { operator, values = [] }: Requirement): boolean {
  switch (operator) {
    case "In":
      return actual !== undefined && values.includes(actual);
    case "NotIn":
      return actual === undefined || !values.includes(actual);
    case "Exists":
      return actual !== undefined;
    case "DoesNotExist":
      return actual === undefined;
    case "Gt":
    case "Lt":
      return compareIntegers(actual, operator, values[0]);
  }
}

const INTEGER = /^[+-]?\d+$/;

/** False if either side is not an integer. */
function compareIntegers(actual: string | undefined, operator: "Gt" | "Lt", bound: string | undefined): boolean {
  if (actual === undefined || bound === undefined || !INTEGER.test(actual) || !INTEGER.test(bound)) return false;
  return operator === "Gt" ? BigInt(actual) > BigInt(bound) : BigInt(actual) < BigInt(bound);
}
