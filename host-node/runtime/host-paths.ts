/**
 * hostPath volumes: which places of this machine can be mounted, with Kubernetes' types of them.
 *
 * Invariant: the same rules say before a run what would never be mounted, and later whether it is. Whether hostPath volumes are allowed at
 * all is asked elsewhere. Leaves out devices, which bubblewrap closes.
 */
import { accessSync, constants, mkdirSync, type Stats, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { readProblem } from "../usage-error.ts";
import { canEnter, canReach, canWriteTo, type ContainerUser } from "./container-user.ts";
import { isWithin } from "./visible-files.ts";

export interface HostPath {
  readonly path: string;
  readonly type?: string;
}

export interface HostPathProblem {
  readonly field: "path" | "type";
  readonly why: string;
  /** What to do, where that is known. */
  readonly advice?: string;
  /** It is not there yet, and other pods may make it. */
  readonly isAbsence?: boolean;
}

interface HostPathType {
  readonly kind: string;
  readonly advice: string;
  accepts(found: Stats): boolean;
  create?(path: string): void;
}

const directory = { kind: "directory", accepts: (found: Stats) => found.isDirectory() };
const file = { kind: "file", accepts: (found: Stats) => found.isFile() };
/** As upstream's, without devices. */
const TYPES: Readonly<Record<string, HostPathType>> = {
  "": {
    kind: "file or directory",
    advice: "make it, or set type: DirectoryOrCreate or FileOrCreate",
    accepts: (found) => found.isDirectory() || found.isFile() || found.isSocket(),
  },
  Directory: { ...directory, advice: "make it, or set type: DirectoryOrCreate" },
  DirectoryOrCreate: {
    ...directory,
    advice: "make the folder above it",
    create: (path) => void mkdirSync(path, { recursive: true, mode: 0o755 }),
  },
  File: { ...file, advice: "make it, or set type: FileOrCreate" },
  FileOrCreate: {
    ...file,
    advice: "make the folder above it, which this type does not",
    create: (path) => writeFileSync(path, "", { flag: "wx", mode: 0o644 }),
  },
  Socket: { kind: "socket", advice: "start what listens there first", accepts: (found) => found.isSocket() },
};
const OTHER_USER = "containers of root run as another user, who may not read it or a folder above it";

/** Undefined: it can be mounted, or made. */
export function hostPathProblem({ path, type = "" }: HostPath, user: ContainerUser | undefined): HostPathProblem | undefined {
  const rule = TYPES[type];
  if (rule === undefined) {
    return { field: "type", why: `${JSON.stringify(type)}: allowed are ${Object.keys(TYPES).filter(Boolean).join(", ")}` };
  }
  // bwrap would look for it in another folder than this program does.
  if (!isAbsolute(path)) return { field: "path", why: `${JSON.stringify(path)}: allowed is an absolute path` };
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !rule.accepts(found)) return { field: "path", why: `${path}: it is no ${rule.kind}` };
    if (found !== undefined) return canReach(user, path) ? undefined : { field: "path", why: `${path}: ${OTHER_USER}` };
    return rule.create === undefined ? absence(path, rule) : creationProblem(path, rule, type === "FileOrCreate", user);
  } catch (error) {
    return { field: "path", why: `${path}: ${readProblem(error)}` };
  }
}

/** Makes what its type says, if it is not there. @throws Error that says why it cannot be mounted */
export function openHostPath(hostPath: HostPath, user: ContainerUser | undefined): string {
  const { path, type = "" } = hostPath;
  const problem = hostPathProblem(hostPath, user);
  if (problem !== undefined) throw new Error(`hostPath${problem.field === "path" ? "" : `.${problem.field}`} ${problem.why}`);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) TYPES[type]!.create!(path);
  return path;
}

/** Why containers will not be able to write into a place that can be mounted. What Stint makes is made as by the kubelet: its own, and 0755. */
export function writeProblem({ path }: HostPath, user: ContainerUser | undefined): string | undefined {
  if (user === undefined) return undefined;
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  if (isThere && canWriteTo(user, path)) return undefined;
  const advice = isThere ? `\`chmod o+w\` opens it to them` : "make it before the run, and open it to them with `chmod o+w`";
  return `containers of root run as another user, who may not write to ${path}; ${advice}`;
}

/** Whether a pod that has the first may bring about the second: it makes it, or can write into a folder in which it lies. */
export function mayBring(first: HostPath, second: HostPath): boolean {
  const [maker, wanted] = [resolve(first.path), resolve(second.path)];
  if (TYPES[first.type ?? ""]?.create !== undefined && isWithin(maker, wanted)) return true;
  return maker !== wanted && isWithin(wanted, maker);
}

function absence(path: string, { advice }: HostPathType): HostPathProblem {
  return { field: "path", why: `${path}: there is no such file or directory`, advice, isAbsence: true };
}

/** Of what is not there and is to be made. */
function creationProblem(path: string, rule: HostPathType, inFolderOnly: boolean, user: ContainerUser | undefined): HostPathProblem | undefined {
  let folder = dirname(path);
  let found = statSync(folder, { throwIfNoEntry: false });
  for (; found === undefined && !inFolderOnly; found = statSync(folder, { throwIfNoEntry: false })) folder = dirname(folder);
  if (found === undefined) return absence(folder, rule);
  if (!found.isDirectory()) return { field: "path", why: `${path}: it cannot be made, as ${folder} is no directory` };
  if (!canWrite(folder)) return { field: "path", why: `${path}: this user may not make it in ${folder}` };
  return canEnter(user, folder) ? undefined : { field: "path", why: `${path}: ${OTHER_USER}` };
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
