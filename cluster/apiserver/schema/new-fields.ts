/**
 * Fields of the schema that older versions of the API server do not know. For these a field is unknown: it is reported
 * as such, and not stored. Leaves out what a version knows and drops, because a feature gate is off:
 * strategies/dropped-fields.ts. What 1.37 has no more is unknown in every version: two alpha fields of devices,
 * nodeAllocatableResourceMappings and resources of a claim's share of the node.
 */
import { isBefore, type KubernetesVersion } from "../../values/kubernetes-versions.ts";

/** The names of unknown fields, by their struct. */
export type UnknownFields = ReadonlyMap<string, ReadonlySet<string>>;

/** Struct → field → the version that brought it. */
const since: Readonly<Record<string, Readonly<Record<string, KubernetesVersion>>>> = {
  CSIDriverSpec: { preventPodSchedulingIfMissing: "1.36", serviceAccountTokenInSecrets: "1.35" },
  CSINode: { status: "1.37" },
  ClusterTrustBundleProjection: { user: "1.37" },
  ConfigMapVolumeSource: { defaultUser: "1.37" },
  Container: { restartPolicyRules: "1.34" },
  Device: { nodeAllocatableResources: "1.37" },
  DeviceAttribute: { bools: "1.36", ints: "1.36", strings: "1.36", versions: "1.36" },
  DeviceCounterConsumption: { compatibilityGroups: "1.37" },
  DeviceRequestAllocationResult: { skipNodeOperations: "1.37" },
  DeviceSubRequest: { derivedAttributes: "1.37" },
  DownwardAPIVolumeFile: { user: "1.37" },
  DownwardAPIVolumeSource: { defaultUser: "1.37" },
  EmptyDirVolumeSource: { mode: "1.37" },
  EnvVarSource: { fileKeyRef: "1.34" },
  EphemeralContainer: { restartPolicyRules: "1.34" },
  ExactDeviceRequest: { derivedAttributes: "1.37" },
  GRPCAction: { mode: "1.37" },
  HTTPGetAction: { protocol: "1.37" },
  JobSpec: { scheduling: "1.37" },
  KeyToPath: { user: "1.37" },
  NodeAllocatableResourceClaimStatus: { mapping: "1.37", overhead: "1.37" },
  NodeSpec: { podPreemptionPolicy: "1.37" },
  NodeStatus: { declaredFeatures: "1.35" },
  NodeSystemInfo: { runningInUserNamespace: "1.37" },
  PersistentVolumeClaimStatus: { healthStatus: "1.37" },
  PodCertificateProjection: { user: "1.37", userAnnotations: "1.35" },
  PodSpec: { evictionResponders: "1.37", hostnameOverride: "1.34", schedulingGroup: "1.36" },
  PodStatus: {
    allocatedResources: "1.35",
    extendedResourceClaimStatus: "1.34",
    nodeAllocatableResourceClaimStatuses: "1.36",
    resources: "1.35",
    volumeHealth: "1.37",
  },
  ProjectedVolumeSource: { defaultUser: "1.37" },
  ResourceHealth: { message: "1.36" },
  ResourceSliceSpec: { partitionTypeAttribute: "1.37", skipNodeOperations: "1.37" },
  SecretVolumeSource: { defaultUser: "1.37" },
  ServiceAccountTokenProjection: { user: "1.37" },
  TokenRequestSpec: { attestations: "1.37" },
  VolumeMount: { bindMountOptions: "1.37" },
  VolumeMountStatus: { volumeStatus: "1.36" },
  VolumeProjection: { podCertificate: "1.34" },
};

const unknown = new Map<KubernetesVersion, UnknownFields | undefined>();

/** @returns undefined if the version knows all fields */
export function unknownFields(kubernetes: KubernetesVersion): UnknownFields | undefined {
  if (!unknown.has(kubernetes)) unknown.set(kubernetes, findUnknown(kubernetes));
  return unknown.get(kubernetes);
}

function findUnknown(kubernetes: KubernetesVersion): UnknownFields | undefined {
  const found = Object.entries(since).flatMap(([struct, fields]) => {
    const names = Object.keys(fields).filter((name) => isBefore(kubernetes, fields[name]!));
    return names.length === 0 ? [] : [[struct, new Set(names)] as const];
  });
  return found.length === 0 ? undefined : new Map(found);
}

/** The version that brought a field of a struct; undefined: all have it, or none. */
export function versionOfField(struct: string, field: string): KubernetesVersion | undefined {
  return since[struct]?.[field];
}
