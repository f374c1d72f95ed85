/**
 * The volumes of a pod as an engine has them. emptyDir, ConfigMap, Secret and projected volumes become volumes of the
 * engine, with the files in an archive that the engine unpacks. So Secrets lie in no folder of Stint's, and files that
 * containers write as other users can be removed. hostPath and claims are folders of this machine.
 *
 * Invariant: no name in a pod leads out of its volume, except hostPath, which the user must allow, and claims.
 */
import type { VolumeFile, VolumeFiles } from "../../../cluster/kubelet/container-runtime.ts";
import { milliOf } from "../../../cluster/values/quantities.ts";
import { HOST_PATH_REFUSAL, type HostPath, openHostPath } from "../host-paths.ts";
import type { ClaimedVolumes } from "../volumes.ts";
import type { ArchiveEntry } from "./tar-archive.ts";
import type { EmptyDirVolumeSource, Pod, Volume } from "../../../cluster/values/kinds.ts";

/** Where the container that holds a pod's volumes has them while they are filled. */
const FILLING_FOLDER = "volumes";
const VOLUME_MODE = 0o777;
const FOLDER_MODE = 0o755;
/** Files belong to the group of the pod, which may read them. */
const SET_GROUP_ID = 0o2000;
const GROUP_READS = 0o040;

export interface PodVolume {
  readonly type: "volume" | "bind";
  /** The name of the volume, or the path. */
  readonly source: string;
  readonly readOnly: boolean;
  /**
   * The files and folders in it that can be mounted alone. Undefined: none, because containers can write to the volume,
   * and a link in it could lead elsewhere.
   */
  readonly parts?: ReadonlySet<string>;
}

/** A volume for the engine to create. */
export interface MadeVolume {
  readonly name: string;
  /** Of the engine's driver `local`. */
  readonly options: Readonly<Record<string, string>>;
  /** Where it is mounted to be filled. */
  readonly fillingPath: string;
  readonly entries: readonly ArchiveEntry[];
}

export interface PodVolumes {
  /** By the names in the pod. */
  readonly byName: ReadonlyMap<string, PodVolume>;
  readonly made: readonly MadeVolume[];
}

export interface PodVolumesOptions {
  /** The prefix of the names of the volumes that are made. */
  readonly prefix: string;
  readonly allowHostPath: boolean;
  /** Whether the engine gives volumes in memory a size. */
  readonly hasMemorySizes: boolean;
  /** Undefined: claims are left out. */
  readonly claims: ClaimedVolumes | undefined;
}

/**
 * Volumes of other kinds are left out: `unsupported` names them.
 * @throws Error that says which cannot be made, and why
 */
export function podVolumes(pod: Pod, files: VolumeFiles, options: PodVolumesOptions): PodVolumes {
  const byName = new Map<string, PodVolume>();
  const made: MadeVolume[] = [];
  const groupId: number | undefined = pod.spec.securityContext?.fsGroup;
  for (const volume of pod.spec.volumes ?? []) {
    const name: string = volume.name;
    try {
      const folder = folderOf(volume, pod.metadata.namespace!, options);
      if (folder !== undefined) {
        byName.set(name, { type: "bind", ...folder });
        continue;
      }
      const isOfFiles = (["configMap", "secret", "projected"] as const).some((source) => volume[source] !== undefined);
      if (!isOfFiles && volume.emptyDir === undefined) continue;
      const source = `${options.prefix}-${name}`;
      const fillingPath = `${FILLING_FOLDER}/${made.length}`;
      const entries = entriesOf(fillingPath, isOfFiles ? FOLDER_MODE : VOLUME_MODE, files.get(name) ?? [], groupId);
      const parts = new Set(entries.map(({ path }) => path.slice(fillingPath.length + 1)));
      byName.set(name, { type: "volume", source, readOnly: isOfFiles, ...(isOfFiles && { parts }) });
      made.push({ name: source, fillingPath, options: memoryOptions(volume.emptyDir, options), entries });
    } catch (error) {
      throw new Error(`volume ${JSON.stringify(name)}: ${(error as Error).message}`);
    }
  }
  return { byName, made };
}

function folderOf(
  { hostPath, persistentVolumeClaim: claim }: Volume,
  namespace: string,
  { allowHostPath, claims }: PodVolumesOptions,
): Omit<PodVolume, "type"> | undefined {
  const open = (path: HostPath): string => {
    if (!allowHostPath) throw new Error(`hostPath is refused: ${HOST_PATH_REFUSAL}`);
    return openHostPath(path, undefined);
  };
  if (hostPath !== undefined) return { source: open(hostPath), readOnly: false };
  if (claim === undefined || claims === undefined) return undefined;
  const { metadata, spec } = claims.find(namespace, claim.claimName);
  if (spec.hostPath === undefined)
    throw new Error(`PersistentVolume ${metadata.name} is of a kind that cannot be mounted; allowed is hostPath`);
  const source = claims.isOurs(spec.hostPath.path) ? spec.hostPath.path : open(spec.hostPath);
  return { source, readOnly: claim.readOnly === true };
}

function memoryOptions(
  emptyDir: EmptyDirVolumeSource | undefined,
  { hasMemorySizes }: PodVolumesOptions,
): Record<string, string> {
  if (emptyDir?.medium !== "Memory") return {};
  const { sizeLimit } = emptyDir;
  const limit = sizeLimit === undefined || !hasMemorySizes ? "" : `,size=${milliOf(String(sizeLimit)) / 1000n}`;
  return { type: "tmpfs", device: "tmpfs", o: `mode=1777${limit}` };
}

function entriesOf(
  root: string,
  rootMode: number,
  files: readonly VolumeFile[],
  groupId: number | undefined,
): ArchiveEntry[] {
  const group = groupId === undefined ? {} : { groupId };
  const folderBits = groupId === undefined ? 0 : SET_GROUP_ID;
  const folders = new Set<string>();
  for (const { path } of files) {
    const parts = path.split("/");
    if (parts.includes("..")) throw new Error(`the path ${JSON.stringify(path)} leads out of it`);
    for (let depth = 1; depth < parts.length; depth++) folders.add(parts.slice(0, depth).join("/"));
  }
  return [
    { path: root, mode: rootMode | folderBits, ...group },
    ...[...folders].map((path) => ({ path: `${root}/${path}`, mode: FOLDER_MODE | folderBits, ...group })),
    ...files.map(({ path, bytes, mode }) => ({
      path: `${root}/${path}`,
      mode: groupId === undefined ? mode : mode | GROUP_READS,
      bytes,
      ...group,
    })),
  ];
}
