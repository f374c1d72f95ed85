/**
 * The Endpoints and EndpointSlices that a Service should have: pure functions over the Service and its pods. Source:
 * pkg/controller/endpoint, pkg/api/v1/endpoints (RepackSubsets), k8s.io/endpointslice.
 */
import { isReady } from "../../values/budget-status.ts";
import { fnv1a } from "../../values/fnv1a.ts";
import { SERVICES } from "../../client/client.ts";
import type { EndpointSlice, Pod, Service } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";

const MAX_ENDPOINTS_OF_A_SLICE = 100;
const SUFFIX_LENGTH = 5;

export const ENDPOINTS_MANAGER = { "endpoints.kubernetes.io/managed-by": "endpoint-controller" };
export const SLICE_MANAGER = { "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io" };
export const SERVICE_NAME = "kubernetes.io/service-name";
const HEADLESS = "service.kubernetes.io/headless";

type Labels = Readonly<Record<string, string>>;

interface Port {
  readonly name: string;
  readonly port: number;
  readonly protocol: string | undefined;
  readonly appProtocol?: string;
}

/** Labels and subsets of the Endpoints. @param pods those that the Service selects */
export function endpointsOf(
  service: Service,
  pods: readonly Pod[],
): { readonly labels: Labels; readonly subsets: object[] } {
  const tolerant = service.spec.publishNotReadyAddresses === true;
  const listed = present(pods).filter(({ metadata }) => tolerant || !metadata.deletionTimestamp);
  const podsByPort = new Map<string, { port: Port | undefined; pods: Pod[] }>();
  for (const pod of listed)
    for (const port of isPortless(service) ? [undefined] : portsOf(service, pod)) {
      const key = JSON.stringify(port ?? null);
      const entry = podsByPort.get(key) ?? { port, pods: [] };
      entry.pods.push(pod);
      podsByPort.set(key, entry);
    }
  // Ports that the same pods have are one subset.
  const subsets = Map.groupBy(podsByPort.values(), ({ pods }) => pods.map(({ metadata }) => metadata.uid).join());
  return {
    labels: { ...service.metadata.labels, ...headlessLabel(service), ...ENDPOINTS_MANAGER },
    subsets: [...subsets.values()].map((entries) => {
      const isUsable = (pod: Pod): boolean => tolerant || isReady(pod);
      const ready = entries[0]!.pods.filter(isUsable).map((pod) => addressOf(service, pod));
      const notReady = entries[0]!.pods.filter((pod) => !isUsable(pod)).map((pod) => addressOf(service, pod));
      const ports = entries.flatMap(({ port }) => port ?? []).map(withoutEmptyName);
      return {
        ...(ready.length > 0 && { addresses: ready }),
        ...(notReady.length > 0 && { notReadyAddresses: notReady }),
        ...(ports.length > 0 && { ports }),
      };
    }),
  };
}

/** The slices: pods with the same ports share them. There is always one. */
export function slicesOf(service: Service, pods: readonly Pod[]): EndpointSlice[] {
  const byPorts = Map.groupBy(present(pods), (pod) => JSON.stringify(portsOf(service, pod)));
  const parts = [...byPorts].flatMap(([ports, members]) =>
    chunks(members).map((chunk) => ({
      ports: JSON.parse(ports),
      endpoints: chunk.map((pod) => endpointOf(service, pod)),
    })),
  );
  return (parts.length === 0 ? [{ ports: [], endpoints: [] }] : parts).map((part, index) =>
    sliceOf(service, index, part),
  );
}

function sliceOf(service: Service, index: number, part: object): EndpointSlice {
  const { namespace, name, uid, labels } = service.metadata;
  const { apiVersion, kind } = SERVICES;
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return {
    metadata: {
      // Looks generated, but is the same each time: so a slice is never made twice.
      name: `${name}-${suffixOf(`${uid}/${index}`)}`,
      namespace,
      labels: { ...labels, ...headlessLabel(service), [SERVICE_NAME]: name, ...SLICE_MANAGER },
      ownerReferences: [owner],
    },
    addressType: "IPv4",
    ...part,
  } as unknown as EndpointSlice;
}

function suffixOf(text: string): string {
  return (fnv1a(text) % 36 ** SUFFIX_LENGTH).toString(36).padStart(SUFFIX_LENGTH, "0");
}

function chunks(pods: readonly Pod[]): Pod[][] {
  const count = Math.ceil(pods.length / MAX_ENDPOINTS_OF_A_SLICE);
  return Array.from({ length: count }, (_, i) =>
    pods.slice(i * MAX_ENDPOINTS_OF_A_SLICE, (i + 1) * MAX_ENDPOINTS_OF_A_SLICE),
  );
}

/** Pods that have an address and have not ended, in the order of their names. */
function present(pods: readonly Pod[]): Pod[] {
  return pods
    .filter(({ status }) => status?.podIP && status.phase !== "Succeeded" && status.phase !== "Failed")
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function headlessLabel({ spec }: Service): Labels {
  return !spec.clusterIP || spec.clusterIP === "None" ? { [HEADLESS]: "" } : {};
}

/** Headless Services may have no ports. */
function isPortless({ spec }: Service): boolean {
  return spec.clusterIP === "None" && !spec.ports?.length;
}

/** The ports of a Service on this pod. One with a name that the pod does not have is left out. */
function portsOf({ spec }: Service, pod: Pod): Port[] {
  return (spec.ports ?? []).flatMap(({ name = "", targetPort, protocol, appProtocol }) => {
    const port = typeof targetPort === "number" ? targetPort : namedPort(pod, targetPort, protocol);
    return port === undefined ? [] : [{ name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function namedPort({ spec }: Pod, name: string, protocol: string | undefined): number | undefined {
  const sidecars = (spec.initContainers ?? []).filter((container) => container.restartPolicy === "Always");
  return [...spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((port) => port.name === name && port.protocol === protocol)?.containerPort;
}

function withoutEmptyName({ name, ...port }: Port): object {
  return name === "" ? port : { name, ...port };
}

function targetRef({ metadata: { namespace, name, uid } }: TypedObject): object {
  return { kind: "Pod", namespace, name, uid };
}

/** The name that a pod has below a headless Service. */
function hostnameOf({ metadata }: TypedObject, { spec }: Pod): { readonly hostname?: string } {
  return spec.hostname && spec.subdomain === metadata.name ? { hostname: spec.hostname } : {};
}

function addressOf(service: Service, pod: Pod): object {
  return {
    ip: pod.status.podIP,
    ...hostnameOf(service, pod),
    ...(pod.spec.nodeName && { nodeName: pod.spec.nodeName }),
    targetRef: targetRef(pod),
  };
}

function endpointOf(service: Service, pod: Pod): object {
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  return {
    addresses: [pod.status.podIP],
    conditions: { ready, serving, terminating },
    ...hostnameOf(service, pod),
    targetRef: targetRef(pod),
    ...(pod.spec.nodeName && { nodeName: pod.spec.nodeName }),
  };
}
