/** Tried of the kinds of resource.k8s.io. */
import type { TriedKind } from "../kinds.ts";

const devices = "/apis/resource.k8s.io/v1";
/** With a time: two servers give the same one only within a second. */
const TAINT = {
  key: "example.com/broken",
  value: "yes",
  effect: "NoSchedule",
  timeAdded: "2026-01-01T00:00:00Z",
};
const CONDITION = {
  type: "EvictionInProgress",
  status: "True",
  reason: "PodsPendingEviction",
  message: "1 pod needs to be evicted.",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
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
    kind: "DeviceTaintRule",
    apiVersion: "resource.k8s.io/v1",
    collection: `${devices}/devicetaintrules`,
    isOfCluster: true,
    object: { spec: { deviceSelector: { driver: "d.example.com" }, taint: TAINT } },
    changes: [
      { spec: { deviceSelector: { pool: "a/b", device: "c" } } },
      { spec: { taint: { effect: "NoExecute" } } },
      { spec: { taint: { effect: "None", timeAdded: "2026-01-01T01:00:00+01:00" } } },
      { spec: { taint: { effect: null } } },
      { spec: { taint: { effect: "PreferNoSchedule" } } },
      { spec: { taint: { timeAdded: "now" } } },
      { status: { conditions: [CONDITION] } },
      { spec: { deviceSelector: null } },
      { spec: null },
    ],
    statusChanges: [
      { status: { conditions: [CONDITION] }, metadata: { labels: { a: "b" } } },
      { status: { conditions: null }, spec: { taint: { effect: "None" } } },
      { status: { conditions: [{ ...CONDITION, reason: "no word" }, CONDITION, { type: "a/b/c" }] } },
      { status: { conditions: Array.from({ length: 9 }, (_, index) => ({ ...CONDITION, type: `T${index}` })) } },
    ],
    others: [
      {},
      { spec: {} },
      { spec: { taint: { key: "a b", value: "-", effect: "" } } },
      { spec: { taint: { key: "a/b/c", value: "x".repeat(64), effect: "noschedule" } } },
      { spec: { taint: { key: `${"x".repeat(254)}/${"x".repeat(64)}`, effect: "None" } } },
      { spec: { taint: TAINT, deviceSelector: { driver: "", pool: "", device: "" } } },
      { spec: { taint: TAINT, deviceSelector: { driver: "D_", pool: "a//B", device: "a.b" } } },
      { spec: { taint: TAINT, deviceSelector: { driver: "D.example.com", pool: "a/b", device: "A" } } },
      {
        spec: {
          taint: TAINT,
          deviceSelector: { driver: "x".repeat(254), pool: `${"x".repeat(254)}/a`, device: "x".repeat(64) },
        },
      },
      { spec: { taint: TAINT, deviceSelector: { deviceClassName: "c", selectors: [] } } },
    ],
    fieldSelectors: ["spec.taint.key=x"],
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
