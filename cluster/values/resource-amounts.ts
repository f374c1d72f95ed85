/**
 * What a pod requests or is limited to, and what a node has: amounts by resource name, in thousandths of the unit.
 *
 * The request of a pod (docs/spec/api.md 5.11): containers and sidecars add up; regular init containers count by their
 * maximum, each with the sidecars that started before it; overhead comes on top; every pod takes one of `pods`.
 * The limit of a pod is added up in the same way; but overhead comes only on top of a limit that there is. Source:
 * k8s.io/component-helpers/resource PodRequests, PodLimits.
 */
import { milliOf } from "./quantities.ts";
import type { PodSpec } from "./kinds.ts";

/** Thousandths by resource name: `cpu`, `memory`, `pods`, `nvidia.com/gpu`. Doubles, exact below 9 TB of memory. */
export type Amounts = ReadonlyMap<string, number>;

export const ONE_POD_MILLI = 1000;

/** What of a pod's spec says how much it takes. */
export type PodDemand = Partial<Pick<PodSpec, "containers" | "initContainers" | "resources" | "overhead">>;

/** @throws Error for a quantity that is none. */
export function amountsOf(quantities: Readonly<Record<string, string>> | undefined): Map<string, number> {
  return new Map(Object.entries(quantities ?? {}).map(([name, quantity]) => [name, Number(milliOf(String(quantity)))]));
}

/** @throws Error for a quantity that is none. */
export function podRequests(podSpec: PodDemand): Amounts {
  return podAmounts(podSpec, "requests").set("pods", ONE_POD_MILLI);
}

/** @throws Error for a quantity that is none. */
export function podAmounts(podSpec: PodDemand, member: "requests" | "limits"): Map<string, number> {
  const sum = new Map<string, number>();
  for (const container of podSpec.containers ?? []) add(sum, amountsOf(container.resources?.[member]));
  const sidecars = new Map<string, number>();
  const initPeak = new Map<string, number>();
  for (const container of podSpec.initContainers ?? []) {
    const amounts = amountsOf(container.resources?.[member]);
    if (container.restartPolicy === "Always") {
      add(sidecars, amounts);
      raise(initPeak, sidecars);
    } else {
      add(amounts, sidecars);
      raise(initPeak, amounts);
    }
  }
  add(sum, sidecars);
  raise(sum, initPeak);
  // Amounts of the pod as a whole replace those of its containers.
  for (const [name, amount] of amountsOf(podSpec.resources?.[member])) sum.set(name, amount);
  for (const [name, amount] of amountsOf(podSpec.overhead))
    if (member === "requests" || sum.get(name)) sum.set(name, (sum.get(name) ?? 0) + amount);
  return sum;
}

export function add(to: Map<string, number>, amounts: Amounts): void {
  for (const [name, amount] of amounts) to.set(name, (to.get(name) ?? 0) + amount);
}

export function subtract(from: Map<string, number>, amounts: Amounts): void {
  for (const [name, amount] of amounts) from.set(name, (from.get(name) ?? 0) - amount);
}

function raise(to: Map<string, number>, amounts: Amounts): void {
  for (const [name, amount] of amounts) to.set(name, Math.max(to.get(name) ?? 0, amount));
}
