/** The one node of an embedded cluster. */
import type { NodeOptions } from "../../cluster/components.ts";
import type { ContainerRuntime } from "../../cluster/kubelet/container-runtime.ts";

/** As much as anybody may ask for: nothing here limits what a pod uses, so what it requests should not keep it from running. */
const CAPACITY = { cpu: "10000", memory: "100Ti" };
/** Local processes at once: more than a real node's 110 pods, for they are lighter. */
const MAX_PROCESS_PODS = 500;
const MAX_SIMULATED_PODS = 100_000;

export function nodeFor(runtime: ContainerRuntime, isSimulated: boolean): NodeOptions {
  return { nodeName: "stint", runtime, capacity: { ...CAPACITY, pods: String(isSimulated ? MAX_SIMULATED_PODS : MAX_PROCESS_PODS) } };
}
