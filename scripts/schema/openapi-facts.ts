/**
 * What the published OpenAPI says of single fields and structs, and no other table here tells: defaults that the Go
 * types declare (all others are the zero of a field that is always written), strategies of a patch beside `merge`, and
 * unions.
 */

type Default = string | number | boolean | object;

/** Struct → field → default. */
export const declaredDefaults: Readonly<Record<string, Readonly<Record<string, Default>>>> = {
  AzureDiskVolumeSource: { cachingMode: "ReadWrite", fsType: "ext4", kind: "Shared", readOnly: false },
  ConfigMapEnvSource: { name: "" },
  ConfigMapKeySelector: { name: "" },
  ConfigMapProjection: { name: "" },
  ConfigMapVolumeSource: { name: "" },
  ContainerPort: { protocol: "TCP" },
  DeviceToleration: { operator: "Equal" },
  FileKeySelector: { optional: false },
  GRPCAction: { service: "" },
  ISCSIPersistentVolumeSource: { iscsiInterface: "default" },
  ISCSIVolumeSource: { iscsiInterface: "default" },
  LocalObjectReference: { name: "" },
  PodGroupSpec: { disruptionMode: { single: {} } },
  RBDPersistentVolumeSource: { keyring: "/etc/ceph/keyring", pool: "rbd", user: "admin" },
  RBDVolumeSource: { keyring: "/etc/ceph/keyring", pool: "rbd", user: "admin" },
  ReplicationControllerSpec: { minReadySeconds: 0, replicas: 1 },
  ScaleIOPersistentVolumeSource: { fsType: "xfs", storageMode: "ThinProvisioned" },
  ScaleIOVolumeSource: { fsType: "xfs", storageMode: "ThinProvisioned" },
  SecretEnvSource: { name: "" },
  SecretKeySelector: { name: "" },
  SecretProjection: { name: "" },
  ServicePort: { protocol: "TCP" },
};

/** Struct → field → how kubectl patches it. */
export const patchStrategies: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  DeploymentSpec: { strategy: "retainKeys" },
  PodGroupSpec: { resourceClaims: "merge,retainKeys" },
  PodGroupStatus: { resourceClaimStatuses: "merge,retainKeys" },
  PodGroupTemplate: { resourceClaims: "merge,retainKeys" },
  PodSpec: { resourceClaims: "merge,retainKeys", volumes: "merge,retainKeys" },
  PodStatus: { resourceClaimStatuses: "merge,retainKeys" },
};

/** Struct → the fields of which only one is set. */
export const unions: Readonly<Record<string, object>> = {
  AppArmorProfile: { discriminator: "type", "fields-to-discriminateBy": { localhostProfile: "LocalhostProfile" } },
  CompositeDisruptionMode: { "fields-to-discriminateBy": { all: "All", single: "Single" } },
  CompositePodGroupSchedulingPolicy: { "fields-to-discriminateBy": { basic: "Basic", gang: "Gang" } },
  DisruptionMode: { "fields-to-discriminateBy": { all: "All", single: "Single" } },
  PodGroupSchedulingPolicy: { "fields-to-discriminateBy": { basic: "Basic", gang: "Gang" } },
  PodSchedulingGroup: { "fields-to-discriminateBy": { podGroupName: "PodGroupName" } },
  WorkloadPodGroupDisruptionMode: { "fields-to-discriminateBy": { all: "All", single: "Single" } },
  WorkloadPodGroupSchedulingPolicy: { "fields-to-discriminateBy": { basic: "Basic", gang: "Gang" } },
  SeccompProfile: { discriminator: "type", "fields-to-discriminateBy": { localhostProfile: "LocalhostProfile" } },
};
