/**
 * The folders in which PersistentVolumes lie: each has one of its own, which the containers' user alone may read.
 *
 * Invariant: only folders that were made here are mounted as volumes without --allow-host-path, and nothing else is
 * removed. A name of a volume comes from the volume controller, and is no path.
 */
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { VolumeFolders } from "../../cluster/controllers/volume-controller/volume-folders.ts";
import { UsageError, writeError } from "../usage-error.ts";
import { canEnter, type ContainerUser, giveTo } from "./container-user.ts";
import { removeTree } from "./remove-tree.ts";

export class LocalVolumeFolders implements VolumeFolders {
  readonly #folder: string;
  readonly #user: ContainerUser | undefined;
  readonly #made = new Set<string>();

  /**
   * @param folder absolute; it is made if it is not there
   * @throws UsageError when it cannot be made, or the containers' user cannot reach it
   */
  constructor(folder: string, user: ContainerUser | undefined) {
    this.#folder = folder;
    this.#user = user;
    try {
      // Other users may search what is made, but not list it.
      if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o711);
    } catch (error) {
      throw writeError(`cannot make the folder for volumes ${folder}`, error);
    }
    if (!canEnter(user, folder))
      throw new UsageError(
        `containers of root run as another user, who may not enter ${folder}, where their volumes would be; name another folder, or chmod a+x it and the folders above it`,
      );
  }

  make(volumeName: string): string {
    const path = join(this.#folder, volumeName);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    giveTo(this.#user, path);
    this.#made.add(path);
    return path;
  }

  remove(volumeName: string): void {
    const path = join(this.#folder, volumeName);
    if (this.#made.delete(path)) removeTree(path);
  }

  has(path: string): boolean {
    return this.#made.has(path);
  }
}
