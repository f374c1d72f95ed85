/**
 * Which pods would have to leave which node, so that a pod fits there: as few and as unimportant ones as possible, and
 * such that no budget forbids, if there is a choice. Pure functions of the objects. Source:
 * pkg/scheduler/framework/preemption, pkg/scheduler/framework/plugins/defaultpreemption.
 */
import { statusOf } from "../values/budget-status.ts";
import { matchesLabels } from "../values/label-selector.ts";
import { NodePool, type PodDemand } from "../scheduler/node-pool.ts";
import { type Amounts, podRequests } from "../values/resource-amounts.ts";
import type { Node, Pod, PodDisruptionBudget } from "../values/kinds.ts";
import type { TypedObject } from "../values/types.ts";

/** Makes the priority of every real pod positive, so that a sum of priorities grows with each victim. */
const PRIORITY_OFFSET = 2 ** 31;

export interface Candidate {
  readonly node: Node;
  /** The most important one first. */
  readonly victims: readonly Pod[];
  /** How many of them a budget would keep. */
  readonly violations: number;
}

export function priorityOf(pod: Pod): number {
  return pod.spec?.priority ?? 0;
}

/** The node on which the fewest and least important pods have to leave; undefined: no node helps. */
export function bestCandidate(candidates: readonly Candidate[]): Candidate | undefined {
  const highest = ({ victims }: Candidate): number => priorityOf(victims[0]!);
  const sum = ({ victims }: Candidate): number =>
    victims.reduce((total, pod) => total + priorityOf(pod) + PRIORITY_OFFSET, 0);
  const ranks: readonly ((candidate: Candidate) => number | string)[] = [
    ({ violations }) => violations,
    highest,
    sum,
    ({ victims }) => victims.length,
  ];
  const byRank = (a: Candidate, b: Candidate): number => {
    for (const rank of ranks) if (rank(a) !== rank(b)) return rank(a) < rank(b) ? -1 : 1;
    return compare(earliestStart(b), earliestStart(a));
  };
  return candidates.toSorted(byRank)[0];
}

/** The pod that needs room. */
export interface Wanted {
  readonly demand: PodDemand;
  readonly priority: number;
}

/** A node, its pods, and the amounts that are reserved on it for others. */
export interface Occupied {
  readonly node: Node;
  readonly pods: readonly Pod[];
  readonly reserved: readonly Amounts[];
}

/** The pods that have to leave the node; empty: there is room already. Undefined: preemption does not help there. */
export function victimsOn(
  { node, pods, reserved }: Occupied,
  budgets: readonly PodDisruptionBudget[],
  { demand, priority }: Wanted,
): Candidate | undefined {
  const pool = new NodePool();
  pool.set(node);
  const { name } = node.metadata;
  const fits = (): boolean => "nodeName" in pool.choose({ ...demand, verdicts: new Map() });
  const requestsOf = (pod: Pod): Amounts => podRequests(pod.spec);
  for (const amounts of [...reserved, ...pods.map(requestsOf)]) pool.place(name, amounts);
  if (fits()) return { node, victims: [], violations: 0 };
  const possible = pods.filter((pod) => priorityOf(pod) < priority).toSorted(byImportance);
  for (const pod of possible) pool.unplace(name, requestsOf(pod));
  if (!fits()) return undefined;
  const mustLeave = (pod: Pod): boolean => {
    pool.place(name, requestsOf(pod));
    if (fits()) return false;
    pool.unplace(name, requestsOf(pod));
    return true;
  };
  const { kept, free } = byBudget(possible, budgets);
  const violating = kept.filter(mustLeave);
  const victims = [...violating, ...free.filter(mustLeave)].toSorted(byImportance);
  return { node, victims, violations: violating.length };
}

/** Pods that a budget protects, and the others, both in the order given. */
function byBudget(
  pods: readonly Pod[],
  budgets: readonly PodDisruptionBudget[],
): { readonly kept: readonly Pod[]; readonly free: readonly Pod[] } {
  const left = new Map(budgets.map((budget) => [budget, statusOf(budget).disruptionsAllowed]));
  const kept = new Set<Pod>();
  for (const pod of pods)
    for (const [budget, allowed] of left) {
      if (!isCovered(pod, budget)) continue;
      left.set(budget, allowed - 1);
      if (allowed <= 0) kept.add(pod);
    }
  return { kept: pods.filter((pod) => kept.has(pod)), free: pods.filter((pod) => !kept.has(pod)) };
}

/** Whether a budget protects the pod. None protects a pod without labels, or one whose eviction is counted already. */
function isCovered({ metadata: { namespace, name, labels = {} } }: TypedObject, budget: PodDisruptionBudget): boolean {
  const { selector = {} } = budget.spec ?? {};
  const selects = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length > 0;
  return (
    budget.metadata.namespace === namespace &&
    Object.keys(labels).length > 0 &&
    selects &&
    matchesLabels(selector, labels) &&
    statusOf(budget).disruptedPods?.[name] === undefined
  );
}

/** More important: of a higher priority, and among equals, running for longer. */
function byImportance(a: Pod, b: Pod): number {
  return priorityOf(b) - priorityOf(a) || compare(startOf(a), startOf(b));
}

/** The earliest start among the victims of the highest priority. */
function earliestStart({ victims }: Candidate): string {
  return startOf(victims[0]!);
}

/** A pod that has not started comes after all that have. */
function startOf(pod: Pod): string {
  return pod.status?.startTime ?? "~";
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
