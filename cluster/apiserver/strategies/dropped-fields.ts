/**
 * Fields that the server knows and drops from every write, without a word, because the feature gate that they need is
 * off. An update of an object that has such a field already may have it: the gate was on before.
 *
 * A row is a gate with its fields. In a path `a|b` is both fields, `[]` is each item of a list, and the field `a!=V`
 * counts unless it is V. Source: the dropDisabled functions of pkg/api/pod, pkg/registry/batch and
 * pkg/registry/scheduling.
 */
import type { JobSpec, PodSpec, PodTemplateSpec } from "../../values/kinds.ts";
import { SINCE } from "../../values/kubernetes-changes.ts";
import { isBefore, type KubernetesVersion, SERVED_KUBERNETES } from "../../values/kubernetes-versions.ts";
import { isObject } from "../../values/json.ts";
import type { Json, JsonObject } from "../../values/types.ts";
import { withoutImageVolumes } from "./image-volumes.ts";

interface GatedFields {
  readonly gate: string;
  /** The first version that has the gate on unless told otherwise; absent: no version that is known. */
  readonly onSince?: KubernetesVersion;
  /** The first version that knows the fields at all; absent: all do, or new-fields.ts says it. */
  readonly knownSince?: KubernetesVersion;
  /** The option of the server that has the gate on. */
  readonly option?: "gangScheduling";
  readonly paths: readonly string[];
  /** What goes, if it is not the fields alone. */
  readonly drop?: (pod: PodSpec) => PodSpec;
}

/** What decides whether a gate is on. */
export interface Gates {
  readonly gangScheduling: boolean;
  /** Absent: the one that Stint follows. */
  readonly kubernetes?: KubernetesVersion;
}

const CONTAINERS = "containers|initContainers|ephemeralContainers[]";
const PROBES = "livenessProbe|readinessProbe|startupProbe";

export const DROPPED_OF_CSI_NODE: readonly GatedFields[] = [
  { gate: "CSIVolumeHealth", paths: ["status.storageHealth"] },
];

export const DROPPED_OF_JOB_SPEC: readonly GatedFields[] = [
  { gate: "WorkloadWithJob", option: "gangScheduling", paths: ["scheduling"] },
];

export const DROPPED_OF_NODE_SPEC: readonly GatedFields[] = [
  { gate: "InPlacePodVerticalScalingSchedulerPreemption", paths: ["podPreemptionPolicy"] },
];

export const DROPPED_OF_CLAIM_STATUS: readonly GatedFields[] = [{ gate: "CSIVolumeHealth", paths: ["healthStatus"] }];

export const DROPPED_OF_POD_GROUP_SPEC: readonly GatedFields[] = [
  { gate: "CompositePodGroup", onSince: "1.38", paths: ["parentCompositePodGroupName"] },
  { gate: "DRAWorkloadResourceClaims", paths: ["resourceClaims"] },
  { gate: "PodGroupPreemptionPolicy", paths: ["preemptionPolicy"] },
  { gate: "TopologyAwareWorkloadScheduling", onSince: "1.38", paths: ["schedulingConstraints"] },
];

export const DROPPED_OF_POD_GROUP_STATUS: readonly GatedFields[] = [
  { gate: "DRAWorkloadResourceClaims", paths: ["resourceClaimStatuses"] },
];

export const DROPPED_OF_POD_STATUS: readonly GatedFields[] = [{ gate: "CSIVolumeHealth", paths: ["volumeHealth"] }];

