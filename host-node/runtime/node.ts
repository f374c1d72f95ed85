/** A node of an embedded cluster. Leaves out how many there are (node-names.ts). */
import type { NodeOptions } from "../../cluster/components.ts";
import type { ContainerRuntime } from "../../cluster/kubelet/container-runtime.ts";
import { followChanges } from "../../cluster/kubelet/pod-changes.ts";
import type { ProcessRuntime } from "./process-runtime.ts";

export const NODE_NAME = "stint";
/** More than any pod requests. Nothing here limits the use of a pod, so requests should not keep it waiting. */
const CAPACITY = { cpu: "10000", memory: "100Ti" };
/**
 * Pods that run as local processes at once. It is more than the 110 pods of a real node, because processes are lighter.
 */
const MAX_PROCESS_PODS = 500;
const MAX_SIMULATED_PODS = 1_000_000;
/** 262,142 addresses. Pods beyond that number get the address of the node. */
const SIMULATED_POD_CIDR = "10.244.0.0/14";

/** The node for a runtime. Simulated pods have no limit in number. */
export function nodeFor(runtime: ContainerRuntime, isSimulated: boolean): NodeOptions {
  const node = { nodeName: NODE_NAME, runtime, followPod: followChanges };
  if (!isSimulated) {
    const { podCIDR } = runtime as Partial<ProcessRuntime>;
    return { ...node, ...(podCIDR && { podCIDR }), capacity: { ...CAPACITY, pods: String(MAX_PROCESS_PODS) } };
  }
  return { ...node, podCIDR: SIMULATED_POD_CIDR, capacity: { ...CAPACITY, pods: String(MAX_SIMULATED_PODS) } };
}
