/** Volumes from images, which a server drops with what mounts them. Source: pkg/api/pod dropImageVolumes. */
import type { PodSpec, Volume, VolumeMount } from "../../values/kinds.ts";

/** The pod without its volumes from images, and without their mounts. */
export function withoutImageVolumes(pod: PodSpec): PodSpec {
  const isImage = ({ image }: Volume): boolean => image !== undefined && image !== null;
  const names = new Set(pod.volumes?.filter(isImage).map(({ name }) => name));
  const unmounted = <Container extends { readonly volumeMounts?: VolumeMount[] }>(container: Container): Container =>
    keeping(container, "volumeMounts", ({ name }: VolumeMount) => !names.has(name));
  return {
    ...keeping(pod, "volumes", (volume: Volume) => !isImage(volume)),
    // A client may have left them out.
    ...(pod.containers && { containers: pod.containers.map(unmounted) }),
    ...(pod.initContainers && { initContainers: pod.initContainers.map(unmounted) }),
    ...(pod.ephemeralContainers && { ephemeralContainers: pod.ephemeralContainers.map(unmounted) }),
  };
}

/** The struct with the items of a list that stay; without the list if none does. */
function keeping<Name extends string, Item, Struct extends { readonly [name in Name]?: Item[] }>(
  struct: Struct,
  name: Name,
  stays: (item: Item) => boolean,
): Struct {
  const { [name]: items, ...others } = struct;
  if (items === undefined) return struct;
  const kept = (items as Item[]).filter(stays);
  return { ...others, ...(kept.length > 0 && { [name]: kept }) } as unknown as Struct;
}
