/**
 * The rules of the kinds of storage.k8s.io. Leaves out topologies, limits of sizes, and volumes that are written into a
 * VolumeAttachment. Source: pkg/apis/storage, pkg/registry/storage.
 */
import type {
  CSIDriver,
  CSINode,
  CSINodeDriver,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttachmentSource,
  VolumeAttachmentSpec,
} from "../../values/kinds.ts";
import type { ResourceRequest, Strategy } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { qualifiedNameErrors, subdomainErrors } from "../../values/names.ts";
import { milliOf } from "../../values/quantities.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { among, immutable, invalid, invalidAll, oneOf, required } from "./field-errors.ts";
import { selectorErrors } from "./selector-errors.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
import { DROPPED_OF_CSI_NODE, withoutDroppedFields } from "./dropped-fields.ts";

const RECLAIM_POLICIES = ["Delete", "Retain"];
const BINDING_MODES = ["Immediate", "WaitForFirstConsumer"];
const LIFECYCLE_MODES = ["Persistent", "Ephemeral"];
const GROUP_POLICIES = ["File", "None", "ReadWriteOnceWithFSType"];

function storageClassDefaults(storageClass: StorageClass): StorageClass {
  return {
    ...storageClass,
    reclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
    volumeBindingMode: storageClass.volumeBindingMode ?? "Immediate",
  };
}
export const storageClassStrategy: Strategy<StorageClass> = {
  prepareCreate: storageClassDefaults,
  prepareUpdate: storageClassDefaults,
  validate: (storageClass, current) => [
    ...(current ? [] : newClassErrors(storageClass)),
    ...immutable(["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"], storageClass, current),
  ],
};

function newClassErrors({ provisioner, parameters, reclaimPolicy, volumeBindingMode }: StorageClass): FieldError[] {
  return [
    ...(provisioner
      ? invalidAll(qualifiedNameErrors(provisioner.toLowerCase()), "provisioner", provisioner.toLowerCase())
      : [required("provisioner")]),
    ...("" in (parameters ?? {}) ? [invalid("parameters", "", "field can not be empty.")] : []),
    ...oneOf(reclaimPolicy, RECLAIM_POLICIES, "reclaimPolicy"),
    ...oneOf(volumeBindingMode, BINDING_MODES, "volumeBindingMode"),
  ];
}

