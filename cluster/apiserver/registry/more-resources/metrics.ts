/**
 * What metrics-server adds to a cluster: the use of processor and memory, which `kubectl top` shows. Here only as
 * resources without objects; the host, which can measure, answers for them.
 */
import { define } from "../../contract/resource-table.ts";
import type { ResourceDefinition, Verb } from "../../contract/context.ts";
import { addTypes } from "../../schema/schema.ts";

export const METRICS_API_VERSION = "metrics.k8s.io/v1beta1";
const read: readonly Verb[] = ["get", "list"];
const entry = { group: "metrics.k8s.io", version: "v1beta1" };
const common = "kind,apiVersion,metadata:ObjectMeta!,timestamp:Time!,window!";

addTypes({
  types: {
    NodeMetrics: `${common},usage:map[string]Quantity!`,
    PodMetrics: `${common},containers:[]ContainerMetrics!`,
    ContainerMetrics: "name!,usage:map[string]Quantity!",
  },
  mergeKeys: {},
});

export const metricsResources: readonly ResourceDefinition[] = [
  define(
    { ...entry, resource: "nodes", singular: "", kind: "NodeMetrics" },
    { isNamespaced: false, verbs: read, storage: "nodes.metrics.k8s.io" },
  ),
  define(
    { ...entry, resource: "pods", singular: "", kind: "PodMetrics" },
    { verbs: read, storage: "pods.metrics.k8s.io" },
  ),
];
