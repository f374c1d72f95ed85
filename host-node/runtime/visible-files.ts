/**
 * The files of this machine that containers inside bubblewrap see: the folders of the system, Node's own program, and
 * the paths that the user names. All of these are read-only, and nothing else is there. A container that sees a socket
 * in a home folder, for example, could use it, read-only or not.
 *
 * Invariant: `shows` returns whether a container would find a path, also through links. Leaves out permissions: a file
 * that the containers' user may not read stays closed to it.
 */
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { UsageError } from "../usage-error.ts";
import { canReach, type ContainerUser } from "./container-user.ts";

/** Programs, their libraries and their settings. If one is a link, as /bin is today, the link is shown. */
const SYSTEM_FOLDERS = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/nix/store",
  "/var/lib/ca-certificates",
];
/** The container's own folders, which are empty at first. */
export const PRIVATE_FOLDERS = ["/tmp", "/var/tmp", "/run"];
/** Folders of the kernel. A container has its own kind of them, or none. */
const KERNEL_FOLDERS = ["/proc", "/sys", "/dev"];

export class VisibleFiles {
  readonly #system = SYSTEM_FOLDERS.filter(exists);
  readonly #named: readonly string[];
  readonly #node: readonly string[];

  /**
   * @param named absolute paths that the user wants to show
   * @throws UsageError for a path that does not exist or cannot be shown
   */
  constructor(named: readonly string[], user: ContainerUser | undefined) {
    this.#named = named.map((path) => namedPath(path, user));
    this.#node = canReach(user, process.execPath) ? [process.execPath] : [];
  }

  /**
   * Whether a container finds this machine's file at this path. A path that does not exist is treated like its folder.
   */
  shows(path: string): boolean {
    return this.#covers(path) && this.#covers(realPath(path));
  }

  /**
   * bwrap's arguments for everything outside the private folders. The arguments of `inPrivateFolders` follow when those
   * folders exist.
   * @param mountPoints the places of new mounts. No entry can be added to a folder of the system, only to a copy of it
   */
  systemArguments(mountPoints: readonly string[]): string[] {
    const copied = this.#system.filter((folder) => mountPoints.some((point) => isNewEntryOf(folder, point)));
    return [
      ...this.#system.flatMap((folder) => (copied.includes(folder) ? copyArguments(folder) : showArguments(folder))),
      ...this.#additions()
        .filter((path) => !isPrivate(path))
        .flatMap(bindArguments),
    ];
  }

  privateFolderArguments(): string[] {
    return this.#additions().filter(isPrivate).flatMap(bindArguments);
  }

  /** The entry of this machine that prevents a new mount at a path. Undefined: nothing prevents it. */
  obstacle(path: string): string | undefined {
    return [...this.#system, ...this.#additions()].find((shown) => isWithin(path, shown) && !isNewEntryOf(shown, path));
  }

  #additions(): string[] {
    return [...this.#named, ...this.#node].filter((path) => !this.#system.some((folder) => isWithin(path, folder)));
  }

  #covers(path: string): boolean {
    return [...this.#system, ...this.#named, ...this.#node].some((shown) => isWithin(path, shown));
  }
}

/** Whether a path is this folder or lies below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** Whether a path lies in one of the container's own folders. */
export function isPrivate(path: string): boolean {
  return PRIVATE_FOLDERS.some((folder) => isWithin(path, folder));
}

function namedPath(path: string, user: ContainerUser | undefined): string {
  const problem = problemOf(path, user);
  if (problem !== undefined) throw new UsageError(`${path} cannot be shown to containers: ${problem}`);
  return path;
}

function problemOf(path: string, user: ContainerUser | undefined): string | undefined {
  if (!isAbsolute(path)) return "it is not an absolute path";
  if (!exists(path)) return "there is no such file or folder";
  if (path === "/" || PRIVATE_FOLDERS.includes(path))
    return "it is a folder of the container's own; name those in it that it needs";
  if (KERNEL_FOLDERS.some((folder) => isWithin(path, folder)))
    return "it is the kernel's, and each container has its own or none";
  if (!canReach(user, path)) return "containers of root run as another user, who may not read it or a folder above it";
  return undefined;
}

/** Whether a mount point needs an entry that this folder does not have. */
function isNewEntryOf(folder: string, point: string): boolean {
  if (point === folder || !isWithin(point, folder) || !SYSTEM_FOLDERS.includes(folder)) return false;
  return !exists(join(folder, relative(folder, point).split("/")[0]!));
}

function showArguments(path: string): string[] {
  return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : bindArguments(path);
}

/** Arguments for a copy of a folder, with the same entries, in which mount points can be made. */
function copyArguments(folder: string): string[] {
  return ["--dir", folder, ...readdirSync(folder).flatMap((name) => showArguments(join(folder, name)))];
}

function bindArguments(path: string): string[] {
  return ["--ro-bind-try", path, path];
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // It is in a folder that this user may not read.
  }
}

/** The path without links, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
