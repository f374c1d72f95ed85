/** Tried of volumes, claims, and the kinds of storage.k8s.io. */
import type { TriedKind } from "../kinds.ts";

const core = "/api/v1/namespaces/<ns>";
const storage = "/apis/storage.k8s.io/v1";
const labels = { app: "a" };
const selector = { matchLabels: labels };

export const STORAGE: readonly TriedKind[] = [
  {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    collection: `${core}/persistentvolumeclaims`,
    object: {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
    },
    changes: [
      { spec: { volumeName: "v" } },
      { spec: { volumeName: "w" } },
      { spec: { accessModes: ["ReadWriteMany"] } },
      { spec: { resources: { requests: { storage: "2Gi" } } } },
      { spec: { resources: { requests: { storage: "512Mi" } } } },
      { spec: { storageClassName: "slow" } },
      { spec: { volumeMode: "Block" } },
      { status: { phase: "Bound" } },
    ],
    statusChanges: [
      { status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } } },
      { status: { conditions: [{ type: "Resizing", status: "True" }] } },
      { spec: { storageClassName: "slow" } },
    ],
    others: [
      {},
      { spec: {} },
      { spec: { accessModes: ["Odd"], resources: { requests: { storage: "1Gi" } } } },
      { spec: { accessModes: ["ReadWriteOnce"], resources: {} } },
      { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "-1" } } } },
      { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } }, volumeMode: "Odd" } },
      {
        spec: {
          accessModes: ["ReadWriteOncePod", "ReadOnlyMany"],
          resources: { requests: { storage: "1" } },
          storageClassName: "Bad_Name",
        },
      },
      {
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1" } },
          dataSource: { kind: "PersistentVolumeClaim", name: "c" },
        },
      },
    ],
    fieldSelectors: ["status.phase=Pending", "spec.volumeName=v"],
  },
  {
    kind: "PersistentVolume",
    apiVersion: "v1",
    collection: "/api/v1/persistentvolumes",
    isOfCluster: true,
    object: { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } } },
    changes: [
      { spec: { persistentVolumeReclaimPolicy: "Delete" } },
      { spec: { persistentVolumeReclaimPolicy: "Odd" } },
      { spec: { claimRef: { namespace: "<ns>", name: "c" } } },
      { spec: { capacity: { storage: "2Gi" } } },
      { spec: { hostPath: { path: "/y" } } },
      { spec: { volumeMode: "Block" } },
      { spec: { mountOptions: ["ro"] } },
      { spec: { accessModes: [] } },
      { status: { phase: "Bound" } },
    ],
    statusChanges: [
      { status: { phase: "Available" } },
      { status: { phase: "Available", message: "m" } },
      { spec: { storageClassName: "x" } },
    ],
    others: [
      {},
      { spec: {} },
      { spec: { capacity: { storage: "1" }, accessModes: ["ReadWriteOnce"] } },
      { spec: { capacity: { cpu: "1" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } } },
      { spec: { capacity: { storage: "1" }, accessModes: ["Odd"], hostPath: { path: "/x" } } },
      { spec: { capacity: { storage: "1" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a/../b" } } },
      { spec: { capacity: { storage: "1" }, accessModes: ["ReadWriteOnce"], local: { path: "/x" } } },
      {
        spec: {
          capacity: { storage: "1" },
          accessModes: ["ReadWriteOnce"],
          hostPath: { path: "/x" },
          nfs: { server: "s", path: "/p" },
        },
      },
      {
        spec: {
          capacity: { storage: "1" },
          accessModes: ["ReadWriteOnce"],
          nfs: { server: "s", path: "/p" },
          storageClassName: "Bad_Name",
        },
      },
    ],
    fieldSelectors: ["metadata.name=<ns>-a", "status.phase=x"],
  },
  {
    kind: "StorageClass",
    apiVersion: "storage.k8s.io/v1",
    collection: `${storage}/storageclasses`,
    isOfCluster: true,
    object: { provisioner: "p.example.com", parameters: { a: "b" } },
    changes: [
      { provisioner: "q.example.com" },
      { parameters: { a: "c" } },
      { reclaimPolicy: "Retain" },
      { volumeBindingMode: "WaitForFirstConsumer" },
      { allowVolumeExpansion: true },
      { mountOptions: ["ro"] },
    ],
    others: [
      {},
      { provisioner: "bad provisioner" },
      { provisioner: "p", reclaimPolicy: "Odd" },
      { provisioner: "p", volumeBindingMode: "Odd" },
      { provisioner: "p", parameters: { "": "x" } },
    ],
    fieldSelectors: ["provisioner=x"],
  },
  {
    kind: "CSIDriver",
    apiVersion: "storage.k8s.io/v1",
    collection: `${storage}/csidrivers`,
    isOfCluster: true,
    object: { spec: { attachRequired: false } },
    changes: [
      { spec: { podInfoOnMount: true } },
      { spec: { attachRequired: true } },
      { spec: { fsGroupPolicy: "File" } },
      { spec: { volumeLifecycleModes: ["Ephemeral"] } },
      { spec: { tokenRequests: [{ audience: "a" }] } },
    ],
    others: [{}, { spec: { volumeLifecycleModes: ["Odd"] } }, { spec: { fsGroupPolicy: "Odd" } }],
    fieldSelectors: ["spec.attachRequired=true"],
  },
  {
    kind: "CSINode",
    apiVersion: "storage.k8s.io/v1",
    collection: `${storage}/csinodes`,
    isOfCluster: true,
    object: { spec: { drivers: [{ name: "d", nodeID: "n", topologyKeys: ["k"] }] } },
    changes: [
      { spec: { drivers: [{ name: "d", nodeID: "m" }] } },
      {
        spec: {
          drivers: [
            { name: "d", nodeID: "n", topologyKeys: ["k"] },
            { name: "e", nodeID: "n" },
          ],
        },
      },
      { spec: { drivers: null } },
    ],
    others: [{}, { spec: {} }, { spec: { drivers: [{ name: "Bad_Name", nodeID: "" }] } }],
    fieldSelectors: ["spec.drivers=d"],
  },
  {
    kind: "CSIStorageCapacity",
    apiVersion: "storage.k8s.io/v1",
    collection: `${storage}/namespaces/<ns>/csistoragecapacities`,
    object: { storageClassName: "fast", capacity: "10Gi" },
    changes: [{ capacity: "5Gi" }, { capacity: "-1" }, { storageClassName: "slow" }, { nodeTopology: selector }],
    others: [{}, { storageClassName: "Bad_Name" }, { storageClassName: "fast", maximumVolumeSize: "-1" }],
    fieldSelectors: ["storageClassName=fast"],
  },
  {
    kind: "VolumeAttachment",
    apiVersion: "storage.k8s.io/v1",
    collection: `${storage}/volumeattachments`,
    isOfCluster: true,
    object: { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } },
    changes: [{ spec: { nodeName: "m" } }, { status: { attached: true } }],
    statusChanges: [{ status: { attached: true } }, { spec: { nodeName: "m" } }],
    others: [{}, { spec: {} }, { spec: { attacher: "a", nodeName: "Bad_Name", source: {} } }],
    fieldSelectors: ["spec.attacher=a"],
  },
];