function csiDriverDefaults(driver: CSIDriver, { server }: ResourceRequest): CSIDriver {
  const { spec } = driver;
  return {
    ...driver,
    spec: {
      ...spec,
      attachRequired: spec.attachRequired ?? true,
      podInfoOnMount: spec.podInfoOnMount ?? false,
      storageCapacity: spec.storageCapacity ?? false,
      fsGroupPolicy: spec.fsGroupPolicy ?? "ReadWriteOnceWithFSType",
      volumeLifecycleModes: spec.volumeLifecycleModes?.length ? spec.volumeLifecycleModes : ["Persistent"],
      requiresRepublish: spec.requiresRepublish ?? false,
      seLinuxMount: spec.seLinuxMount ?? false,
      ...(!isAhead("more-defaults", server.kubernetes) && {
        preventPodSchedulingIfMissing: spec.preventPodSchedulingIfMissing ?? false,
      }),
    },
  };
}
export const csiDriverStrategy: Strategy<CSIDriver> = {
  prepareCreate: csiDriverDefaults,
  prepareUpdate(driver, current, request) {
    const updated = csiDriverDefaults(driver, request);
    // The generation counts the changes of the spec, but not its creation.
    if (deepEqual(updated.spec, current.spec)) return updated;
    return { ...updated, metadata: { ...updated.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
  },
  validate({ spec }, current, { warnings }) {
    const { tokenRequests = [], serviceAccountTokenInSecrets, volumeLifecycleModes } = spec;
    const isNew = !deepEqual(tokenRequests, current?.spec.tokenRequests ?? []);
    if (isNew && tokenRequests.length > 0 && serviceAccountTokenInSecrets === undefined)
      warnings.add(
        "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
      );
    return [
      ...among(spec, "fsGroupPolicy", GROUP_POLICIES, "spec"),
      ...volumeLifecycleModes!.flatMap((mode) => oneOf(mode, LIFECYCLE_MODES, "spec.volumeLifecycleModes")),
      // Upstream quirk: the text names a field that there is not.
      ...immutable(["attachRequired"], spec, current?.spec, "spec").map((error) => ({
        ...error,
        field: "spec.attachedRequired",
      })),
      ...immutable(["volumeLifecycleModes"], spec, current?.spec, "spec"),
    ];
  },
};

export const csiNodeStrategy: Strategy<CSINode> = {
  prepareSubresourceUpdate: (node, current, { server }) =>
    withoutDroppedFields(DROPPED_OF_CSI_NODE, node, current, server),
  validate({ spec }, current) {
    const drivers = spec.drivers ?? [];
    return [...drivers.flatMap(driverErrors), ...driverChangeErrors(drivers, current?.spec.drivers ?? [])];
  },
};

function driverErrors(driver: CSINodeDriver, index: number, drivers: readonly CSINodeDriver[]): FieldError[] {
  const { name, nodeID } = driver;
  const field = `spec.drivers[${index}]`;
  const isRepeated = drivers.findIndex((other) => other.name === name) < index;
  return [
    ...(name ? invalidAll(subdomainErrors(name), `${field}.name`, name) : [required(`${field}.name`)]),
    ...(nodeID ? [] : [required(`${field}.nodeID`)]),
    ...(isRepeated ? [{ kind: "Duplicate", field: `${field}.name`, value: name } as const] : []),
  ];
}

/** A node's limit for a driver's volumes may change, and nothing else of the driver. */
function driverChangeErrors(drivers: readonly CSINodeDriver[], before: readonly CSINodeDriver[]): FieldError[] {
  return before.flatMap((known) => {
    const driver = drivers.find(({ name }) => name === known.name);
    if (!driver || deepEqual(internalDriver(driver), internalDriver(known))) return [];
    return [invalid("spec.drivers", internalDriver(driver), "field is immutable")];
  });
}

/** Printed as upstream's internal type, whose members begin with capitals and are all printed. */
function internalDriver({ name, nodeID, topologyKeys }: CSINodeDriver): object {
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys ?? null, Allocatable: null };
}

export const csiStorageCapacityStrategy: Strategy<CSIStorageCapacity> = {
  validate(object, current) {
    const { nodeTopology, storageClassName, capacity } = object;
    return [
      ...selectorErrors(nodeTopology ?? {}, "nodeTopology"),
      ...invalidAll(subdomainErrors(storageClassName), "storageClassName", storageClassName),
      ...(capacity !== undefined && milliOf(capacity) < 0n
        ? [invalid("capacity", capacity, "must be greater than or equal to 0")]
        : []),
      ...immutable(["nodeTopology", "storageClassName"], object, current),
    ];
  },
};

export const volumeAttachmentStrategy: Strategy<VolumeAttachment> = {
  validate: ({ spec }, current) => [
    ...(spec.attacher
      ? invalidAll(subdomainErrors(spec.attacher), "spec.attacher", spec.attacher)
      : [required("spec.attacher")]),
    ...attachedErrors(spec.source ?? {}),
    ...invalidAll(subdomainErrors(spec.nodeName), "spec.nodeName", spec.nodeName),
    ...(current && !deepEqual(spec, current.spec)
      ? [invalid("spec", internalAttachment(spec), "field is immutable")]
      : []),
  ],
};

function attachedErrors({ inlineVolumeSpec, persistentVolumeName }: VolumeAttachmentSource): FieldError[] {
  const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) return [required("spec.source", detail)];
  if (inlineVolumeSpec === undefined || persistentVolumeName === undefined) return [];
  return [{ kind: "Forbidden", field: "spec.source", detail }];
}

function internalAttachment({ attacher, source = {}, nodeName }: VolumeAttachmentSpec): object {
  const { persistentVolumeName, inlineVolumeSpec } = source;
  return {
    Attacher: attacher,
    Source: { PersistentVolumeName: persistentVolumeName ?? null, InlineVolumeSpec: inlineVolumeSpec ?? null },
    NodeName: nodeName,
  };
}
