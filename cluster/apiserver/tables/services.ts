/** The tables of Services, Endpoints and EndpointSlices. */
import type { EndpointSlice, Endpoints, Service, ServiceSpec, ServiceStatus } from "../../values/kinds.ts";
import { fewText, labelsText } from "./cells.ts";
import { age } from "./duration.ts";
import { column, type TableDefinition, wide } from "./table.ts";

interface Port {
  readonly name?: string;
  readonly port?: number;
  readonly nodePort?: number;
  readonly protocol?: string;
}

export const serviceTable: TableDefinition<Service> = {
  columns: [
    column("Name"),
    column("Type"),
    column("Cluster-IP"),
    column("External-IP"),
    column("Port(s)"),
    column("Age"),
    wide("Selector"),
  ],
  cells(service, nowMs) {
    const { type, clusterIPs = [], ports = [], selector } = service.spec;
    return [
      service.metadata.name,
      type ?? "",
      clusterIPs[0] ?? "<none>",
      externalAddress(service),
      ports.map(portText).join(",") || "<none>",
      age(service, nowMs),
      labelsText(selector),
    ];
  },
};

function portText({ port, nodePort, protocol }: Port): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}

function externalAddress({ spec, status = {} }: { spec: ServiceSpec; status?: Partial<ServiceStatus> }): string {
  const given = spec.externalIPs ?? [];
  if (spec.type === "ExternalName") return spec.externalName ?? "";
  if (spec.type !== "LoadBalancer") return given.join(",") || "<none>";
  const ingress = status.loadBalancer?.ingress ?? [];
  const balanced = new Set(ingress.map(({ ip, hostname }) => ip || hostname || "").filter(Boolean));
  return [...[...balanced].toSorted(), ...given].join(",") || "<pending>";
}

export const endpointsTable: TableDefinition<Endpoints> = {
  columns: [column("Name"), column("Endpoints"), column("Age")],
  cells(endpoints, nowMs) {
    const subsets: { addresses?: { ip: string }[]; ports?: Port[] }[] = endpoints.subsets ?? [];
    const texts = subsets.flatMap(({ addresses = [], ports = [] }) =>
      ports.length === 0
        ? addresses.map(({ ip }) => ip)
        : ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip.includes(":") ? `[${ip}]` : ip}:${port}`)),
    );
    return [endpoints.metadata.name, subsets.length === 0 ? "<none>" : fewText(texts, ""), age(endpoints, nowMs)];
  },
};

export const endpointSliceTable: TableDefinition<EndpointSlice> = {
  columns: [column("Name"), column("AddressType"), column("Ports"), column("Endpoints"), column("Age")],
  cells(slice, nowMs) {
    const ports: Port[] = slice.ports ?? [];
    const endpoints: { addresses?: string[] }[] = slice.endpoints ?? [];
    return [
      slice.metadata.name,
      slice.addressType,
      fewText(
        ports.map(({ port, name }) => String(port ?? name ?? "*")),
        "<unset>",
      ),
      fewText(
        endpoints.flatMap(({ addresses = [] }) => addresses),
        "<unset>",
      ),
      age(slice, nowMs),
    ];
  },
};
