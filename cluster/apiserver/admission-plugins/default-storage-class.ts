/**
 * Gives claims without a StorageClass the default one: of several the newest, then the first by name. Source:
 * plugin/pkg/admission/storage/storageclass/setdefault, pkg/volume/util (GetDefaultClass).
 */
import type { StorageClass } from "../../values/kinds.ts";
import type { ResourceRequest } from "../contract/context.ts";
import type { AdmissionPlugin } from "./chain.ts";

const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
const DEFAULT_ANNOTATIONS = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const defaultStorageClass: AdmissionPlugin = {
  mutate(object, current, request) {
    const { definition, subresource } = request;
    if (definition.body.goType !== "core.PersistentVolumeClaim" || current !== undefined || subresource !== undefined)
      return object;
    const { metadata, spec } = object;
    if (spec.storageClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined) return object;
    const found = defaultClass(request);
    return found === undefined ? object : { ...object, spec: { ...spec, storageClassName: found.metadata.name } };
  },
};

function defaultClass({ server }: ResourceRequest): StorageClass | undefined {
  const classes = [...server.store(server.definition("storage.k8s.io", "storageclasses")).scan("", "")];
  return classes
    .map(({ object }) => object)
    .filter(({ metadata }) => DEFAULT_ANNOTATIONS.some((name) => metadata.annotations?.[name] === "true"))
    .toSorted(byAgeAndName)[0];
}

function byAgeAndName({ metadata: a }: StorageClass, { metadata: b }: StorageClass): number {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp > b.creationTimestamp ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
