/** Tried of Services and where they lead. */
import type { TriedKind } from "../kinds.ts";

const core = "/api/v1/namespaces/<ns>";
const labels = { app: "a" };

export const NETWORK: readonly TriedKind[] = [
  {
    kind: "Service",
    apiVersion: "v1",
    collection: `${core}/services`,
    object: { spec: { clusterIP: "None", selector: labels, ports: [{ name: "http", port: 80 }] } },
    changes: [
      { spec: { ports: [{ name: "http", port: 81, targetPort: "web" }] } },
      { spec: { ports: [{ name: "http", port: 0 }] } },
      { spec: { ports: [{ port: 80 }, { port: 81 }] } },
      { spec: { ports: [{ name: "http", port: 80, protocol: "ODD" }] } },
      { spec: { selector: { app: "b" } } },
      { spec: { selector: { "bad key": "b" } } },
      { spec: { sessionAffinity: "ClientIP" } },
      { spec: { sessionAffinity: "Odd" } },
      { spec: { publishNotReadyAddresses: true } },
      { spec: { clusterIP: "10.0.0.1" } },
      { spec: { type: "NodePort" } },
      { spec: { type: "Odd" } },
      { spec: { type: "ExternalName" } },
      { spec: { externalIPs: ["x"] } },
      { spec: { ports: null } },
    ],
    statusChanges: [
      { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } },
      { status: { conditions: [{ type: "X", status: "True", reason: "R", message: "" }] } },
      { spec: { selector: null } },
    ],
    others: [
      {},
      { spec: {} },
      { spec: { clusterIP: "x", ports: [{ port: 80 }] } },
      { spec: { clusterIP: "None", type: "NodePort", ports: [{ port: 80 }] } },
      { spec: { type: "ExternalName" } },
      { spec: { type: "ExternalName", externalName: "bad name" } },
      { spec: { clusterIP: "None", ports: [{ name: "Bad", port: 80 }] } },
      { spec: { clusterIP: "None", ports: [{ port: 80, targetPort: "" }] } },
      { spec: { clusterIP: "None", ports: [{ port: 80, nodePort: 30000 }] } },
    ],
    fieldSelectors: ["spec.clusterIP=None", "spec.type=ClusterIP", "spec.selector=x"],
  },
  {
    kind: "Endpoints",
    apiVersion: "v1",
    collection: `${core}/endpoints`,
    object: { subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }] },
    changes: [
      { subsets: [{ addresses: [{ ip: "10.0.0.2" }, { ip: "10.0.0.1" }], ports: [{ name: "a", port: 80 }] }] },
      { subsets: [{ addresses: [{ ip: "x" }] }] },
      { subsets: [{ addresses: [{ ip: "127.0.0.1" }] }] },
      { subsets: [{ ports: [{ port: 80 }] }] },
      { subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 0 }] }] },
      { subsets: null },
    ],
    others: [{}, { subsets: [] }, { subsets: [{}] }],
    fieldSelectors: ["subsets=x"],
  },
  {
    kind: "EndpointSlice",
    apiVersion: "discovery.k8s.io/v1",
    collection: "/apis/discovery.k8s.io/v1/namespaces/<ns>/endpointslices",
    object: { addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ports: [{ port: 80 }] },
    changes: [
      { endpoints: [{ addresses: ["10.0.0.2"], conditions: { ready: true }, nodeName: "n" }] },
      { addressType: "IPv6" },
      { endpoints: [{ addresses: [] }] },
      { endpoints: [{ addresses: ["::1"] }] },
      {
        ports: [
          { name: "a", port: 80 },
          { name: "a", port: 81 },
        ],
      },
      { ports: [{ name: "Bad_Name", port: 80 }] },
      { endpoints: null, ports: null },
    ],
    others: [
      {},
      { addressType: "Odd" },
      { addressType: "IPv4" },
      { addressType: "FQDN", endpoints: [{ addresses: ["a.b"] }] },
      ...["", "a", "a.b.", "a_b.c", "a.b\n10.0.0.1 c", `${"a".repeat(64)}.b`].map((address) => ({
        addressType: "FQDN",
        endpoints: [{ addresses: [address] }],
      })),
      { addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"], hostname: "Bad_Name" }] },
    ],
    fieldSelectors: ["addressType=IPv4"],
  },
];
