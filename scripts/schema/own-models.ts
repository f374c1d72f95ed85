/**
 * What the models of @kubernetes/client-node lack: classes of kinds and structs that are newer than it, of structs
 * without a field, and the one for the common fields of all objects; and new fields of classes that it has. An entry
 * goes when the library has it.
 *
 * A field is one text: its type as the models write it, `!` if the published OpenAPI requires it, and its description.
 * A number has its format for a type, and a map is `Map<TYPE>`.
 */

export interface OwnModel {
  readonly text: string;
  /** By their names in JSON. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface OwnField {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly text: string;
}

const head = {
  apiVersion: "string Group and version of the object's form.",
  kind: "string The kind of the object.",
};
const object = { ...head, metadata: "V1ObjectMeta Name, labels and the other metadata of an object." };
const list = { ...head, metadata: "V1ListMeta Metadata of the list." };
const priority = {
  priorityClassName: "string Name of the PriorityClass. Cannot be changed.",
  priority: "int32 The priority that the PriorityClass gives; a higher number is more important. Cannot be changed.",
  preemptionPolicy:
    "string Whether pods and PodGroups of lower priority may be preempted: Never or PreemptLowerPriority. Cannot be changed, and needs the feature gate PodGroupPreemptionPolicy.",
};
const topology = {
  topology: "Array<V1beta1TopologyConstraint> The topology domains that the pods have to share; at most one.",
};

export const ownModels: Readonly<Record<string, OwnModel>> = {
  CustomResourceSubresourceStatus: { text: "", fields: {} },
  PartialObjectMetadata: { text: "", fields: { kind: "string", apiVersion: "string", metadata: "V1ObjectMeta" } },

  V1EvictionResponder: {
    text: "EvictionResponder is who answers when a pod is to be evicted.",
    fields: {
      name: "string! Name of the responder, with a domain before a slash.",
      priority: "int32! Those of higher priority are asked first; 0 to 100000.",
    },
  },

  V1CSINodeStatus: {
    text: "CSINodeStatus is what a node says of its storage.",
    fields: {
      storageHealth:
        "Array<V1StorageHealth> Health of the storage, by the name of the driver. Needs the feature gate CSIVolumeHealth.",
    },
  },
  V1StorageHealth: {
    text: "StorageHealth is the health of the storage that a driver serves on a node.",
    fields: {
      name: "string! Name of the driver.",
      healthConditions: "Array<V1StorageHealthCondition> What is known of the storage.",
    },
  },
  V1StorageHealthCondition: {
    text: "StorageHealthCondition is one statement about the health of storage.",
    fields: {
      status: "string! Whether the storage can be used.",
      reason: "string! Why, as one word in camel case.",
      message: "string Why, as a sentence for people.",
      accessMode: "string The access mode that it concerns.",
      volumeMode: "string The volume mode that it concerns.",
      lastTransitionTime: "Date When the status last changed.",
    },
  },
  V1DeviceDerivedAttribute: {
    text: "DeviceDerivedAttribute is an attribute of devices that an expression computes.",
    fields: {
      name: "string! Name of the attribute, with a domain.",
      expression: "string! The expression in CEL.",
    },
  },
  V1DeviceTaintRule: {
    text: "DeviceTaintRule adds one taint to all devices that the selector matches, as if the driver had put it into the ResourceSlice.",
    fields: {
      ...object,
      spec: "V1DeviceTaintRuleSpec! The selector and the taint. A change of it increments metadata.generation.",
      status: "V1DeviceTaintRuleStatus What has come of the spec.",
    },
  },
  V1DeviceTaintRuleList: {
    text: "DeviceTaintRuleList is a list of DeviceTaintRules.",
    fields: { ...list, items: "Array<V1DeviceTaintRule>! The DeviceTaintRules." },
  },
  V1DeviceTaintRuleSpec: {
    text: "DeviceTaintRuleSpec is a selector and one taint.",
    fields: {
      deviceSelector:
        "V1DeviceTaintSelector The devices that get the taint. Without a selector no device matches, and the empty one matches all.",
      taint: "V1DeviceTaint! The taint that the devices get.",
    },
  },
  V1DeviceTaintRuleStatus: {
    text: "DeviceTaintRuleStatus says how far the eviction of pods has come.",
    fields: {
      conditions:
        "Array<V1Condition> EvictionInProgress: whether there are pods that are still to be evicted. At most 8.",
    },
  },
  V1DeviceTaintSelector: {
    text: "DeviceTaintSelector says for which devices a DeviceTaintRule is. All that is set must match.",
    fields: {
      driver: "string Only devices of this driver.",
      pool: "string Only devices in the pool with this name, of any driver unless that is set.",
      device: "string Only devices with this name, in any pool unless that is set.",
    },
  },
  V1NodeAllocatableMappedResources: {
    text: "NodeAllocatableMappedResources is an amount of a resource of the node that devices take.",
    fields: { name: "string! Name of the resource.", quantity: "string! The amount." },
  },
  V1NodeAllocatableOverheadResources: {
    text: "NodeAllocatableOverheadResources is what devices take of a resource of the node besides.",
    fields: {
      name: "string! Name of the resource.",
      perPod: "string The amount for the pod.",
      perContainer: "string The amount for each container.",
    },
  },
  V1PodVolumeHealth: {
    text: "PodVolumeHealth is the health of a volume that the pod uses.",
    fields: {
      name: "string! Name of the volume.",
      healthConditions: "Array<V1VolumeHealthCondition> What is known of the volume.",
      lastTransitionTime: "Date When that last changed.",
    },
  },
  V1NodeAllocatableMapping: {
    text: "NodeAllocatableMapping says how much of a resource of the node a device is.",
    fields: {
      capacityKey: "string The capacity of the device that counts.",
      capacityMultiplier: "string What the capacity is multiplied by.",
      deviceMultiplier: "string What the number of devices is multiplied by.",
    },
  },
  V1NodeAllocatableOverhead: {
    text: "NodeAllocatableOverhead is what a device takes of a resource of the node besides.",
    fields: { perPod: "string The amount for a pod.", perContainer: "string The amount for each container." },
  },
  V1NodeAllocatableResource: {
    text: "NodeAllocatableResource says what a device takes of a resource of the node.",
    fields: {
      mapping: "V1NodeAllocatableMapping What it is of the resource.",
      overhead: "V1NodeAllocatableOverhead What it takes besides.",
    },
  },
  V1NodePodPreemptionPolicy: {
    text: "NodePodPreemptionPolicy says what pods on a node may be preempted for.",
    fields: { disableResizePreemption: "Array<string> For whose resizes no pod is preempted." },
  },
  V1VolumeHealthCondition: {
    text: "VolumeHealthCondition is one statement about the health of a volume.",
    fields: {
      status: "string! Whether the volume can be used.",
      reason: "string! Why, as one word in camel case.",
      message: "string Why, as a sentence for people.",
    },
  },
  V1VolumeHealthStatus: {
    text: "VolumeHealthStatus is the health of a volume.",
    fields: {
      healthConditions: "Array<V1VolumeHealthCondition> What is known of the volume.",
      lastTransitionTime: "Date When that last changed.",
    },
  },

  V1JobSchedulingConfiguration: {
    text: "JobSchedulingConfiguration says how the pods of a Job are scheduled.",
    fields: {
      schedulingPolicy:
        "V1alpha3WorkloadPodGroupSchedulingPolicy Whether each pod is scheduled for itself, or all as a gang. Of it only gang.minCount can be changed.",
      schedulingConstraints:
        "V1alpha3WorkloadPodGroupSchedulingConstraints Where the pods may be placed. Cannot be changed.",
      disruptionMode: "V1alpha3WorkloadPodGroupDisruptionMode How the pods may be disrupted. Cannot be changed.",
      resourceClaims:
        "Array<V1alpha3WorkloadPodGroupResourceClaim> ResourceClaims that the pods share, at most 4. Cannot be changed.",
    },
  },
  V1alpha3WorkloadPodGroupSchedulingPolicy: {
    text: "WorkloadPodGroupSchedulingPolicy says how a group of pods is scheduled: exactly one policy is set.",
    fields: {
      basic: "V1alpha3WorkloadPodGroupBasicSchedulingPolicy Each pod is scheduled for itself.",
      gang: "V1alpha3WorkloadPodGroupGangSchedulingPolicy The pods are scheduled together or not at all.",
    },
  },
  V1alpha3WorkloadPodGroupBasicSchedulingPolicy: {
    text: "WorkloadPodGroupBasicSchedulingPolicy schedules each pod for itself.",
    fields: {},
  },
  V1alpha3WorkloadPodGroupGangSchedulingPolicy: {
    text: "WorkloadPodGroupGangSchedulingPolicy schedules pods together or not at all.",
    fields: {
      minCount:
        "int32 The least number of pods that must be schedulable or scheduled at the same time, at least 1. A Job has its parallelism by default.",
    },
  },
  V1alpha3WorkloadPodGroupSchedulingConstraints: {
    text: "WorkloadPodGroupSchedulingConstraints says where a group of pods may be placed.",
    fields: topology,
  },
  V1alpha3WorkloadPodGroupDisruptionMode: {
    text: "WorkloadPodGroupDisruptionMode says how a group of pods may be disrupted: exactly one mode is set.",
    fields: {
      single: "V1alpha3WorkloadPodGroupSingleDisruptionMode Each pod may be disrupted for itself.",
      all: "V1alpha3WorkloadPodGroupAllDisruptionMode The pods may only be disrupted together.",
    },
  },
  V1alpha3WorkloadPodGroupSingleDisruptionMode: {
    text: "WorkloadPodGroupSingleDisruptionMode allows that each pod is disrupted for itself.",
    fields: {},
  },
  V1alpha3WorkloadPodGroupAllDisruptionMode: {
    text: "WorkloadPodGroupAllDisruptionMode allows only that the pods are disrupted together.",
    fields: {},
  },
  V1alpha3WorkloadPodGroupResourceClaim: {
    text: "WorkloadPodGroupResourceClaim names a ResourceClaim that a group of pods shares, or the template of one. Exactly one of the two references must be set.",
    fields: {
      name: "string! Name of the claim within the group, a DNS label.",
      resourceClaimName: "string Name of a ResourceClaim in the same namespace.",
      resourceClaimTemplateName:
        "string Name of a ResourceClaimTemplate in the same namespace, of which a ResourceClaim is made for the group.",
    },
  },

  V1beta1Workload: {
    text: "Workload says how groups of pods that belong together are scheduled, preempted and disrupted. Served if the feature gate GenericWorkload is on.",
    fields: { ...object, spec: "V1beta1WorkloadSpec! How the pods of the Workload are grouped." },
  },
  V1beta1WorkloadList: {
    text: "WorkloadList is a list of Workloads.",
    fields: { ...list, items: "Array<V1beta1Workload>! The Workloads." },
  },
  V1beta1WorkloadSpec: {
    text: "WorkloadSpec says how the pods of a Workload are grouped.",
    fields: {
      controllerRef:
        "V1beta1TypedLocalObjectReference The object that the Workload was made for, such as a Job. Cannot be changed.",
      podGroupTemplates:
        "Array<V1beta1PodGroupTemplate> Templates of the PodGroups, at most 8. None can be added or removed later. Exactly one of podGroupTemplates and compositePodGroupTemplates must be set.",
      compositePodGroupTemplates:
        "Array<V1beta1CompositePodGroupTemplate> Templates of groups of PodGroups, at most 8. Needs the feature gate CompositePodGroup.",
    },
  },
  V1beta1TypedLocalObjectReference: {
    text: "TypedLocalObjectReference names an object of some kind in the same namespace.",
    fields: {
      apiGroup: "string API group of the object; empty for the core group.",
      kind: "string! Kind of the object.",
      name: "string! Name of the object.",
    },
  },
  V1beta1PodGroupTemplate: {
    text: "PodGroupTemplate is a template of a PodGroup.",
    fields: {
      name: "string! Name of the template, a DNS label that is unique within the Workload. Cannot be changed.",
      schedulingPolicy: "V1beta1PodGroupSchedulingPolicy! How the pods of the group are scheduled.",
      schedulingConstraints:
        "V1beta1PodGroupSchedulingConstraints Where the pods of the group may be placed. Cannot be changed, and needs the feature gate TopologyAwareWorkloadScheduling.",
      resourceClaims:
        "Array<V1beta1PodGroupResourceClaim> ResourceClaims that the pods of the group share, at most 4. Cannot be changed, and needs the feature gate DRAWorkloadResourceClaims.",
      disruptionMode: "V1beta1DisruptionMode How the pods of the group may be disrupted. Cannot be changed.",
      ...priority,
    },
  },
  V1beta1CompositePodGroupTemplate: {
    text: "CompositePodGroupTemplate is a template of a group of PodGroups.",
    fields: {
      name: "string! Name of the template, a DNS label that is unique within the Workload.",
      schedulingPolicy: "V1beta1CompositePodGroupSchedulingPolicy! How the groups in this group are scheduled.",
      schedulingConstraints:
        "V1beta1CompositePodGroupSchedulingConstraints Where the groups in this group may be placed. Cannot be changed.",
      disruptionMode:
        "V1beta1CompositeDisruptionMode How the groups in this group may be disrupted. Cannot be changed.",
      ...priority,
      podGroupTemplates: "Array<V1beta1PodGroupTemplate> Templates of the PodGroups in this group, at most 8.",
      compositePodGroupTemplates:
        "Array<V1beta1CompositePodGroupTemplate> Templates of groups of PodGroups in this group, at most 8.",
    },
  },
  V1beta1PodGroupSchedulingPolicy: {
    text: "PodGroupSchedulingPolicy says how the pods of a group are scheduled: exactly one policy is set, and another one cannot be chosen later.",
    fields: {
      basic: "V1beta1BasicSchedulingPolicy Each pod is scheduled for itself.",
      gang: "V1beta1GangSchedulingPolicy The pods are scheduled together or not at all.",
    },
  },
  V1beta1BasicSchedulingPolicy: { text: "BasicSchedulingPolicy schedules each pod for itself.", fields: {} },
  V1beta1GangSchedulingPolicy: {
    text: "GangSchedulingPolicy schedules the pods of a group together or not at all.",
    fields: {
      minCount: "int32! The least number of pods that must be schedulable or scheduled at the same time; at least 1.",
    },
  },
  V1beta1CompositePodGroupSchedulingPolicy: {
    text: "CompositePodGroupSchedulingPolicy says how the groups in a group are scheduled: exactly one policy is set.",
    fields: {
      basic: "V1beta1CompositeBasicSchedulingPolicy Each group is scheduled for itself.",
      gang: "V1beta1CompositeGangSchedulingPolicy The groups are scheduled together or not at all.",
    },
  },
  V1beta1CompositeBasicSchedulingPolicy: {
    text: "CompositeBasicSchedulingPolicy schedules each group for itself.",
    fields: {},
  },
  V1beta1CompositeGangSchedulingPolicy: {
    text: "CompositeGangSchedulingPolicy schedules the groups in a group together or not at all.",
    fields: {
      minGroupCount:
        "int32! The least number of groups that must be schedulable or scheduled at the same time; at least 1.",
    },
  },
  V1beta1PodGroupSchedulingConstraints: {
    text: "PodGroupSchedulingConstraints says where the pods of a group may be placed.",
    fields: topology,
  },
  V1beta1CompositePodGroupSchedulingConstraints: {
    text: "CompositePodGroupSchedulingConstraints says where the groups in a group may be placed.",
    fields: topology,
  },
  V1beta1TopologyConstraint: {
    text: "TopologyConstraint keeps pods in one topology domain.",
    fields: { key: "string! Key of the node label whose values are the domains." },
  },
  V1beta1PodGroupResourceClaim: {
    text: "PodGroupResourceClaim names a ResourceClaim that the pods of a group share, or the template of one. Exactly one of the two references must be set.",
    fields: {
      name: "string! Name of the claim within the group, a DNS label.",
      resourceClaimName: "string Name of a ResourceClaim in the same namespace.",
      resourceClaimTemplateName:
        "string Name of a ResourceClaimTemplate in the same namespace, of which a ResourceClaim is made for the group.",
    },
  },
  V1beta1DisruptionMode: {
    text: "DisruptionMode says how the pods of a group may be disrupted: at most one mode is set.",
    fields: {
      single: "V1beta1SingleDisruptionMode Each pod may be disrupted for itself.",
      all: "V1beta1AllDisruptionMode The pods may only be disrupted together.",
    },
  },
  V1beta1SingleDisruptionMode: {
    text: "SingleDisruptionMode allows that each pod is disrupted for itself.",
    fields: {},
  },
  V1beta1AllDisruptionMode: {
    text: "AllDisruptionMode allows only that the pods are disrupted together.",
    fields: {},
  },
  V1beta1CompositeDisruptionMode: {
    text: "CompositeDisruptionMode says how the groups in a group may be disrupted: exactly one mode is set.",
    fields: {
      single: "V1beta1SingleCompositeDisruptionMode Each group may be disrupted for itself.",
      all: "V1beta1AllCompositeDisruptionMode The groups may only be disrupted together.",
    },
  },
  V1beta1SingleCompositeDisruptionMode: {
    text: "SingleCompositeDisruptionMode allows that each group is disrupted for itself.",
    fields: {},
  },
  V1beta1AllCompositeDisruptionMode: {
    text: "AllCompositeDisruptionMode allows only that the groups are disrupted together.",
    fields: {},
  },
  V1beta1PodGroup: {
    text: "PodGroup is a group of pods that are scheduled by one policy. Served if the feature gate GenericWorkload is on.",
    fields: {
      ...object,
      spec: "V1beta1PodGroupSpec! How the pods of the group are scheduled.",
      status: "V1beta1PodGroupStatus How far the group is scheduled.",
    },
  },
  V1beta1PodGroupList: {
    text: "PodGroupList is a list of PodGroups.",
    fields: { ...list, items: "Array<V1beta1PodGroup>! The PodGroups." },
  },
  V1beta1PodGroupSpec: {
    text: "PodGroupSpec says how the pods of a group are scheduled.",
    fields: {
      parentCompositePodGroupName:
        "string Name of the CompositePodGroup that the group is in. Cannot be changed, and needs the feature gate CompositePodGroup.",
      workloadRef:
        "V1beta1WorkloadReference The Workload and its template that the group was made of. Cannot be changed.",
      schedulingPolicy: "V1beta1PodGroupSchedulingPolicy! How the pods of the group are scheduled.",
      schedulingConstraints:
        "V1beta1PodGroupSchedulingConstraints Where the pods of the group may be placed. Cannot be changed, and needs the feature gate TopologyAwareWorkloadScheduling.",
      resourceClaims:
        "Array<V1beta1PodGroupResourceClaim> ResourceClaims that the pods of the group share, at most 4. Cannot be changed, and needs the feature gate DRAWorkloadResourceClaims.",
      disruptionMode:
        "V1beta1DisruptionMode How the pods of the group may be disrupted; single by default. Cannot be changed.",
      ...priority,
    },
  },
  V1beta1WorkloadReference: {
    text: "WorkloadReference names a Workload and one of its templates.",
    fields: {
      workloadName: "string! Name of the Workload.",
      templateName: "string! Name of the template in the Workload.",
    },
  },
  V1beta1PodGroupStatus: {
    text: "PodGroupStatus says how far a PodGroup is scheduled.",
    fields: {
      conditions:
        "Array<V1Condition> PodGroupInitiallyScheduled: whether the group was scheduled, which stays true from then on. DisruptionTarget: whether it is about to be disrupted.",
      resourceClaimStatuses:
        "Array<V1beta1PodGroupResourceClaimStatus> The ResourceClaims that were made for the group.",
    },
  },
  V1beta1PodGroupResourceClaimStatus: {
    text: "PodGroupResourceClaimStatus names the ResourceClaim that was made of a template.",
    fields: {
      name: "string! Name of the claim in the spec of the PodGroup.",
      resourceClaimName: "string Name of the ResourceClaim; absent if none was needed.",
    },
  },
};

const user = "int64 UID of the file's owner, 0 to 4294967295. Needs the feature gate AtomicWriteVolumeUserFields.";
const defaultUser =
  "int64 UID of the owner of files that name none, 0 to 4294967295. Needs the feature gate AtomicWriteVolumeUserFields.";

const derivedAttributes =
  "Array<V1DeviceDerivedAttribute> Attributes that expressions compute. Needs the feature gate DRADerivedAttributes.";

/** Fields of classes that the library has. */
const newFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  V1ClusterTrustBundleProjection: { user },
  V1ConfigMapVolumeSource: { defaultUser },
  V1CSINode: { status: "V1CSINodeStatus What the node says of its storage." },
  V1Device: {
    nodeAllocatableResources:
      "Map<V1NodeAllocatableResource> What the device takes of resources of the node. Needs the feature gate DRANodeAllocatableResources.",
  },
  V1DeviceCounterConsumption: {
    compatibilityGroups:
      "Array<string> Devices without a common group are not allocated together. Needs the feature gate DRADeviceCompatibilityGroups.",
  },
  V1DeviceRequestAllocationResult: {
    skipNodeOperations:
      "Array<string> Calls of the driver on the node that are left out. Needs the feature gate DRAOptionalNodeOperations.",
  },
  V1DeviceSubRequest: { derivedAttributes },
  V1DownwardAPIVolumeFile: { user },
  V1DownwardAPIVolumeSource: { defaultUser },
  V1EmptyDirVolumeSource: {
    mode: "int32 Mode of the folder, 0 to 01777 (octal). Needs the feature gate EmptyDirVolumeMode.",
  },
  V1ExactDeviceRequest: { derivedAttributes },
  V1GRPCAction: {
    mode: "string How the probe connects: Plaintext, which is the default, or TLS. Needs the feature gate GRPCContainerProbeTLS.",
  },
  V1HTTPGetAction: {
    protocol: "string HTTP1, which is the default, or HTTP2. Needs the feature gate H2CContainerProbe.",
  },
  V1JobSpec: {
    scheduling:
      "V1JobSchedulingConfiguration How the pods of the Job are scheduled: each for itself, which is the default, or as a gang. Needs the feature gate WorkloadWithJob.",
  },
  V1KeyToPath: { user },
  V1NodeSpec: {
    podPreemptionPolicy:
      "V1NodePodPreemptionPolicy What pods on the node may be preempted for. Needs the feature gate InPlacePodVerticalScalingSchedulerPreemption.",
  },
  V1NodeAllocatableResourceClaimStatus: {
    mapping: "Array<V1NodeAllocatableMappedResources> What devices are of resources of the node.",
    overhead: "Array<V1NodeAllocatableOverheadResources> What they take besides.",
  },
  V1NodeSystemInfo: { runningInUserNamespace: "boolean Whether the node runs in a user namespace." },
  V1PersistentVolumeClaimStatus: {
    healthStatus: "V1VolumeHealthStatus Health of the volume. Needs the feature gate CSIVolumeHealth.",
  },
  V1PodCertificateProjection: { user },
  V1PodSpec: {
    evictionResponders:
      "Array<V1EvictionResponder> Who answers when the pod is to be evicted, at most 10. Cannot be changed, and needs the feature gate EvictionRequestAPI.",
  },
  V1PodStatus: {
    volumeHealth: "Array<V1PodVolumeHealth> Health of the volumes. Needs the feature gate CSIVolumeHealth.",
  },
  V1ProjectedVolumeSource: { defaultUser },
  V1ResourceSliceSpec: {
    partitionTypeAttribute:
      "string The attribute that says what kind of partition a device is. Needs the feature gate DRAPartitionableDevicesType.",
    skipNodeOperations:
      "Array<string> Calls of the driver on the node that are left out. Needs the feature gate DRAOptionalNodeOperations.",
  },
  V1SecretVolumeSource: { defaultUser },
  V1ServiceAccountTokenProjection: { user },
  V1TokenRequestSpec: { attestations: "Map<Array<string>> Claims to which the token is to attest." },
  V1VolumeMount: {
    bindMountOptions:
      "Array<string> Options of the mount: noexec, nodev, nosuid. Needs the feature gate VolumeBindMountOptions.",
  },
};

/** Fields that the library has and 1.37 has no more. */
const goneFields: Readonly<Record<string, string>> = {
  V1Device: "nodeAllocatableResourceMappings",
  V1NodeAllocatableResourceClaimStatus: "resources",
};

export function isGone(className: string, field: string): boolean {
  return goneFields[className] === field;
}

/** The new fields of a class that the library has. */
export function newFieldsOf(className: string): readonly OwnField[] {
  return Object.entries(newFields[className] ?? {}).map(([name, text]) => ownField(name, text));
}

/** @returns undefined if this file has no such model */
export function ownFieldsOf(className: string): readonly OwnField[] | undefined {
  const model = ownModels[className];
  return model && Object.entries(model.fields).map(([name, text]) => ownField(name, text));
}

function ownField(name: string, row: string): OwnField {
  const [, type, mark, text] = /^([\w<>]+)(!)?(?: (.*))?$/.exec(row)!;
  const inTypeScript = type!.replace(/^Map<(.+)>$/, "{ [key: string]: $1; }");
  return { name, type: inTypeScript, isRequired: mark !== undefined, text: text ?? "" };
}
