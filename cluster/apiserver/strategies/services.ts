/**
 * Validates and defaults Services. Leaves out load balancers, which this cluster does not provide, and the rules of
 * their fields. Source: pkg/apis/core/v1/defaults.go, pkg/apis/core/validation/validation.go,
 * pkg/registry/core/service.
 */
import type { Service, ServicePort } from "../../values/kinds.ts";
import type { Draft, Strategy } from "../contract/context.ts";
import { IP_TEXT, isIp } from "../../values/ip-addresses.ts";
import { deepEqual } from "../../values/json.ts";
import { labelErrors, qualifiedNameErrors, subdomainErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { forbidden, invalid, invalidAll, notSupported, type Values } from "./field-errors.ts";
import { allocate, needsAddress, needsHealthPort, needsNodePorts, type Spec } from "./service-addresses.ts";

const DEFAULT_AFFINITY_SECONDS = 10_800;
const EXTERNAL_TYPES: Values = ["NodePort", "LoadBalancer"];
const TYPES: Values = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const PROTOCOLS: Values = ["SCTP", "TCP", "UDP"];
const AFFINITIES: Values = ["ClientIP", "None"];
const PORT_RANGE = "must be between 1 and 65535, inclusive";

export const serviceStrategy: Strategy<Service> = {
  prepareCreate: (service) => ({ ...withServiceDefaults(service), status: { loadBalancer: {} } }),
  completeCreate: (service, request) => allocate(service, undefined, request),
  prepareUpdate(service, current, request) {
    const kept = keepAllocated(withServiceDefaults(service), current);
    // A forbidden change is refused below. Nothing is drawn for it.
    if (addressChangeErrors(kept.spec, current.spec).length > 0) return kept;
    const isAllocated = deepEqual(kept.spec, current.spec);
    return isAllocated ? kept : allocate(kept, current, request);
  },
  validate(service, current, request) {
    if (request.subresource) return statusErrors(service);
    if (service.spec.externalIPs?.length)
      request.warnings.add("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
    return [...(current ? addressChangeErrors(service.spec, current.spec) : []), ...specErrors(service.spec)];
  },
};

/** A client that leaves out allocated fields keeps their values; those that no longer apply are removed. */
function keepAllocated(service: Draft<Service>, { spec: before }: Service): Draft<Service> {
  const spec: Spec = { ...service.spec };
  if (needsAddress(spec) && needsAddress(before)) {
    spec.clusterIP ||= before.clusterIP;
    // A client that changes only the older of the two fields means both.
    if (spec.clusterIP !== before.clusterIP && deepEqual(spec.clusterIPs, before.clusterIPs))
      spec.clusterIPs = [spec.clusterIP!];
    if (!spec.clusterIPs?.length) spec.clusterIPs = spec.clusterIP ? [spec.clusterIP] : before.clusterIPs;
    spec.ipFamilyPolicy ??= before.ipFamilyPolicy;
    spec.ipFamilies ??= before.ipFamilies;
  } else if (!needsAddress(spec) && deepEqual(spec.clusterIPs, before.clusterIPs))
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const) delete spec[field];
  const portsBefore = before.ports ?? [];
  const portsNow = spec.ports ?? [];
  if (needsNodePorts(spec) && needsNodePorts(before)) {
    const used = new Set(portsNow.map(({ nodePort }) => nodePort));
    spec.ports = portsNow.map((port) => {
      const known = portsBefore.find(({ name }) => name === port.name)?.nodePort;
      return port.nodePort || !known || used.has(known) ? port : { ...port, nodePort: known };
    });
  } else if (!needsNodePorts(spec) && deepEqual(nodePorts(portsNow), nodePorts(portsBefore)))
    spec.ports = portsNow.map(({ nodePort: _port, ...port }) => port);
  if (needsHealthPort(spec)) spec.healthCheckNodePort ||= before.healthCheckNodePort;
  else if (spec.healthCheckNodePort === before.healthCheckNodePort) delete spec.healthCheckNodePort;
  if (!needsAddress(spec) && spec.internalTrafficPolicy === before.internalTrafficPolicy)
    delete spec.internalTrafficPolicy;
  if (spec.type !== "LoadBalancer") delete spec.allocateLoadBalancerNodePorts;
  if (!EXTERNAL_TYPES.includes(spec.type) && spec.externalTrafficPolicy === before.externalTrafficPolicy)
    delete spec.externalTrafficPolicy;
  return { ...service, spec };
}

const nodePorts = (ports: readonly ServicePort[]): unknown[] => ports.map(({ nodePort }) => nodePort ?? 0);

function addressChangeErrors(spec: Spec, before: Spec): FieldError[] {
  if (!needsAddress(spec) || !needsAddress(before)) return [];
  if (deepEqual(spec.clusterIPs, before.clusterIPs)) return [];
  return [{ kind: "Invalid", field: "spec.clusterIPs[0]", value: spec.clusterIPs, detail: "may not change once set" }];
}

function statusErrors({ spec, status }: Service): FieldError[] {
  if (spec.type === "LoadBalancer" || !status?.loadBalancer?.ingress?.length) return [];
  return [forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'")];
}

function specErrors(spec: Spec): FieldError[] {
  const ports = spec.ports ?? [];
  const isHeadless = spec.clusterIP === "None";
  const errors: FieldError[] = [];
  if (ports.length === 0 && !isHeadless && spec.type !== "ExternalName")
    errors.push({ kind: "Required", field: "spec.ports" });
  if (isHeadless && EXTERNAL_TYPES.includes(spec.type))
    errors.push({
      kind: "Invalid",
      field: "spec.clusterIPs[0]",
      value: "None",
      detail: `may not be set to 'None' for ${spec.type} services`,
    });
  if (spec.type === "ExternalName") errors.push(...externalNameErrors(spec));
  ports.forEach((port, index) => errors.push(...portErrors(port, index, ports)));
  for (const key in spec.selector) errors.push(...invalidAll(qualifiedNameErrors(key), "spec.selector", key));
  (spec.externalIPs ?? []).forEach((address, index) => {
    if (!isIp(address)) errors.push(invalid(`spec.externalIPs[${index}]`, address, IP_TEXT));
  });
  if (!AFFINITIES.includes(spec.sessionAffinity))
    errors.push(notSupported(spec.sessionAffinity, AFFINITIES, "spec.sessionAffinity"));
  if (!TYPES.includes(spec.type)) errors.push(notSupported(spec.type, TYPES, "spec.type"));
  ports.forEach(({ nodePort }, index) => {
    if (nodePort && spec.type === "ClusterIP")
      errors.push({
        kind: "Forbidden",
        field: `spec.ports[${index}].nodePort`,
        detail: "may not be used when `type` is 'ClusterIP'",
      });
  });
  return [...errors, ...repeatedPorts(ports)];
}

function externalNameErrors({ clusterIPs, externalName = "" }: Spec): FieldError[] {
  const field = "spec.externalName";
  const name = externalName.replace(/\.$/, "");
  return [
    ...(clusterIPs?.length
      ? [{ kind: "Forbidden", field: "spec.clusterIPs", detail: "may not be set for ExternalName services" } as const]
      : []),
    ...(name === ""
      ? [{ kind: "Required", field } as const]
      : subdomainErrors(name).map((detail) => ({ kind: "Invalid", field, value: name, detail }) as const)),
  ];
}

function portErrors(
  { name, port, protocol, targetPort }: ServicePort,
  index: number,
  ports: readonly ServicePort[],
): FieldError[] {
  const path = `spec.ports[${index}]`;
  const errors: FieldError[] = [];
  const invalid = (field: string, value: unknown, detail: string): void =>
    void errors.push({ kind: "Invalid", field: `${path}.${field}`, value, detail });
  if (!name && ports.length > 1) errors.push({ kind: "Required", field: `${path}.name` });
  if (name) {
    for (const detail of labelErrors(name)) invalid("name", name, detail);
    if (ports.findIndex((other) => other.name === name) < index)
      errors.push({ kind: "Duplicate", field: `${path}.name`, value: name });
  }
  const isPort = (value: number): boolean => value >= 1 && value <= 65_535;
  if (!isPort(port)) invalid("port", port, PORT_RANGE);
  if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(protocol, PROTOCOLS, `${path}.protocol`));
  if (typeof targetPort === "number" && !isPort(targetPort)) invalid("targetPort", targetPort, PORT_RANGE);
  return errors;
}

/** A port may be repeated for several protocols, but not for the same one. */
function repeatedPorts(ports: readonly ServicePort[]): FieldError[] {
  const isRepeated = (field: "nodePort" | "port", index: number): boolean =>
    ports.findIndex((port) => port.protocol === ports[index]!.protocol && port[field] === ports[index]![field]) < index;
  const indexes = [...ports.keys()];
  return [
    ...indexes
      .filter((index) => ports[index]!.nodePort && isRepeated("nodePort", index))
      .map((index): FieldError => ({
        kind: "Duplicate",
        field: `spec.ports[${index}].nodePort`,
        value: ports[index]!.nodePort,
      })),
    ...indexes
      .filter((index) => isRepeated("port", index))
      .map((index): FieldError => ({
        kind: "Duplicate",
        field: `spec.ports[${index}]`,
        // As upstream's internal type is written.
        value: {
          Name: "",
          Protocol: ports[index]!.protocol,
          AppProtocol: null,
          Port: ports[index]!.port,
          TargetPort: 0,
          NodePort: 0,
        },
      })),
  ];
}

function withServiceDefaults(service: Service): Service {
  const { spec } = service;
  const type = spec.type || "ClusterIP";
  const isExternal = EXTERNAL_TYPES.includes(type);
  const { sessionAffinityConfig, ...rest } = spec;
  const affinity = spec.sessionAffinity || "None";
  const timeoutSeconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS;
  return {
    ...service,
    spec: {
      ...rest,
      ...(spec.clusterIP && !spec.clusterIPs?.length && { clusterIPs: [spec.clusterIP] }),
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

function withPortDefaults(port: ServicePort): ServicePort {
  return { ...port, protocol: port.protocol || "TCP", targetPort: port.targetPort || port.port };
}
