/**
 * Takes over the volume folders that an earlier server of this cluster has made. The new server must know them before a
 * pod starts, because it mounts and removes only folders that it has made or taken over.
 */
import { type KubeList, resourcePath, VOLUMES } from "../../client/client.ts";
import type { BareCluster } from "../../bare-cluster.ts";
import { read } from "./claimed-volume.ts";
import { isMadeHere } from "./volume-controller.ts";
import type { VolumeFolders } from "./volume-folders.ts";
import type { PersistentVolume } from "../../values/kinds.ts";

/** @throws Error when a folder cannot be made */
export function takeOverVolumes(cluster: Pick<BareCluster, "handle">, folders: VolumeFolders): void {
  const volumes = (read(cluster, resourcePath(VOLUMES)) as unknown as KubeList<PersistentVolume>).items;
  for (const volume of volumes) if (isMadeHere(volume)) folders.make(volume.metadata.name);
}
