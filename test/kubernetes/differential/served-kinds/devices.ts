/** Tried of the kinds of resource.k8s.io. */
import type { TriedKind } from "../kinds.ts";

const devices = "/apis/resource.k8s.io/v1";
const DEVICES = { requests: [{ name: "one", exactly: { deviceClassName: "c" } }] };

export const DEVICE_KINDS: readonly TriedKind[] = [
  {
    kind: "DeviceClass",
    apiVersion: "resource.k8s.io/v1",
    collection: `${devices}/deviceclasses`,
    isOfCluster: true,
    object: { spec: { selectors: [{ cel: { expression: 'device.driver == "d"' } }] } },
    changes: [{ spec: { extendedResourceName: "example.com/gpu" } }, { spec: { selectors: null } }],
    others: [{}, { spec: { config: [{ opaque: { driver: "d.example.com", parameters: { b: 1 } } }] } }],
    fieldSelectors: ["spec=x"],
  },
  {
    kind: "ResourceClaim",
    apiVersion: "resource.k8s.io/v1",
    collection: `${devices}/namespaces/<ns>/resourceclaims`,
    object: { spec: { devices: DEVICES } },
    changes: [
      { spec: { devices: { requests: [{ name: "two", exactly: { deviceClassName: "c" } }] } } },
      { metadata: { labels: { a: "b" } } },
    ],
    statusChanges: [{ status: {} }, { spec: { devices: null } }],
    others: [{}, { spec: {} }, { spec: { devices: { requests: [{ name: "one" }] } } }],
    fieldSelectors: ["spec=x"],
  },
  {
    kind: "ResourceClaimTemplate",
    apiVersion: "resource.k8s.io/v1",
    collection: `${devices}/namespaces/<ns>/resourceclaimtemplates`,
    object: { spec: { spec: { devices: DEVICES } } },
    changes: [
      { spec: { spec: { devices: { requests: [{ name: "two", exactly: { deviceClassName: "c" } }] } } } },
      { metadata: { labels: { a: "b" } } },
    ],
    others: [{}, { spec: {} }],
    fieldSelectors: ["spec=x"],
  },
  {
    kind: "ResourceSlice",
    apiVersion: "resource.k8s.io/v1",
    collection: `${devices}/resourceslices`,
    isOfCluster: true,
    object: {
      spec: {
        driver: "d.example.com",
        nodeName: "n",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        devices: [{ name: "gpu", attributes: { model: { string: "m" } } }],
      },
    },
    changes: [
      { spec: { pool: { generation: 2 } } },
      { spec: { driver: "e.example.com" } },
      { spec: { nodeName: "m" } },
    ],
    others: [{}, { spec: {} }],
    fieldSelectors: ["spec.driver=d.example.com", "spec.nodeName=n"],
  },
];
