/**
 * The rules of Endpoints and EndpointSlices. Leaves out topology, hints, and limits of their sizes. Source:
 * pkg/apis/core/validation/validation.go, pkg/apis/discovery.
 */
import type {
  DiscoveryEndpointPort,
  EndpointAddress,
  EndpointPort,
  Endpoints,
  EndpointSlice,
  EndpointSubset,
} from "../../values/kinds.ts";
import type { Strategy } from "../contract/context.ts";
import { IP_TEXT, isIp } from "../../values/ip-addresses.ts";
import { deepEqual } from "../../values/json.ts";
import { labelErrors, subdomainErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { immutable, invalid, invalidAll, notSupported, oneOf, required, type Values } from "./field-errors.ts";

const PROTOCOLS: Values = ["SCTP", "TCP", "UDP"];
const ADDRESS_TYPES = ["FQDN", "IPv4", "IPv6"];
const MAX_PORT = 65_535;

function withEndpointsDefaults(endpoints: Endpoints): Endpoints {
  const subsets = endpoints.subsets;
  if (!subsets) return endpoints;
  return {
    ...endpoints,
    subsets: subsets.map(({ ports, ...subset }) => ({
      ...subset,
      ...(ports && { ports: ports.map((port) => ({ ...port, protocol: port.protocol || "TCP" })) }),
    })),
  };
}
export const endpointsStrategy: Strategy<Endpoints> = {
  prepareCreate: withEndpointsDefaults,
  prepareUpdate: withEndpointsDefaults,
  validate(endpoints, current) {
    // What was there before is left alone.
    if (deepEqual(endpoints.subsets, current?.subsets)) return [];
    return (endpoints.subsets ?? []).flatMap((subset, index) => subsetErrors(subset, `subsets[${index}]`));
  },
};

function subsetErrors(
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
  field: string,
): FieldError[] {
  const among = (list: readonly EndpointAddress[], name: string): FieldError[] =>
    list.flatMap((address, index) => endpointErrors(address, `${field}.${name}[${index}]`));
  return [
    ...(addresses.length + notReadyAddresses.length === 0
      ? [required(field, "must specify `addresses` or `notReadyAddresses`")]
      : []),
    ...among(addresses, "addresses"),
    ...among(notReadyAddresses, "notReadyAddresses"),
    ...ports.flatMap((port, index) => portErrors(port, ports.length > 1, `${field}.ports[${index}]`)),
  ];
}

function endpointErrors({ ip, hostname, nodeName }: EndpointAddress, field: string): FieldError[] {
  return [
    ...ipErrors(ip, `${field}.ip`),
    ...(hostname ? invalidAll(labelErrors(hostname), `${field}.hostname`, hostname) : []),
    ...(nodeName === undefined ? [] : invalidAll(subdomainErrors(nodeName), `${field}.nodeName`, nodeName)),
    ...(isIp(ip) ? placeErrors(ip, `${field}.ip`) : [invalid(`${field}.ip`, ip, "must be a valid IP address")]),
  ];
}

function ipErrors(ip: string, field: string): FieldError[] {
  return isIp(ip) ? [] : [invalid(field, ip, IP_TEXT)];
}

/** Places where no endpoint can be. */
const PLACES: readonly (readonly [place: RegExp, text: (ip: string) => string])[] = [
  [/^(0\.0\.0\.0|::)$/, (ip) => `may not be unspecified (${ip})`],
  // Upstream refuses all of 127.0.0.0/8. The pods that run as processes have addresses above 127.0.0.0/16.
  [/^(127\.0\.|::1$)/, () => "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [/^(169\.254\.|fe[89ab].:)/i, () => "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  [/^(224\.0\.0\.|ff.2:)/i, () => "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
];

function placeErrors(ip: string, field: string): FieldError[] {
  return PLACES.filter(([place]) => place.test(ip)).map(([, text]) => invalid(field, ip, text(ip)));
}

function portErrors({ name, port, protocol }: EndpointPort, needsName: boolean, field: string): FieldError[] {
  return [
    ...(needsName && !name ? [required(`${field}.name`)] : []),
    ...(name ? invalidAll(labelErrors(name), `${field}.name`, name) : []),
    ...(port >= 1 && port <= MAX_PORT
      ? []
      : [invalid(`${field}.port`, port, `must be between 1 and ${MAX_PORT}, inclusive`)]),
    ...oneOf(protocol, PROTOCOLS, `${field}.protocol`),
  ];
}

function withSliceDefaults(slice: EndpointSlice): EndpointSlice {
  const ports = slice.ports;
  if (!ports) return slice;
  return {
    ...slice,
    ports: ports.map((port) => ({ ...port, name: port.name ?? "", protocol: port.protocol ?? "TCP" })),
  };
}

export const endpointSliceStrategy: Strategy<EndpointSlice> = {
  prepareCreate: withSliceDefaults,
  prepareUpdate(slice, current) {
    const updated = withSliceDefaults(slice);
    const { metadata: _new, ...content } = updated;
    const { metadata: _old, ...before } = current;
    if (deepEqual(content, before) && deepEqual(slice.metadata.labels, current.metadata.labels)) return updated;
    return { ...updated, metadata: { ...updated.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
  },
  validate: (slice, current) => [
    ...addressTypeErrors(slice.addressType),
    ...slicePortErrors(slice.ports ?? []),
    ...(deepEqual(slice.endpoints, current?.endpoints) ? [] : sliceEndpointErrors(slice)),
    ...immutable(["addressType"], slice, current),
  ],
};

function addressTypeErrors(type: string): FieldError[] {
  if (!type) return [required("addressType")];
  return oneOf(type, ADDRESS_TYPES, "addressType");
}

function slicePortErrors(ports: readonly DiscoveryEndpointPort[]): FieldError[] {
  return ports.flatMap(({ name, protocol }, index) => {
    const field = `ports[${index}]`;
    const isRepeated = ports.findIndex((other) => other.name === name) < index;
    return [
      ...(name ? invalidAll(labelErrors(name), `${field}.name`, name) : []),
      ...(isRepeated ? [{ kind: "Duplicate", field: `${field}.name`, value: name } as const] : []),
      ...(PROTOCOLS.includes(protocol) ? [] : [notSupported(protocol, PROTOCOLS, `${field}.protocol`)]),
    ];
  });
}

function sliceEndpointErrors({ endpoints, addressType }: EndpointSlice): FieldError[] {
  return (endpoints ?? []).flatMap(({ addresses, nodeName, hostname }, index) => {
    const field = `endpoints[${index}]`;
    return [
      ...(addresses?.length ? [] : [required(`${field}.addresses`, "must contain at least 1 address")]),
      ...(addresses ?? []).flatMap((address, place) =>
        addressErrors(address, addressType, `${field}.addresses`, place),
      ),
      ...(nodeName === undefined ? [] : invalidAll(subdomainErrors(nodeName), `${field}.nodeName`, nodeName)),
      ...(hostname === undefined ? [] : invalidAll(labelErrors(hostname), `${field}.hostname`, hostname)),
    ];
  });
}

function addressErrors(address: string, type: string, field: string, place: number): FieldError[] {
  const at = `${field}[${place}]`;
  if (type === "FQDN") return domainErrors(address, at);
  if (!ADDRESS_TYPES.includes(type)) return [];
  if (!isIp(address)) return ipErrors(address, at);
  const isOfType = address.includes(":") === (type === "IPv6");
  return [...(isOfType ? [] : [invalid(field, address, `must be an ${type} address`)]), ...placeErrors(address, at)];
}

/** A dot at its end is allowed. */
function domainErrors(address: string, field: string): FieldError[] {
  if (address === "") return [required(field)];
  const name = address.replace(/\.$/, "");
  const labels = name.split(".");
  const errors = subdomainErrors(name);
  if (errors.length > 0) return [invalid(field, name, errors.join(","))];
  if (labels.length < 2)
    return [invalid(field, name, "should be a domain with at least two segments separated by dots")];
  const bad = labels.find((label) => labelErrors(label).length > 0);
  return bad === undefined ? [] : [invalid(field, bad, labelErrors(bad).join(","))];
}