export const DROPPED_OF_POD_SPEC: readonly GatedFields[] = [
  {
    gate: "AtomicWriteVolumeUserFields",
    onSince: SINCE["owners-of-files-in-volumes"],
    paths: [
      "volumes[].secret|configMap|downwardAPI|projected.defaultUser",
      "volumes[].secret|configMap|downwardAPI.items[].user",
      "volumes[].projected.sources[].secret|configMap|downwardAPI.items[].user",
      "volumes[].projected.sources[].serviceAccountToken|clusterTrustBundle|podCertificate.user",
    ],
  },
  {
    gate: "ClusterTrustBundleProjection",
    onSince: SINCE["certificates-of-pods"],
    paths: ["volumes[].projected.sources[].clusterTrustBundle"],
  },
  {
    gate: "ContainerRestartRules",
    knownSince: SINCE["policies-of-containers-dropped"],
    onSince: SINCE["restart-rules-of-containers"],
    paths: [
      "containers|ephemeralContainers[].restartPolicy",
      "initContainers[].restartPolicy!=Always",
      `${CONTAINERS}.restartPolicyRules`,
    ],
  },
  {
    gate: "DynamicResourceAllocation",
    onSince: SINCE["resource-claims"],
    paths: ["resourceClaims", `${CONTAINERS}.resources.claims`],
  },
  { gate: "EmptyDirVolumeMode", paths: ["volumes[].emptyDir.mode"] },
  {
    gate: "EnvFiles",
    onSince: SINCE["variables-from-files"],
    paths: [`${CONTAINERS}.env[].valueFrom.fileKeyRef`],
  },
  { gate: "EvictionRequestAPI", paths: ["evictionResponders"] },
  { gate: "GenericWorkload", option: "gangScheduling", paths: ["schedulingGroup"] },
  { gate: "GRPCContainerProbeTLS", paths: [`${CONTAINERS}.${PROBES}.grpc.mode`] },
  {
    gate: "H2CContainerProbe",
    paths: [`${CONTAINERS}.${PROBES}.httpGet.protocol`, `${CONTAINERS}.lifecycle.postStart|preStop.httpGet.protocol`],
  },
  { gate: "HostnameOverride", onSince: SINCE["hostname-override"], paths: ["hostnameOverride"] },
  {
    gate: "ImageVolume",
    onSince: SINCE["image-volumes"],
    paths: ["volumes[].image"],
    drop: withoutImageVolumes,
  },
  {
    gate: "PodCertificateRequest",
    onSince: SINCE["certificates-of-pods"],
    paths: ["volumes[].projected.sources[].podCertificate"],
  },
  { gate: "PodLevelResources", onSince: SINCE["resources-of-a-whole-pod"], paths: ["resources"] },
  { gate: "VolumeBindMountOptions", paths: [`${CONTAINERS}.volumeMounts[].bindMountOptions`] },
];

export const DROPPED_OF_RESOURCE_CLAIM_SPEC: readonly GatedFields[] = [
  {
    gate: "DRADerivedAttributes",
    paths: ["devices.requests[].exactly.derivedAttributes", "devices.requests[].firstAvailable[].derivedAttributes"],
  },
];

export const DROPPED_OF_RESOURCE_CLAIM_STATUS: readonly GatedFields[] = [
  { gate: "DRAOptionalNodeOperations", paths: ["allocation.devices.results[].skipNodeOperations"] },
];

export const DROPPED_OF_RESOURCE_SLICE_SPEC: readonly GatedFields[] = [
  { gate: "DRADeviceCompatibilityGroups", paths: ["devices[].consumesCounters[].compatibilityGroups"] },
  { gate: "DRANodeAllocatableResources", paths: ["devices[].nodeAllocatableResources"] },
  { gate: "DRAOptionalNodeOperations", paths: ["skipNodeOperations"] },
  { gate: "DRAPartitionableDevicesType", paths: ["partitionTypeAttribute"] },
];

export const DROPPED_OF_WORKLOAD_SPEC: readonly GatedFields[] = [
  { gate: "CompositePodGroup", onSince: "1.38", paths: ["compositePodGroupTemplates"] },
  { gate: "DRAWorkloadResourceClaims", paths: ["podGroupTemplates[].resourceClaims"] },
  { gate: "PodGroupPreemptionPolicy", paths: ["podGroupTemplates[].preemptionPolicy"] },
  { gate: "TopologyAwareWorkloadScheduling", onSince: "1.38", paths: ["podGroupTemplates[].schedulingConstraints"] },
];

