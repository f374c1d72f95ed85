/**
 * hostPath volumes: which paths of this machine can be mounted, by Kubernetes' types.
 *
 * Invariant: the same rules decide before a run which volume could never be mounted, and at the start of a pod whether
 * it is. Leaves out devices, which bubblewrap closes.
 */
import { accessSync, constants, mkdirSync, type Stats, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import type { UnsupportedField } from "../../cluster/kubelet/container-runtime.ts";
import { readProblem } from "../usage-error.ts";
import { canEnter, canReach, canWriteTo, type ContainerUser } from "./container-user.ts";
import { isWithin } from "./visible-files.ts";
import type { Pod } from "../../cluster/values/kinds.ts";

export interface HostPath {
  readonly path: string;
  readonly type?: string;
}

export interface HostPathProblem {
  readonly field: "path" | "type";
  readonly why: string;
  /** What to do, if that is known. */
  readonly advice?: string;
  /** The path does not exist yet, and other pods may create it. */
  readonly isAbsence?: boolean;
}

interface HostPathType {
  readonly kind: string;
  /** What to do if the path does not exist. */
  readonly advice?: string;
  accepts(found: Stats): boolean;
  create?(path: string): void;
  /** Also creates the folders above it. */
  readonly makesFolders?: boolean;
}

const directory = { kind: "directory", accepts: (found: Stats) => found.isDirectory() };
const file = { kind: "file", accepts: (found: Stats) => found.isFile() };
/** Upstream's types, without devices. */
const TYPES: Readonly<Record<string, HostPathType>> = {
  "": {
    kind: "file or directory",
    advice: "make it, or set type: DirectoryOrCreate or FileOrCreate",
    accepts: (found) => found.isDirectory() || found.isFile() || found.isSocket(),
  },
  Directory: { ...directory, advice: "make it, or set type: DirectoryOrCreate" },
  DirectoryOrCreate: {
    ...directory,
    create: (path) => void mkdirSync(path, { recursive: true, mode: 0o755 }),
    makesFolders: true,
  },
  File: { ...file, advice: "make it, or set type: FileOrCreate" },
  FileOrCreate: {
    ...file,
    advice: "make the folder above it, which this type does not",
    create: (path) => writeFileSync(path, "", { flag: "wx", mode: 0o644 }),
  },
  Socket: { kind: "socket", advice: "start what listens there first", accepts: (found) => found.isSocket() },
};
/** Why hostPath volumes are refused unless they are allowed. */
export const HOST_PATH_REFUSAL = "it would give containers a place of this machine; --allow-host-path allows that";
const OTHER_USER = "containers of root run as another user, who may not read it or a folder above it";

/** Why a path cannot be mounted. Undefined: it can be mounted, or made. */
export function hostPathProblem(
  { path, type = "" }: HostPath,
  user: ContainerUser | undefined,
): HostPathProblem | undefined {
  const rule = TYPES[type];
  if (rule === undefined) {
    return {
      field: "type",
      why: `${JSON.stringify(type)}: allowed are ${Object.keys(TYPES).filter(Boolean).join(", ")}`,
    };
  }
  // bwrap would resolve a relative path from another folder than this program.
  if (!isAbsolute(path)) return { field: "path", why: `${JSON.stringify(path)}: allowed is an absolute path` };
  try {
    const found = lookAt(path);
    if (found !== undefined && !rule.accepts(found)) return { field: "path", why: `${path}: it is no ${rule.kind}` };
    if (found !== undefined) return canReach(user, path) ? undefined : { field: "path", why: `${path}: ${OTHER_USER}` };
    return rule.create === undefined ? absence(path, rule) : creationProblem(path, rule, user);
  } catch (error) {
    return { field: "path", why: `${path}: ${readProblem(error)}` };
  }
}

/**
 * Makes the file or folder that the type asks for, if it does not exist.
 * @throws Error that says why it cannot be mounted
 */
export function openHostPath(hostPath: HostPath, user: ContainerUser | undefined): string {
  const { path, type = "" } = hostPath;
  const problem = hostPathProblem(hostPath, user);
  if (problem !== undefined)
    throw new Error(`hostPath${problem.field === "path" ? "" : `.${problem.field}`} ${problem.why}`);
  if (lookAt(path) === undefined) TYPES[type]!.create!(path);
  return path;
}

/**
 * Whether a pod with the first volume may create the path of the second: its type creates it, or the pod can write into
 * a folder above it.
 */
export function mayBring(first: HostPath, second: HostPath): boolean {
  const [maker, wanted] = [resolve(first.path), resolve(second.path)];
  if (TYPES[first.type ?? ""]?.create !== undefined && isWithin(maker, wanted)) return true;
  return maker !== wanted && isWithin(wanted, maker);
}

/**
 * The hostPath volumes of a pod that will never be mounted.
 * @param pods all pods of the run: a path that one of them may create is waited for
 */
export function refusedHostPaths(
  pod: Pod,
  pods: readonly Pod[],
  user: ContainerUser | undefined,
  isAllowed: boolean,
): UnsupportedField[] {
  const others = pods.flatMap(volumesOf).flatMap((volume) => volume?.hostPath ?? []);
  return volumesOf(pod).flatMap((volume, i): UnsupportedField[] => {
    const path = `spec.volumes[${i}].hostPath`;
    const hostPath = volume?.hostPath;
    if (hostPath === undefined) return [];
    if (!isAllowed) return [{ path, why: HOST_PATH_REFUSAL }];
    const problem = hostPathProblem(hostPath, user);
    if (problem === undefined) return [];
    const { field, why, advice, isAbsence } = problem;
    if (isAbsence === true && others.some((other) => other !== hostPath && mayBring(other, hostPath))) return [];
    return [{ path: `${path}.${field}`, why: advice === undefined ? why : `${why}; ${advice}` }];
  });
}

/** The hostPath volumes of a pod into which a container should write but may not. */
export function closedHostPaths(pod: Pod, user: ContainerUser | undefined): UnsupportedField[] {
  const { initContainers = [], containers = [] } = pod.spec;
  const mounts = [...initContainers, ...containers].flatMap(({ volumeMounts = [] }) => volumeMounts);
  const written = new Set(mounts.filter(({ readOnly }) => readOnly !== true).map(({ name }) => name));
  return volumesOf(pod).flatMap((volume, i) => {
    if (volume?.hostPath === undefined || !written.has(volume.name)) return [];
    const why = writeProblem(volume.hostPath, user);
    return why === undefined ? [] : [{ path: `spec.volumes[${i}].hostPath`, why }];
  });
}

/** The volumes of a pod. The pod may have been refused, so it may have any shape. */
function volumesOf(pod: Pod): readonly ({ readonly name: string; readonly hostPath?: HostPath } | null)[] {
  const volumes: unknown = pod.spec?.volumes;
  return Array.isArray(volumes) ? volumes : [];
}

/**
 * Why containers cannot write into a path that can be mounted. Stint creates paths as the kubelet does: they belong to
 * root, and have mode 0755.
 */
function writeProblem({ path }: HostPath, user: ContainerUser | undefined): string | undefined {
  if (user === undefined) return undefined;
  const isThere = lookAt(path) !== undefined;
  if (isThere && canWriteTo(user, path)) return undefined;
  const advice = isThere
    ? `\`chmod o+w\` opens it to them`
    : "make it before the run, and open it to them with `chmod o+w`";
  return `containers of root run as another user, who may not write to ${path}; ${advice}`;
}

function absence(path: string, { advice = "make it" }: HostPathType): HostPathProblem {
  return { field: "path", why: `${path}: there is no such file or directory`, advice, isAbsence: true };
}

/** Why a missing path cannot be created. */
function creationProblem(
  path: string,
  rule: HostPathType,
  user: ContainerUser | undefined,
): HostPathProblem | undefined {
  let folder = dirname(path);
  while (rule.makesFolders && lookAt(folder) === undefined) folder = dirname(folder);
  const found = lookAt(folder);
  if (found === undefined) return absence(folder, rule);
  if (!found.isDirectory()) return { field: "path", why: `${path}: it cannot be made, as ${folder} is no directory` };
  if (!canWrite(folder)) return { field: "path", why: `${path}: this user may not make it in ${folder}` };
  return canEnter(user, folder) ? undefined : { field: "path", why: `${path}: ${OTHER_USER}` };
}

function lookAt(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
