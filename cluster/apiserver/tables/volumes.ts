/** The tables of volumes, claims, and the kinds of storage.k8s.io. */
import type {
  CSIDriver,
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from "../../values/kinds.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
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

const storageClasses: TableDefinition<StorageClass> = {
  columns: [
    column("Name"),
    column("Provisioner"),
    column("ReclaimPolicy"),
    column("VolumeBindingMode"),
    column("AllowVolumeExpansion"),
    column("Age"),
  ],
  cells(storageClass, nowMs) {
    return [
      storageClass.metadata.name,
      storageClass.provisioner,
      storageClass.reclaimPolicy ?? "Delete",
      storageClass.volumeBindingMode ?? "Immediate",
      storageClass.allowVolumeExpansion ?? false,
      age(storageClass, nowMs),
    ];
  },
};

/** A list names the default class, the newest of those that say so; before 1.37 every one that says so has the mark. */
export const storageClassTable: TableDefinition<StorageClass> = {
  ...storageClasses,
  printed(list, kubernetes) {
    const marked = isAhead("one-default-class", kubernetes) ? isDefault : ofName(newestDefault(list));
    return {
      ...storageClasses,
      cells(storageClass, nowMs) {
        const [name, ...others] = storageClasses.cells(storageClass, nowMs);
        return [marked(storageClass) ? `${String(name)} (default)` : name!, ...others];
      },
    };
  },
};

function isDefault({ metadata: { annotations = {} } }: StorageClass): boolean {
  return DEFAULT_ANNOTATIONS.some((annotation) => annotations[annotation] === "true");
}

function ofName(name: string | undefined): (storageClass: StorageClass) => boolean {
  return ({ metadata }) => metadata.name === name;
}

/** The name of it; of two that are as old, the one that is first in the alphabet. */
function newestDefault(list: readonly StorageClass[]): string | undefined {
  let newest: StorageClass["metadata"] | undefined;
  for (const { metadata } of list.filter(isDefault)) {
    const age = Date.parse(metadata.creationTimestamp) - Date.parse(newest?.creationTimestamp ?? "");
    if (newest === undefined || age > 0 || (age === 0 && metadata.name < newest.name)) newest = metadata;
  }
  return newest?.name;
}

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
