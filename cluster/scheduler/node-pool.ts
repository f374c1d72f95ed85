/**
 * The nodes as a scheduler sees them: what each has, what its pods have requested, and the choice of a node for a pod.
 *
 * Invariant: `requested` of a node is the sum over all pods that were placed on it and not removed, even if the binding
 * is not stored yet. Choosing costs O(nodes), whatever the number of pods.
 */
import { mismatch } from "./node-match.ts";
import type { NodeFacts, Placement } from "./node-match.ts";
import { add, amountsOf, subtract } from "../values/resource-amounts.ts";
import type { Amounts } from "../values/resource-amounts.ts";
import type { Node } from "../values/kinds.ts";

interface NodeRecord {
  facts: NodeFacts;
  /** Undefined: the node has not reported its resources, so everything fits. */
  allocatable: Amounts | undefined;
  readonly requested: Map<string, number>;
  /** False for a node that is known only from the pods bound to it. */
  exists: boolean;
  /** The facts as text, to see whether they changed. */
  factsText: string;
  /** Increased when the facts change. Verdicts about an older version are invalid. */
  version: number;
}

/** What decides where a pod may run. The scheduler treats pods with the same demand as interchangeable. */
export interface PodDemand {
  readonly placement: Placement;
  readonly requests: Amounts;
  /** Verdicts of `mismatch` by node. They are cached, because facts rarely change and there are thousands of pods. */
  readonly verdicts: Map<string, { readonly version: number; readonly reason: string | undefined }>;
}

/** The node, or why no node fits. */
export type Choice = { readonly nodeName: string } | { readonly message: string };

export class NodePool {
  readonly #nodes = new Map<string, NodeRecord>();
  #existing = 0;
  #versions = 0;

  /** Adds or updates a node. Returns true if a change may matter to a pod. @throws Error for an invalid quantity */
  set(node: Node): boolean {
    const record = this.#record(node.metadata.name);
    const { labels = {} } = node.metadata;
    const { taints = [], unschedulable = false } = node.spec ?? {};
    const allocatable = node.status?.allocatable;
    const factsText = JSON.stringify([labels, taints, unschedulable, allocatable]);
    if (!record.exists) this.#existing++;
    else if (record.factsText === factsText) return false;
    record.exists = true;
    record.factsText = factsText;
    record.facts = { name: node.metadata.name, labels, taints, unschedulable };
    record.allocatable = allocatable === undefined ? undefined : amountsOf(allocatable);
    record.version = ++this.#versions;
    return true;
  }

  remove(name: string): void {
    const record = this.#nodes.get(name);
    if (record === undefined || !record.exists) return;
    this.#existing--;
    record.exists = false;
    this.#dropIfUnused(name, record);
  }

  names(): string[] {
    return [...this.#nodes].filter(([, record]) => record.exists).map(([name]) => name);
  }

  place(nodeName: string, requests: Amounts): void {
    add(this.#record(nodeName).requested, requests);
  }

  unplace(nodeName: string, requests: Amounts): void {
    const record = this.#record(nodeName);
    subtract(record.requested, requests);
    this.#dropIfUnused(nodeName, record);
  }

  /** The least used node on which the pod fits; of equals, the one with the fewest pods. */
  choose(demand: PodDemand): Choice {
    let best: { name: string; share: number; pods: number } | undefined;
    const refusals = new Map<string, number>();
    for (const [name, record] of this.#nodes) {
      if (!record.exists) continue;
      const reasons = this.#refusals(name, record, demand);
      for (const reason of reasons) refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
      if (reasons.length > 0) continue;
      const share = usedShare(record, demand.requests);
      const pods = record.requested.get("pods") ?? 0;
      if (best === undefined || share < best.share || (share === best.share && pods < best.pods))
        best = { name, share, pods };
    }
    return best === undefined ? { message: this.#failureMessage(refusals) } : { nodeName: best.name };
  }

  #refusals(name: string, record: NodeRecord, { placement, requests, verdicts }: PodDemand): string[] {
    let verdict = verdicts.get(name);
    if (verdict?.version !== record.version) {
      verdict = { version: record.version, reason: mismatch(placement, record.facts) };
      verdicts.set(name, verdict);
    }
    if (verdict.reason !== undefined) return [verdict.reason];
    const { allocatable, requested } = record;
    if (allocatable === undefined) return [];
    const insufficient: string[] = [];
    for (const [resource, amount] of requests) {
      if (
        amount === 0 ||
        (requested.get(resource) ?? 0) + amount <= (allocatable.get(resource) ?? defaultAllocatable(resource))
      )
        continue;
      insufficient.push(resource === "pods" ? "Too many pods" : `Insufficient ${resource}`);
    }
    return insufficient;
  }

  #failureMessage(refusals: ReadonlyMap<string, number>): string {
    if (this.#existing === 0) return "no nodes available to schedule pods";
    const reasons = Array.from(refusals, ([reason, count]) => `${count} ${reason}`).sort();
    return `0/${this.#existing} nodes are available: ${reasons.join(", ")}.`;
  }

  #record(name: string): NodeRecord {
    let record = this.#nodes.get(name);
    if (record === undefined) {
      const facts = { name, labels: {}, taints: [], unschedulable: false };
      record = { facts, allocatable: undefined, requested: new Map(), exists: false, factsText: "", version: 0 };
      this.#nodes.set(name, record);
    }
    return record;
  }

  #dropIfUnused(name: string, record: NodeRecord): void {
    if (!record.exists && (record.requested.get("pods") ?? 0) <= 0) this.#nodes.delete(name);
  }
}

/** A node without a number of pods takes any number. A resource that the node does not name counts as 0. */
function defaultAllocatable(resource: string): number {
  return resource === "pods" ? Infinity : 0;
}

/** The used share of the node's scarcest of cpu and memory with the pod on it, from 0 to 1. */
function usedShare({ allocatable, requested }: NodeRecord, requests: Amounts): number {
  if (allocatable === undefined) return 0;
  let share = 0;
  for (const resource of ["cpu", "memory"]) {
    const available = allocatable.get(resource) ?? 0;
    if (available > 0)
      share = Math.max(share, ((requested.get(resource) ?? 0) + (requests.get(resource) ?? 0)) / available);
  }
  return share;
}
