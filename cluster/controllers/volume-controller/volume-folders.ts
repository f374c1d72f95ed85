/**
 * The folders of PersistentVolumes: what the volume controller asks of its host. A host without storage only makes up
 * names, which is enough where nothing runs in the containers.
 */

export interface VolumeFolders {
  /** Creates the folder of a volume, unless it exists, and returns its path. @throws Error with the reason */
  make(volumeName: string): string;
  /** Removes it with all its contents. @throws Error with the reason */
  remove(volumeName: string): void;
}

export const namesOnly: VolumeFolders = {
  make: (volumeName) => `/var/lib/stint/volumes/${volumeName}`,
  remove: () => {},
};
