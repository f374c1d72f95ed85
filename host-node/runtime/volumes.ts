/**
 * Makes the volumes of a pod as directories of this machine. emptyDir, ConfigMap, Secret, downward API and projected
 * volumes get a directory each; hostPath is the path that it names, and a claim the folder of its volume.
 *
 * Invariant: no name in a pod leads out of the pod's own directory, except hostPath, which the user must allow, and
 * claims. Files of ConfigMaps and Secrets exist before the first container starts, and are mounted read-only. They do
 * not change when the object changes.
 */
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { VolumeFile, VolumeFiles } from "../../cluster/kubelet/container-runtime.ts";
import { type ContainerUser, giveTo } from "./container-user.ts";
import { HOST_PATH_REFUSAL, type HostPath, openHostPath } from "./host-paths.ts";
import { isWithin } from "./visible-files.ts";
import type { PersistentVolume, Pod, Volume as KubeVolume } from "../../cluster/values/kinds.ts";

export interface Volume {
  readonly path: string;
  /** Mounted read-only, even if the volumeMount of a container says otherwise. */
  readonly readOnly: boolean;
  /** No container can write to it. So no link in it leads elsewhere, and its parts can be mounted. */
  readonly isMadeOfObjects: boolean;
}

export interface VolumeOptions {
  /** An existing directory, in which the volumes are made. */
  readonly directory: string;
  readonly user: ContainerUser | undefined;
  readonly allowHostPath: boolean;
  /** Undefined: claims are left out, too. */
  readonly claims: ClaimedVolumes | undefined;
}

/** Finds the volumes of claims. */
export interface ClaimedVolumes {
  /** The PersistentVolume that a claim is bound to. @throws Error that says why there is none */
  find(namespace: string, claimName: string): PersistentVolume;
  /** Whether the path is a folder that was made for a volume. */
  isOurs(path: string): boolean;
}

/**
 * Volumes of other kinds are left out: `unsupported` names them.
 * @throws Error that says which volume cannot be made, and why
 */
export function makeVolumes(pod: Pod, files: VolumeFiles, options: VolumeOptions): ReadonlyMap<string, Volume> {
  const made = new Map<string, Volume>();
  for (const volume of pod.spec.volumes ?? []) {
    const name: string = volume.name;
    try {
      const path = makeVolume(volume, pod.metadata.namespace!, files.get(name), options);
      if (path !== undefined)
        made.set(name, { path, readOnly: isReadOnly(volume), isMadeOfObjects: isMadeOfObjects(volume) });
    } catch (error) {
      throw new Error(`volume "${name}": ${(error as Error).message}`);
    }
  }
  return made;
}

function isReadOnly(volume: KubeVolume): boolean {
  return volume.persistentVolumeClaim?.readOnly === true || isMadeOfObjects(volume);
}

/** Its files are made here, and are mounted read-only. */
export function isMadeOfObjects(volume: KubeVolume): boolean {
  return (["configMap", "secret", "projected", "downwardAPI"] as const).some((source) => volume[source] !== undefined);
}

function makeVolume(
  volume: KubeVolume,
  namespace: string,
  files: readonly VolumeFile[] | undefined,
  options: VolumeOptions,
): string | undefined {
  if (volume.hostPath !== undefined) return openAllowed(volume.hostPath, options);
  if (volume.persistentVolumeClaim !== undefined && options.claims !== undefined)
    return openClaim(options.claims.find(namespace, volume.persistentVolumeClaim.claimName), options.claims, options);
  if (volume.emptyDir === undefined && !isMadeOfObjects(volume)) return undefined;
  const path = join(options.directory, volume.name);
  mkdirSync(path, { mode: 0o700 });
  for (const file of files ?? []) writeFile(path, file, options.user);
  giveTo(options.user, path);
  return path;
}

function openAllowed(hostPath: HostPath, { allowHostPath, user }: VolumeOptions): string {
  if (!allowHostPath) throw new Error(`hostPath is refused: ${HOST_PATH_REFUSAL}`);
  return openHostPath(hostPath, user);
}

function openClaim({ metadata, spec }: PersistentVolume, claims: ClaimedVolumes, options: VolumeOptions): string {
  const hostPath: HostPath | undefined = spec.hostPath;
  if (hostPath === undefined)
    throw new Error(`PersistentVolume ${metadata.name} is of a kind that cannot be mounted; allowed is hostPath`);
  return claims.isOurs(hostPath.path) ? hostPath.path : openAllowed(hostPath, options);
}

function writeFile(directory: string, { path, bytes, mode }: VolumeFile, user: ContainerUser | undefined): void {
  const file = join(directory, path);
  if (file === directory || !isWithin(file, directory))
    throw new Error(`the path ${JSON.stringify(path)} leads out of it`);
  makeFolders(dirname(file), directory, user);
  writeFileSync(file, bytes, { flag: "wx" });
  // Not as an option of the write, which the umask would change.
  chmodSync(file, mode);
  giveTo(user, file);
}

/** The folders between a volume and one of its files. */
function makeFolders(folder: string, volume: string, user: ContainerUser | undefined): void {
  if (folder === volume || statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeFolders(dirname(folder), volume, user);
  mkdirSync(folder, { mode: 0o755 });
  giveTo(user, folder);
}
