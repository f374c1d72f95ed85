/**
 * Where the data of PersistentVolumes lies: what the volume controller asks of its host. Without a place for it the
 * folders are only names, which is enough where nothing runs in the containers.
 */

export interface VolumeFolders {
  /** Makes the folder of a volume, if it is not there, and returns its path. @throws Error that says why it cannot */
  make(volumeName: string): string;
  /** Removes it with all that is in it. @throws Error that says why it cannot */
  remove(volumeName: string): void;
}

export const namesOnly: VolumeFolders = {
  make: (volumeName) => `/var/lib/stint/volumes/${volumeName}`,
  remove: () => {},
};
