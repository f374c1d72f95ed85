/**
 * Decides where in a container something can be mounted.
 *
 * Invariant: no mount point lies in a volume. bwrap creates missing mount points with the rights of the user outside
 * the sandbox. It would follow a link that a container put into the volume, and so leave the volume.
 */
import { statSync } from "node:fs";
import { isPrivate, isWithin, type VisibleFiles } from "./visible-files.ts";

/** A file or directory of this machine at a path of the container. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/**
 * An error text if no volume can be mounted at this path. `others` are the mount paths of the container's other
 * volumes.
 */
export function mountProblem(target: string, others: readonly string[], visible: VisibleFiles): string | undefined {
  if (!isPlain(target)) return `mountPath ${target}: allowed is an absolute path below / without ".."`;
  if (isWithin(target, "/proc") || target === "/dev")
    return `mountPath ${target}: /proc and /dev are the container's own`;
  const outer = others.find((other) => isWithin(target, withoutSlash(other)));
  if (outer !== undefined)
    return `mountPath ${target}: it lies in the volume at ${outer}, and no volume can be mounted inside another`;
  const obstacle = visible.obstacle(target);
  if (obstacle === undefined) return undefined;
  const found = statSync(target, { throwIfNoEntry: false });
  if (found?.isDirectory()) return undefined;
  if (found !== undefined) return `mountPath ${target}: there is a file of this machine at that path`;
  const where = `${obstacle} is a directory of this machine and read-only, so nothing new can be mounted so deep in it`;
  return `mountPath ${target}: ${where}; allowed are directories that exist and new ones directly below it or below /`;
}

/** Whether a container can create a file at this path: only if the container has a separate file system. */
export function canCreateAt(path: string, volumePaths: readonly string[], visible: VisibleFiles): boolean {
  if (!isPlain(path) || isWithin(path, "/proc") || volumePaths.some((volume) => isWithin(path, withoutSlash(volume))))
    return false;
  return isWithin(path, "/dev") || isPrivate(path) || !visible.shows(path);
}

function isPlain(path: string): boolean {
  return (
    path.startsWith("/") && !path.split("/").some((part) => part === ".." || part === ".") && withoutSlash(path) !== ""
  );
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
