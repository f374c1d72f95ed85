/**
 * The addresses and node ports of Services: checks given ones, and draws missing ones from what is free. What is in use
 * is read from the stored Services, so nothing is kept beside them. The cluster has IPv4 alone, in kubeadm's range; the
 * lower 256 addresses and 86 ports are left to clients that ask for them, as upstream does. Source:
 * pkg/registry/core/service/storage/alloc.go.
 */
import type { Service, ServiceSpec } from "../../values/kinds.ts";
import type { Draft, DraftPart, ResourceRequest } from "../contract/context.ts";
import { IP_TEXT, isIp } from "../../values/ip-addresses.ts";
import { type ApiError, failure, invalid } from "../contract/status-errors.ts";

/** 10.96.0.0/12 */
const FIRST_ADDRESS = addressNumber("10.96.0.0");
const ADDRESSES = 2 ** 20;
const STATIC_ADDRESSES = 256;
const FIRST_PORT = 30_000;
const PORTS = 2768;
const STATIC_PORTS = 86;
/** Tries this many random ones before it searches all. */
const DRAWS = 100;

/** All of a ServiceSpec is optional. */
export type Spec = DraftPart<ServiceSpec>;

export const needsAddress = ({ type }: Spec): boolean => type !== "ExternalName";
export const needsNodePorts = ({ type, allocateLoadBalancerNodePorts }: Spec): boolean =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
export const needsHealthPort = ({ type, externalTrafficPolicy }: Spec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

/**
 * @param current before a change: its own addresses do not count as taken. Absent on create
 * @throws ApiError 422 for an address or a port that is taken or out of range, 500 if there is none left
 */
export function allocate(
  service: Draft<Service>,
  current: Service | undefined,
  request: ResourceRequest,
): Draft<Service> {
  const taken = inUse(current, request);
  const spec = withAddress(service, taken, request);
  return { ...service, spec: withPorts(service, spec, taken, request, current === undefined) };
}

interface Taken {
  readonly addresses: ReadonlySet<string>;
  /** Those of this Service are added during its allocation. */
  readonly ports: Set<number>;
}

function inUse(current: Service | undefined, { server, definition }: ResourceRequest): Taken {
  const addresses = new Set<string>();
  const ports = new Set<number>();
  for (const { object } of server.store(definition).scan("", "")) {
    if (object.metadata.uid === current?.metadata.uid) continue;
    const { clusterIPs = [], ports: own = [], healthCheckNodePort } = object.spec;
    for (const address of clusterIPs) addresses.add(address);
    for (const { nodePort } of own) if (nodePort) ports.add(nodePort);
    if (healthCheckNodePort) ports.add(healthCheckNodePort);
  }
  return { addresses, ports };
}

function withAddress(service: Draft<Service>, { addresses }: Taken, request: ResourceRequest): Spec {
  const { spec } = service;
  if (!needsAddress(spec)) return spec;
  const isHeadless = spec.clusterIP === "None";
  const isFree = isHeadless && Object.keys(spec.selector ?? {}).length === 0;
  const ipFamilyPolicy = spec.ipFamilyPolicy ?? (isFree ? "RequireDualStack" : "SingleStack");
  const isDual = isFree && ipFamilyPolicy !== "SingleStack";
  const ipFamilies = spec.ipFamilies?.length ? spec.ipFamilies : ["IPv4"];
  if (!isFree) refuseOtherFamilies(service, ipFamilyPolicy, ipFamilies);
  const families =
    isDual && ipFamilies.length === 1 ? [...ipFamilies, ipFamilies[0] === "IPv4" ? "IPv6" : "IPv4"] : ipFamilies;
  const common = { ...spec, ipFamilyPolicy, ipFamilies: families };
  if (isHeadless) return common;
  if (spec.clusterIP) {
    checkAddress(service, addresses);
    return common;
  }
  const address = draw(ADDRESSES, STATIC_ADDRESSES, request, (offset) => !addresses.has(addressText(offset)));
  if (address === undefined)
    throw full(`failed to allocate a serviceIP for Service ${JSON.stringify(service.metadata.name)}`);
  return { ...common, clusterIP: addressText(address), clusterIPs: [addressText(address)] };
}

function refuseOtherFamilies(service: Draft<Service>, policy: string, families: readonly string[]): void {
  if (policy === "RequireDualStack")
    refuse(service, "spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services");
  const other = families.indexOf("IPv6");
  if (other >= 0) refuse(service, `spec.ipFamilies[${other}]`, "IPv6", "not configured on this cluster");
}

function checkAddress(service: Draft<Service>, addresses: ReadonlySet<string>): void {
  const { clusterIP, clusterIPs } = service.spec;
  if (!isIp(clusterIP!)) refuse(service, "spec.clusterIPs[0]", clusterIP, IP_TEXT);
  const fail = (why: string): void =>
    refuse(service, "spec.clusterIPs", clusterIPs, `failed to allocate IP ${clusterIP}: ${why}`);
  const offset = addressNumber(clusterIP!) - FIRST_ADDRESS;
  if (!(offset > 0 && offset < ADDRESSES - 1)) fail("the provided network does not match the current range");
  if (addresses.has(clusterIP!)) fail("provided IP is already allocated");
}

/** @param isNew the same port of several protocols gets the same node port */
function withPorts(
  service: Draft<Service>,
  spec: Spec,
  { ports }: Taken,
  request: ResourceRequest,
  isNew: boolean,
): Spec {
  const next = (): number => {
    const offset = draw(PORTS, STATIC_PORTS, request, (port) => !ports.has(FIRST_PORT + port));
    if (offset === undefined) throw full("failed to allocate a nodePort");
    ports.add(FIRST_PORT + offset);
    return FIRST_PORT + offset;
  };
  const given = spec.ports ?? [];
  const shared = new Map<number, number>();
  if (isNew) for (const { port, nodePort } of given) if (nodePort && !shared.has(port)) shared.set(port, nodePort);
  const checked = new Set<number>();
  const numbered = given.map((port, index) => {
    if (!needsNodePorts(spec)) return port;
    const wanted = port.nodePort || shared.get(port.port);
    const nodePort = wanted ?? next();
    if (wanted !== undefined && !checked.has(wanted))
      checkPort(service, `spec.ports[${index}].nodePort`, wanted, ports);
    checked.add(nodePort);
    if (isNew && !shared.has(port.port)) shared.set(port.port, nodePort);
    return { ...port, nodePort };
  });
  const health = needsHealthPort(spec) && !spec.healthCheckNodePort;
  return { ...spec, ...(spec.ports && { ports: numbered }), ...(health && { healthCheckNodePort: next() }) };
}

function checkPort(service: Draft<Service>, field: string, port: number, taken: Set<number>): void {
  const last = FIRST_PORT + PORTS - 1;
  if (port < FIRST_PORT || port > last)
    refuse(
      service,
      field,
      port,
      `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${last}`,
    );
  if (taken.has(port)) refuse(service, field, port, "provided port is already allocated");
  taken.add(port);
}

/** A free one of `count`, if possible above those that are left to explicit requests. */
function draw(
  count: number,
  left: number,
  { server }: ResourceRequest,
  isFree: (offset: number) => boolean,
): number | undefined {
  for (let attempt = 0; attempt < DRAWS; attempt++) {
    const offset = left + Math.floor(server.random() * (count - left - 1));
    if (isFree(offset)) return offset;
  }
  for (let offset = count - 2; offset > 0; offset--) if (isFree(offset)) return offset;
  return undefined;
}

function full(what: string): ApiError {
  const message = `Internal error occurred: ${what}: range is full`;
  return failure({ code: 500, reason: "InternalError", message });
}

function refuse({ metadata }: Draft<Service>, field: string, value: unknown, detail: string): void {
  throw invalid({ group: "", name: "Service" }, metadata.name, [{ kind: "Invalid", field, value, detail }]);
}

function addressNumber(text: string): number {
  const bytes = text.split(".").map(Number);
  return bytes.length === 4 ? bytes.reduce((sum, byte) => sum * 256 + byte, 0) : Number.NaN;
}

function addressText(offset: number): string {
  const value = FIRST_ADDRESS + offset;
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
}
