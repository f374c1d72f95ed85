/**
 * Rate-limits the eviction of the pods of lost nodes, by zone. Nodes get a NoExecute taint one after another: when many
 * are lost at once, the network is more likely broken than the nodes. When every node of the cluster is lost, none is
 * tainted, because no pod could go elsewhere. Source: pkg/controller/nodelifecycle, handleDisruption.
 */
import type { Node } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import { conditionOf } from "./node-health.ts";

/** Taints a second. */
const RATE = 0.1;
/** The rate where most nodes of a large zone are lost; a small zone gets none then. */
const REDUCED_RATE = 0.01;
const LARGE_ZONE_NODES = 50;
const MOST_NODES = 0.55;
/** So few lost nodes are never most of a zone. */
const FEW_NODES = 2;
const EXCLUDED = "node.kubernetes.io/exclude-disruption";

interface Zone {
  readonly nodes: number;
  readonly lost: number;
}

export class Zones {
  #zones = new Map<string, Zone>();
  /** When the next node of a zone may be tainted. */
  readonly #nextMs = new Map<string, number>();

  /** Counts all nodes. @param lost those that are about to be marked as lost */
  count(nodes: readonly Node[], lost: ReadonlySet<Node>): void {
    this.#zones = new Map();
    for (const node of nodes) {
      if (node.metadata.labels?.[EXCLUDED] !== undefined) continue;
      const key = zoneOf(node);
      const zone = this.#zones.get(key) ?? { nodes: 0, lost: 0 };
      const isReady = !lost.has(node) && conditionOf(node, "Ready")?.status === "True";
      this.#zones.set(key, { nodes: zone.nodes + 1, lost: zone.lost + (isReady ? 0 : 1) });
    }
  }

  /** Whether no node of the cluster is ready. */
  get areAllLost(): boolean {
    return this.#zones.size > 0 && [...this.#zones.values()].every(({ nodes, lost }) => nodes === lost);
  }

  /**
   * True if this node may be tainted now, which uses up its turn. Else how long it must wait; infinity: until the zone
   * changes.
   */
  take(node: Node, nowMs: number): true | number {
    const key = zoneOf(node);
    const rate = this.areAllLost ? 0 : rateOf(this.#zones.get(key) ?? { nodes: 0, lost: 0 });
    if (rate === 0) return Number.POSITIVE_INFINITY;
    const nextMs = this.#nextMs.get(key) ?? nowMs;
    if (nextMs > nowMs) return nextMs - nowMs;
    this.#nextMs.set(key, nowMs + 1000 / rate);
    return true;
  }
}

function rateOf({ nodes, lost }: Zone): number {
  const isMost = lost < nodes && lost > FEW_NODES && lost / nodes >= MOST_NODES;
  if (!isMost) return RATE;
  return nodes > LARGE_ZONE_NODES ? REDUCED_RATE : 0;
}

function zoneOf({ metadata: { labels = {} } }: TypedObject): string {
  const part = (name: string): string =>
    labels[`failure-domain.beta.kubernetes.io/${name}`] ?? labels[`topology.kubernetes.io/${name}`] ?? "";
  return `${part("region")}/${part("zone")}`;
}
