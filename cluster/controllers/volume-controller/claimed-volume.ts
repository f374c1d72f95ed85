/** Reads the volume that a claim is bound to, synchronously, for the kubelet's runtime. */
import { CLAIMS, type PathOf, resourcePath, VOLUMES } from "../../client/client.ts";
import type { BareCluster } from "../../bare-cluster.ts";
import type { PersistentVolume } from "../../values/kinds.ts";
import type { KubeObject } from "../../values/types.ts";

/** @throws Error that says why there is none */
export function claimedVolume(
  cluster: Pick<BareCluster, "handle">,
  namespace: string,
  claimName: string,
): PersistentVolume {
  const claim = read(cluster, resourcePath(CLAIMS, namespace, claimName));
  if (claim === undefined) throw new Error(`persistentvolumeclaim ${JSON.stringify(claimName)} not found`);
  const { spec, status } = claim;
  const volume = status?.phase === "Bound" && read(cluster, resourcePath(VOLUMES, undefined, spec.volumeName));
  if (!volume) throw new Error(`persistentvolumeclaim ${JSON.stringify(claimName)} is not bound`);
  return volume;
}

/** Reads an object of the cluster; undefined: it does not exist. */
export function read<T = KubeObject>(cluster: Pick<BareCluster, "handle">, path: PathOf<T>): T | undefined {
  const answer = cluster.handle({ method: "GET", path, headers: {} });
  return "body" in answer && answer.status === 200 ? JSON.parse(String(answer.body)) : undefined;
}
