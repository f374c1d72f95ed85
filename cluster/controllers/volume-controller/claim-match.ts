/**
 * Which PersistentVolume a claim gets: pure functions over both. Source: pkg/volume/util and
 * staging/src/k8s.io/component-helpers/storage/volume (FindMatchingVolume).
 */
import { milliOf } from "../../values/quantities.ts";
import { matchesLabels } from "../../values/label-selector.ts";
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";

const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

/** The name of the StorageClass of a claim or a volume; "": none. */
export function storageClassOf({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? "";
}

/** Whether the volume is reserved for this claim: by uid, or by name if the volume has no uid yet. */
export function isMeantFor({ spec: { claimRef } }: PersistentVolume, { metadata }: TypedObject): boolean {
  return (
    claimRef?.name === metadata.name &&
    claimRef.namespace === metadata.namespace &&
    (!claimRef.uid || claimRef.uid === metadata.uid)
  );
}

/** The volume that names this claim, else the smallest free one that meets the claim's request. */
export function volumeFor(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const { selector } = claim.spec;
  const wanted = requestOf(claim);
  const fits = volumes.filter(({ metadata, spec }) => !metadata.deletionTimestamp && haveSameKind(claim, spec));
  const meant = fits.find((volume) => isMeantFor(volume, claim));
  if (meant !== undefined) return meant;
  return fits
    .filter(({ spec, status }) => !spec.claimRef && status?.phase === "Available")
    .filter((volume) => storageClassOf(volume) === storageClassOf(claim))
    .filter(({ metadata }) => selector === undefined || matchesLabels(selector, metadata.labels))
    .filter((volume) => sizeOf(volume) >= wanted)
    .toSorted((a, b) => Number(sizeOf(a) - sizeOf(b)))[0];
}

function haveSameKind({ spec: claim }: PersistentVolumeClaim, volume: PersistentVolumeSpec): boolean {
  const modes: string[] = claim.accessModes ?? [];
  return (
    (claim.volumeMode ?? "Filesystem") === (volume.volumeMode ?? "Filesystem") &&
    modes.every((mode) => (volume.accessModes ?? []).includes(mode))
  );
}

const sizeOf = ({ spec }: PersistentVolume): bigint => milliOf(spec.capacity?.storage ?? "0");
const requestOf = ({ spec }: PersistentVolumeClaim): bigint => milliOf(spec.resources?.requests?.storage ?? "0");
