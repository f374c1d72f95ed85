/** The one node of an embedded cluster. */
import type { NodeOptions } from "../../cluster/components.ts";
import type { ContainerRuntime } from "../../cluster/kubelet/container-runtime.ts";

/**
 * As much as anybody may ask for: nothing here limits what a pod uses, so what it requests should not keep it from
 * running.
 */
const CAPACITY = { cpu: "10000", memory: "100Ti" };
/** Local processes at once: more than a real node's 110 pods, for they are lighter. */
const MAX_PROCESS_PODS = 500;
const MAX_SIMULATED_PODS = 1_000_000;
/** 262,142 addresses; pods beyond them have that of the node. */
const SIMULATED_POD_CIDR = "10.244.0.0/14";

export function nodeFor(runtime: ContainerRuntime, isSimulated: boolean): NodeOptions {
  const node = { nodeName: "stint", runtime };
  if (!isSimulated) return { ...node, capacity: { ...CAPACITY, pods: String(MAX_PROCESS_PODS) } };
  return { ...node, podCIDR: SIMULATED_POD_CIDR, capacity: { ...CAPACITY, pods: String(MAX_SIMULATED_PODS) } };
}
