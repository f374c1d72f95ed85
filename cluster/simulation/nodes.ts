/**
 * The nodes of a scenario, as options of kubelets. Leaves out what runs the pods: one runtime for all nodes, because
 * attempts are counted over all of them.
 */
import type { NodeOptions } from "../components.ts";
import type { NodeGroup } from "./scenario.ts";

/** Longer than any run. No controller here reads leases. */
const NEVER_MS = 9e12;

type NodeShape = Omit<NodeOptions, "runtime">;

/** In the order of the groups, numbered from 1 in each. */
export function nodesOf(groups: readonly NodeGroup[]): NodeShape[] {
  return groups
    .flatMap(({ name, count, cpu, memory, pods }) =>
      Array.from({ length: count }, (_, i) => ({
        nodeName: `${name}-${i + 1}`,
        capacity: { cpu, memory, pods: `${pods}` },
      })),
    )
    .map((node, i) => ({ ...node, ...addressesOf(i), leaseRenewIntervalMs: NEVER_MS }));
}

/** An address for the node, and a range of a thousand for its pods. More pods than that have the node's address. */
function addressesOf(index: number): Pick<NodeShape, "hostIP" | "podCIDR"> {
  const number = index + 1;
  return {
    hostIP: `10.0.${number >> 8}.${number & 255}`,
    podCIDR: `10.${64 + (index >> 6)}.${(index & 63) << 2}.0/22`,
  };
}
