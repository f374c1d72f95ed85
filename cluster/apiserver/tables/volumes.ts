/** The tables of volumes, claims, and the kinds of storage.k8s.io. */
import type {
  CSIDriver,
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from "../../values/kinds.ts";
import { phaseOf } from "./cells.ts";
import { age } from "./duration.ts";
import { column, type TableDefinition, wide } from "./table.ts";

const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
const DEFAULT_ANNOTATIONS = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];
const ACCESS_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function accessModes(modes: readonly string[] = []): string {
  return Object.keys(ACCESS_MODES)
    .filter((mode) => modes.includes(mode))
    .map((mode) => ACCESS_MODES[mode])
    .join(",");
}

function classOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? "";
}

export const persistentVolumeTable: TableDefinition<PersistentVolume> = {
  columns: [
    column("Name"),
    column("Capacity"),
    column("Access Modes"),
    column("Reclaim Policy"),
    column("Status"),
    column("Claim"),
    column("StorageClass"),
    column("VolumeAttributesClass"),
    column("Reason"),
    column("Age"),
    wide("VolumeMode"),
  ],
  cells(volume, nowMs) {
    const { spec, status = {} } = volume;
    const { claimRef } = spec;
    return [
      volume.metadata.name,
      spec.capacity?.storage ?? "0",
      accessModes(spec.accessModes),
      spec.persistentVolumeReclaimPolicy ?? "",
      phaseOf(volume),
      claimRef ? `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}` : "",
      classOf(volume),
      spec.volumeAttributesClassName ?? "<unset>",
      status.reason ?? "",
      age(volume, nowMs),
      spec.volumeMode ?? "<unset>",
    ];
  },
};

export const persistentVolumeClaimTable: TableDefinition<PersistentVolumeClaim> = {
  columns: [
    column("Name"),
    column("Status"),
    column("Volume"),
    column("Capacity"),
    column("Access Modes"),
    column("StorageClass"),
    column("VolumeAttributesClass"),
    column("Age"),
    wide("VolumeMode"),
  ],
  cells(claim, nowMs) {
    const { spec, status = {} } = claim;
    const isBound = Boolean(spec.volumeName);
    return [
      claim.metadata.name,
      phaseOf(claim),
      spec.volumeName ?? "",
      isBound ? (status.capacity?.storage ?? "0") : "",
      isBound ? accessModes(status.accessModes) : "",
      classOf(claim),
      spec.volumeAttributesClassName ?? "<unset>",
      age(claim, nowMs),
      spec.volumeMode ?? "<unset>",
    ];
  },
};

export const storageClassTable: TableDefinition<StorageClass> = {
  columns: [
    column("Name"),
    column("Provisioner"),
    column("ReclaimPolicy"),
    column("VolumeBindingMode"),
    column("AllowVolumeExpansion"),
    column("Age"),
  ],
  cells(storageClass, nowMs) {
    const { name, annotations = {} } = storageClass.metadata;
    const isDefault = DEFAULT_ANNOTATIONS.some((annotation) => annotations[annotation] === "true");
    return [
      isDefault ? `${name} (default)` : name,
      storageClass.provisioner,
      storageClass.reclaimPolicy ?? "Delete",
      storageClass.volumeBindingMode ?? "Immediate",
      storageClass.allowVolumeExpansion ?? false,
      age(storageClass, nowMs),
    ];
  },
};

export const volumeAttachmentTable: TableDefinition<VolumeAttachment> = {
  columns: [
    column("Name"),
    column("Attacher", { format: "name" }),
    column("PV"),
    column("Node"),
    column("Attached", { type: "boolean" }),
    column("Age"),
  ],
  cells(attachment, nowMs) {
    const { attacher, source, nodeName } = attachment.spec;
    return [
      attachment.metadata.name,
      attacher,
      source?.persistentVolumeName ?? "",
      nodeName,
      attachment.status?.attached ?? false,
      age(attachment, nowMs),
    ];
  },
};

export const csiNodeTable: TableDefinition<CSINode> = {
  columns: [column("Name"), column("Drivers", { type: "integer" }), column("Age")],
  cells: (node, nowMs) => [node.metadata.name, node.spec?.drivers?.length ?? 0, age(node, nowMs)],
};

export const csiDriverTable: TableDefinition<CSIDriver> = {
  columns: [
    column("Name"),
    column("AttachRequired", { type: "boolean" }),
    column("PodInfoOnMount", { type: "boolean" }),
    column("StorageCapacity", { type: "boolean" }),
    column("TokenRequests"),
    column("RequiresRepublish", { type: "boolean" }),
    column("Modes"),
    column("Age"),
  ],
  cells(driver, nowMs) {
    const { spec } = driver;
    const requests = spec.tokenRequests;
    return [
      driver.metadata.name,
      spec.attachRequired ?? true,
      spec.podInfoOnMount ?? false,
      spec.storageCapacity ?? false,
      requests?.map(({ audience }) => audience).join(",") ?? "<unset>",
      spec.requiresRepublish ?? false,
      (spec.volumeLifecycleModes ?? []).join(",") || "<none>",
      age(driver, nowMs),
    ];
  },
};
