/**
 * The folders of PersistentVolumes: each volume has a separate one, which only the containers' user may read.
 *
 * Invariant: without --allow-host-path only folders that were made here are mounted as volumes, and nothing else is
 * removed. The volume controller chooses the name of a volume, which is no path.
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
   * @param folder absolute; it is created if it does not exist
   * @throws UsageError when it cannot be created, or the containers' user cannot reach it
   */
  constructor(folder: string, user: ContainerUser | undefined) {
    this.#folder = folder;
    this.#user = user;
    try {
      // Other users may search the new folder, but not list it.
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
