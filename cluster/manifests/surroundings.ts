/** What a cluster has for the pods of a run before its components start: objects to refer to, and its nodes. */
import { textOf } from "../values/text.ts";
import { resourcePath } from "../client/client.ts";
import type { BareCluster } from "../bare-cluster.ts";
import type { NodeOptions } from "../components.ts";
import { ENV_SOURCE_RESOURCES } from "../kubelet/env-sources.ts";
import { DEFAULT_CAPACITY } from "../kubelet/kubelet.ts";
import { nodeLabels } from "../kubelet/node-registration.ts";
import { amountsOf } from "../values/resource-amounts.ts";
import type { Surroundings } from "./never-starting.ts";
import type { ConfigMap, Secret } from "../values/kinds.ts";

/**
 * @param nodes those that will be registered; at least one
 * @param isComplete whether the cluster already has all objects of the run
 */
export function surroundingsOf(
  cluster: BareCluster,
  nodes: readonly Omit<NodeOptions, "runtime">[],
  isComplete: boolean,
): Surroundings {
  return {
    isComplete,
    find({ kind, name, namespace }) {
      const answer = cluster.handle({
        method: "GET",
        path: resourcePath(ENV_SOURCE_RESOURCES[kind], namespace, name),
        headers: { accept: "application/json" },
      });
      return "body" in answer && answer.status === 200
        ? (JSON.parse(textOf(answer.body)) as ConfigMap | Secret)
        : undefined;
    },
    nodes: nodes.map(({ nodeName, capacity, labels = {}, taints = [] }) => ({
      facts: { name: nodeName, labels: nodeLabels({ name: nodeName, labels }), taints, unschedulable: false },
      allocatable: amountsOf({ ...DEFAULT_CAPACITY, ...capacity }),
    })),
  };
}
