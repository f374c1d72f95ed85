/** Volumes of a pod, or of a template, as `kubectl describe` prints them: the kinds that Jobs mostly have. */
import type { Volume } from "../../../cluster/values/kinds.ts";
import type { DescribedText } from "./text.ts";

/** @param space the indent before the title; not empty in a template */
export function describeVolumes(to: DescribedText, volumes: readonly Volume[], space: string): void {
  to.line(0, `${space}Volumes:${volumes.length === 0 ? "\t<none>" : ""}`);
  for (const volume of volumes) {
    to.line(1, `${space === "" ? "" : " "}${volume.name}:`);
    for (const line of linesOf(volume)) to.line(2, line);
  }
}

function linesOf(volume: Volume): readonly string[] {
  const { configMap, emptyDir, hostPath, persistentVolumeClaim, projected, secret } = volume;
  if (emptyDir !== undefined)
    return [
      "Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)",
      `Medium:\t${emptyDir.medium ?? ""}`,
      `SizeLimit:\t${String(emptyDir.sizeLimit ?? "<unset>")}`,
    ];
  if (hostPath !== undefined)
    return [
      "Type:\tHostPath (bare host directory volume)",
      `Path:\t${hostPath.path}`,
      `HostPathType:\t${hostPath.type ?? "<none>"}`,
    ];
  if (configMap !== undefined)
    return [
      "Type:\tConfigMap (a volume populated by a ConfigMap)",
      `Name:\t${configMap.name ?? ""}`,
      `Optional:\t${configMap.optional ?? false}`,
    ];
  if (secret !== undefined)
    return [
      "Type:\tSecret (a volume populated by a Secret)",
      `SecretName:\t${secret.secretName ?? ""}`,
      `Optional:\t${secret.optional ?? false}`,
    ];
  if (persistentVolumeClaim !== undefined)
    return [
      "Type:\tPersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
      `ClaimName:\t${persistentVolumeClaim.claimName ?? ""}`,
      `ReadOnly:\t${persistentVolumeClaim.readOnly ?? false}`,
    ];
  if (projected !== undefined) return ["Type:\tProjected (a volume that contains injected data from multiple sources)"];
  return ["<unknown>"];
}
