/**
 * The rules of Services, Endpoints and EndpointSlices: their defaults. Source: pkg/apis/core/v1/defaults.go,
 * pkg/apis/discovery/v1/defaults.go.
 */
import type { KubeObject } from "../../types.ts";
import type { Strategy } from "../definition.ts";
import { deepEqual } from "../json.ts";

const DEFAULT_AFFINITY_SECONDS = 10_800;
const EXTERNAL_TYPES = ["NodePort", "LoadBalancer"];

type Port = Record<string, any>;

export const serviceStrategy: Strategy = {
  prepareCreate: (service) => ({ ...withServiceDefaults(service), status: {} }),
  prepareUpdate: withServiceDefaults,
};

function withServiceDefaults(service: KubeObject): KubeObject {
  const { spec } = service;
  const type: string = spec.type || "ClusterIP";
  const isExternal = EXTERNAL_TYPES.includes(type);
  const { sessionAffinityConfig, ...rest } = spec;
  const affinity: string = spec.sessionAffinity || "None";
  const timeoutSeconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS;
  return {
    ...service,
    spec: {
      ...rest,
      ...(spec.ports && { ports: spec.ports.map(withPortDefaults) }),
      type,
      sessionAffinity: affinity,
      ...(affinity === "ClientIP" && { sessionAffinityConfig: { clientIP: { timeoutSeconds } } }),
      ...(isExternal && { externalTrafficPolicy: spec.externalTrafficPolicy || "Cluster" }),
      ...(type !== "ExternalName" && { internalTrafficPolicy: spec.internalTrafficPolicy ?? "Cluster" }),
      ...(type === "LoadBalancer" && { allocateLoadBalancerNodePorts: spec.allocateLoadBalancerNodePorts ?? true }),
    },
  };
}

function withPortDefaults(port: Port): Port {
  return { ...port, protocol: port["protocol"] || "TCP", targetPort: port["targetPort"] || port["port"] };
}

function withEndpointsDefaults(endpoints: KubeObject): KubeObject {
  const subsets: { ports?: Port[] }[] | undefined = endpoints["subsets"];
  if (!subsets) return endpoints;
  return {
    ...endpoints,
    subsets: subsets.map(({ ports, ...subset }) => ({
      ...subset,
      ...(ports && { ports: ports.map((port) => ({ ...port, protocol: port["protocol"] || "TCP" })) }),
    })),
  };
}
export const endpointsStrategy: Strategy = {
  prepareCreate: withEndpointsDefaults,
  prepareUpdate: withEndpointsDefaults,
};

function withSliceDefaults(slice: KubeObject): KubeObject {
  const ports: Port[] | null = slice["ports"];
  if (!ports) return slice;
  return {
    ...slice,
    ports: ports.map((port) => ({ ...port, name: port["name"] ?? "", protocol: port["protocol"] ?? "TCP" })),
  };
}

export const endpointSliceStrategy: Strategy = {
  prepareCreate: withSliceDefaults,
  prepareUpdate(slice, current) {
    const updated = withSliceDefaults(slice);
    const { metadata: _new, ...content } = updated;
    const { metadata: _old, ...before } = current;
    if (deepEqual(content, before) && deepEqual(slice.metadata.labels, current.metadata.labels)) return updated;
    return { ...updated, metadata: { ...updated.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
  },
};
