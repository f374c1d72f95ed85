/**
 * The claims of a run: each PersistentVolumeClaim of its files is a folder, which all its pods share.
 *
 * Invariant: a pod gets no folder for a claim that the files do not have; it would wait for ever in a real cluster.
 * Leaves out sizes, access modes and classes: a folder is as large as its disk, and every container may write to it.
 */
import { CLAIMS } from "../../../cluster/client/client.ts";
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import type { ReadInputs } from "../../../cluster/manifests/run-inputs.ts";
import type { VolumeFolders } from "../../../cluster/controllers/volume-controller/volume-folders.ts";
import type { PersistentVolume } from "../../../cluster/values/kinds.ts";

/** The volume of a claim. A namespace has no dot in its name, so each claim has a separate folder. */
export function folderOfClaim(folders: VolumeFolders, namespace: string, claimName: string): PersistentVolume {
  const name = `${namespace}.${claimName}`;
  return {
    metadata: { name, uid: "" },
    spec: { hostPath: { path: folders.make(name) } },
  } as unknown as PersistentVolume;
}

/** The claims that a Job mounts and that no file has. */
export function missingClaims(job: Manifest, { inputs, hasAllObjects }: ReadInputs): Diagnostic[] {
  if (!hasAllObjects) return [];
  const keyOf = (namespace: string | undefined, name: string | undefined): string =>
    `${namespace ?? "default"}/${name}`;
  const claims = inputs.filter(({ resource }) => resource === CLAIMS);
  const known = new Set(
    claims.map(({ manifest: { object } }) => keyOf(object.metadata?.namespace, object.metadata?.name)),
  );
  const volumes = (job.object["spec"].template.spec.volumes ?? []) as {
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
  return volumes.flatMap(({ persistentVolumeClaim }, i) => {
    if (persistentVolumeClaim === undefined) return [];
    const { claimName } = persistentVolumeClaim;
    if (known.has(keyOf(job.object.metadata?.namespace, claimName))) return [];
    const path = `spec.template.spec.volumes[${i}].persistentVolumeClaim.claimName`;
    return [
      {
        position: job.valueAt(path),
        message: `${path}: persistentvolumeclaim ${JSON.stringify(claimName)} not found; add it to the files of this run`,
      },
    ];
  });
}