type Segment = { readonly names: readonly string[]; readonly isList: boolean; readonly except: string | undefined };
type Path = readonly Segment[];

const parsed = new Map<string, Path>();

function pathOf(text: string): Path {
  const known = parsed.get(text);
  if (known) return known;
  const path = text.split(".").map((segment) => {
    const [names, except] = segment.replace("[]", "").split("!=");
    return { names: names!.split("|"), isList: segment.endsWith("[]"), except };
  });
  parsed.set(text, path);
  return path;
}

/**
 * The struct without the fields that the server drops; the same one if it has none of them.
 * @param fields those of the struct: one of the lists above
 * @param current the struct before an update
 */
export function withoutDroppedFields<Struct extends object>(
  fields: readonly GatedFields[],
  given: Struct,
  current: Struct | undefined,
  gates: Gates,
): Struct {
  let left = given as Json;
  for (const { paths: texts, drop, ...gate } of fields) {
    if (isOn(gate, gates)) continue;
    const paths = texts.map(pathOf);
    if (!paths.some((path) => hasField(left, path, 0))) continue;
    if (current !== undefined && paths.some((path) => hasField(current as Json, path, 0))) continue;
    if (drop) left = drop(left as object as PodSpec) as object as Json;
    else for (const path of paths) left = withoutField(left, path, 0);
  }
  return left as Struct;
}

function isOn(
  { knownSince, onSince, option }: Pick<GatedFields, "knownSince" | "onSince" | "option">,
  { gangScheduling, kubernetes = SERVED_KUBERNETES }: Gates,
): boolean {
  if (knownSince !== undefined && isBefore(kubernetes, knownSince)) return true;
  return (option !== undefined && gangScheduling) || (onSince !== undefined && !isBefore(kubernetes, onSince));
}

/** The same of the pods that a template makes. */
export function withoutDroppedPodFields<Template extends Pick<PodTemplateSpec, "spec">>(
  template: Template,
  current: Template | undefined,
  gates: Gates,
): Template {
  if (template?.spec === undefined) return template;
  const spec = withoutDroppedFields(DROPPED_OF_POD_SPEC, template.spec, current?.spec, gates);
  return spec === template.spec ? template : { ...template, spec };
}

/** The same of a Job, and of its pods. */
export function withoutDroppedJobFields(spec: JobSpec, current: JobSpec | undefined, gates: Gates): JobSpec {
  const left = withoutDroppedFields(DROPPED_OF_JOB_SPEC, spec, current, gates);
  const template = withoutDroppedPodFields(left.template, current?.template, gates);
  return template === left.template ? left : { ...left, template };
}

function hasField(value: Json, path: Path, depth: number): boolean {
  if (!isObject(value)) return false;
  const { names, isList, except } = path[depth]!;
  return names.some((name) => {
    const member = value[name];
    if (member === undefined || member === null || member === except) return false;
    if (depth === path.length - 1) return true;
    return isList
      ? Array.isArray(member) && member.some((item) => hasField(item, path, depth + 1))
      : hasField(member, path, depth + 1);
  });
}

/** Copies what leads to the field. */
function withoutField(value: Json, path: Path, depth: number): Json {
  if (!isObject(value) || !hasField(value, path, depth)) return value;
  const { names, isList, except } = path[depth]!;
  const copy: JsonObject = { ...value };
  for (const name of names) {
    const member = value[name];
    if (member === except) continue;
    if (depth === path.length - 1) delete copy[name];
    else if (isList && Array.isArray(member)) copy[name] = member.map((item) => withoutField(item, path, depth + 1));
    else if (member !== undefined) copy[name] = withoutField(member, path, depth + 1);
  }
  return copy;
}
