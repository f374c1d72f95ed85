/**
 * Binds PersistentVolumeClaims to PersistentVolumes, and is the provisioner of the StorageClass `standard`, the default
 * one, which it makes when it starts: each volume is a folder. A volume with the policy Delete goes with its claim.
 *
 * Invariant: one pass over a claim or a volume makes at most one write; the watch brings the next pass. Leaves out
 * waiting for the first consumer (volumes are made at once), block volumes, resizing, snapshots, the policy Recycle,
 * and the finalizers that keep what is in use. Source: pkg/controller/volume/persistentvolume.
 */
import { deepEqual } from "../../values/json.ts";
import {
  type ApiResource,
  CLAIMS,
  resourcePath,
  STORAGE_CLASSES,
  VOLUMES,
  type WriteResult,
} from "../../client/client.ts";
import { collectionKey, type ControllerOptions } from "../../client/collections.ts";
import type { EventRecorder, EventType } from "../../client/event-recorder.ts";
import type { ObjectReference, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import type { Part } from "../../client/part.ts";
import { type ControllerTools, type Done, keyedController, type KeyedWork } from "../keyed-controller.ts";
import { isMeantFor, storageClassOf, volumeFor } from "./claim-match.ts";
import { namesOnly, type VolumeFolders } from "./volume-folders.ts";

const COMPONENT = "persistentvolume-controller";
export const PROVISIONER = "stint.dev/local-folder";
const SETTINGS = { userAgent: COMPONENT, watched: [CLAIMS, VOLUMES, STORAGE_CLASSES] };
/** After a conflict there is a newer state, which the watch delivers. */
const EXPECTED = [404, 409];

const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** The annotations that ask a provisioner for a claim's volume. Old provisioners read the first. */
const ASKED_PROVISIONER = ["volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner"];

const STANDARD = {
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: PROVISIONER,
};

/**
 * Its keys are claims, `namespace/name`, and volumes, the name.
 *
 * @param folders the folders of the data; only names unless given
 */
export function volumeController(options: ControllerOptions, folders: VolumeFolders = namesOnly): Part {
  return keyedController(options, SETTINGS, (tools) => new VolumeSync(tools, folders));
}

class VolumeSync implements KeyedWork {
  readonly #tools: ControllerTools;
  readonly #folders: VolumeFolders;
  readonly #events: EventRecorder;
  readonly #provisionerEvents: EventRecorder;

  constructor(tools: ControllerTools, folders: VolumeFolders) {
    this.#tools = tools;
    this.#folders = folders;
    this.#events = tools.eventsOf(COMPONENT);
    this.#provisionerEvents = tools.eventsOf(PROVISIONER);
  }

  started(): void {
    const { client, report } = this.#tools;
    client.create(resourcePath(STORAGE_CLASSES), STANDARD, (result) => {
      if (!result.ok && result.error.status !== 409) report(result.error);
    });
  }

  /** Waiting claims are few, and any change may be what they wait for, so all of them are synced. */
  changed(resource: ApiResource, object: TypedObject): void {
    if (resource !== STORAGE_CLASSES) this.#tools.queue.add(collectionKey(object));
    if (resource === CLAIMS) {
      for (const volume of this.#tools.known.list(VOLUMES))
        if (isMeantFor(volume, object)) this.#tools.queue.add(collectionKey(volume));
      return;
    }
    const waits = ({ spec, status }: PersistentVolumeClaim): boolean =>
      status?.phase === "Pending" || (resource === VOLUMES && spec.volumeName === object.metadata.name);
    for (const claim of this.#tools.known.list(CLAIMS)) if (waits(claim)) this.#tools.queue.add(collectionKey(claim));
  }

  sync(key: string, done: Done): void {
    if (key.includes("/")) this.#syncClaim(key, done);
    else this.#syncVolume(key, done);
  }

  // Claims.

  #syncClaim(key: string, done: Done): void {
    const claim = this.#tools.known.get(CLAIMS, key);
    if (claim === undefined) done("done");
    else if (claim.spec.volumeName) this.#syncNamed(claim, done);
    else if (claim.metadata.deletionTimestamp) done("done");
    else this.#syncUnbound(claim, done);
  }

  /** Syncs a claim that names its volume. */
  #syncNamed(claim: PersistentVolumeClaim, done: Done): void {
    const volume = this.#tools.known.get(VOLUMES, claim.spec.volumeName!);
    const isBound = claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
    if (volume === undefined || (volume.spec.claimRef && !isMeantFor(volume, claim))) {
      if (isBound) this.#lose(claim, volume, done);
      else done("done");
    } else if (!volume.spec.claimRef?.uid) {
      this.#reserve(volume, claim, done);
    } else if (!isBound) {
      this.#update(CLAIMS, annotated(claim, { [BIND_COMPLETED]: "yes" }), done);
    } else {
      const { accessModes, capacity } = volume.spec;
      this.#setStatus(CLAIMS, claim, { phase: "Bound", accessModes, capacity }, done);
    }
  }

  #lose(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined, done: Done): void {
    if (claim.status?.phase === "Lost") {
      done("done");
      return;
    }
    if (volume === undefined)
      this.#event(
        claim,
        "Warning",
        "ClaimLost",
        "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
      );
    else
      this.#event(
        ...([claim, "Warning", "ClaimMisbound"] as const),
        "Two claims are bound to the same volume, this one is bound incorrectly",
      );
    this.#setStatus(CLAIMS, claim, { phase: "Lost" }, done);
  }

  #syncUnbound(claim: PersistentVolumeClaim, done: Done): void {
    const volume = volumeFor(claim, this.#tools.known.list(VOLUMES));
    if (volume === undefined) this.#askForVolume(claim, done);
    else if (!volume.spec.claimRef?.uid) this.#reserve(volume, claim, done);
    else {
      const bound = annotated(claim, { [BIND_COMPLETED]: "yes", [BOUND_BY_CONTROLLER]: "yes" });
      this.#update(CLAIMS, { ...bound, spec: { ...claim.spec, volumeName: volume.metadata.name } }, done);
    }
  }

  /** From now on the volume is this claim's. */
  #reserve(volume: PersistentVolume, claim: PersistentVolumeClaim, done: Done): void {
    const reserved = volume.spec.claimRef ? volume : annotated(volume, { [BOUND_BY_CONTROLLER]: "yes" });
    this.#update(VOLUMES, { ...reserved, spec: { ...volume.spec, claimRef: referenceTo(claim) } }, done);
  }

  #askForVolume(claim: PersistentVolumeClaim, done: Done): void {
    const className = storageClassOf(claim);
    const storageClass = this.#tools.known.get(STORAGE_CLASSES, className);
    if (className === "") {
      const why = "no persistent volumes available for this claim and no storage class is set";
      this.#event(claim, "Normal", "FailedBinding", why);
      done("done");
    } else if (storageClass === undefined) {
      const why = `storageclass.storage.k8s.io ${JSON.stringify(className)} not found`;
      this.#event(claim, "Warning", "ProvisioningFailed", why);
      done("done");
    } else if (claim.metadata.annotations?.[ASKED_PROVISIONER[1]!] !== storageClass.provisioner) {
      const provisioner: string = storageClass.provisioner;
      this.#event(
        ...([claim, "Normal", "ExternalProvisioning"] as const),
        `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
      );
      const asked = Object.fromEntries(ASKED_PROVISIONER.map((name) => [name, provisioner]));
      this.#update(CLAIMS, annotated(claim, asked), done);
    } else if (storageClass.provisioner === PROVISIONER) this.#provision(claim, storageClass, done);
    else done("done");
  }

  #provision(claim: PersistentVolumeClaim, storageClass: StorageClass, done: Done): void {
    const { uid, namespace, name: claimName } = claim.metadata;
    const name = `pvc-${uid}`;
    this.#provisionerEvent(
      ...([claim, "Normal", "Provisioning"] as const),
      `External provisioner is provisioning volume for claim ${JSON.stringify(`${namespace}/${claimName}`)}`,
    );
    try {
      if (claim.spec.volumeMode === "Block")
        throw new Error("volumeMode Block is not supported; allowed is Filesystem");
      const volume = volumeAt(this.#folders.make(name), name, claim, storageClass);
      this.#tools.client.create(resourcePath(VOLUMES), volume, (result) => {
        if (result.ok)
          this.#provisionerEvent(claim, "Normal", "ProvisioningSucceeded", `Successfully provisioned volume ${name}`);
        // Conflict: it is there, and the watch will show it.
        done(this.#tools.outcome(result, EXPECTED));
      });
    } catch (error) {
      const what = `failed to provision volume with StorageClass ${JSON.stringify(storageClass.metadata.name)}`;
      this.#provisionerEvent(claim, "Warning", "ProvisioningFailed", `${what}: ${(error as Error).message}`);
      done("failed");
    }
  }

  // Volumes.

  #syncVolume(name: string, done: Done): void {
    const volume = this.#tools.known.get(VOLUMES, name);
    if (volume === undefined) {
      done("done");
      return;
    }
    const { claimRef } = volume.spec;
    if (!claimRef?.uid) {
      this.#setStatus(VOLUMES, volume, { phase: "Available" }, done);
      return;
    }
    const claim = this.#tools.known.get(CLAIMS, `${claimRef.namespace}/${claimRef.name}`);
    if (claim?.metadata.uid !== claimRef.uid) this.#reclaim(volume, done);
    else if (claim!.spec.volumeName === name) this.#setStatus(VOLUMES, volume, { phase: "Bound" }, done);
    else {
      this.#tools.queue.add(collectionKey(claim!));
      done("done");
    }
  }

  /** The claim is gone. Only volumes that this controller made are removed. */
  #reclaim(volume: PersistentVolume, done: Done): void {
    const { name } = volume.metadata;
    const phase: string | undefined = volume.status?.phase;
    if (phase !== "Released" && phase !== "Failed") {
      this.#setStatus(VOLUMES, volume, { phase: "Released" }, done);
      return;
    }
    if (volume.spec.persistentVolumeReclaimPolicy !== "Delete" || !isMadeHere(volume)) {
      done("done");
      return;
    }
    try {
      this.#folders.remove(name);
    } catch (error) {
      this.#provisionerEvent(volume, "Warning", "VolumeFailedDelete", (error as Error).message);
      done("failed");
      return;
    }
    this.#tools.client.delete(resourcePath(VOLUMES, undefined, name), {}, this.#ended(done));
  }

  // Writes.

  #update<T extends TypedObject>(resource: ApiResource<T>, object: T, done: Done): void {
    const { namespace, name } = object.metadata;
    this.#tools.client.update(resourcePath(resource, namespace, name), object, this.#ended(done));
  }

  #setStatus(
    resource: ApiResource,
    object: PersistentVolumeClaim | PersistentVolume,
    wanted: object,
    done: Done,
  ): void {
    const { namespace, name } = object.metadata;
    const status = { ...object.status, ...wanted };
    if (deepEqual(status, object.status)) {
      done("done");
      return;
    }
    const path = resourcePath(resource, namespace, name, "status");
    this.#tools.client.update(path, { ...object, status }, this.#ended(done));
  }

  #ended(done: Done): (result: WriteResult) => void {
    return (result) => done(this.#tools.outcome(result, EXPECTED));
  }

  #event(object: TypedObject, type: EventType, reason: string, message: string): void {
    this.#events.record({ apiVersion: "v1", kind: kindOf(object), object }, type, reason, message);
  }

  #provisionerEvent(object: TypedObject, type: EventType, reason: string, message: string): void {
    this.#provisionerEvents.record({ apiVersion: "v1", kind: kindOf(object), object }, type, reason, message);
  }
}

function kindOf({ metadata }: TypedObject): string {
  return metadata.namespace === undefined ? VOLUMES.kind : CLAIMS.kind;
}

function annotated<T extends TypedObject>(object: T, annotations: Readonly<Record<string, string>>): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

function referenceTo({ metadata: { namespace, name, uid, resourceVersion } }: TypedObject): ObjectReference {
  return { kind: CLAIMS.kind, namespace: namespace!, name, uid, apiVersion: CLAIMS.apiVersion, resourceVersion };
}

/** Whether the controller has made this volume, with its folder. */
export function isMadeHere({ metadata }: TypedObject): boolean {
  return metadata.annotations?.[PROVISIONED_BY] === PROVISIONER;
}

/** A volume in this folder, for this claim. */
function volumeAt(path: string, name: string, claim: PersistentVolumeClaim, storageClass: StorageClass): object {
  const { accessModes, resources, volumeMode } = claim.spec;
  return {
    metadata: { name, annotations: { [PROVISIONED_BY]: PROVISIONER } },
    spec: {
      capacity: { storage: resources.requests!.storage },
      hostPath: { path, type: "" },
      accessModes,
      claimRef: referenceTo(claim),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy,
      storageClassName: storageClass.metadata.name,
      volumeMode,
    },
  };
}
