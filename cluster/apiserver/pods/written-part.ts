/**
 * A part of a pod that clients write through a separate path, such as `pods/NAME/resize`. Leaves out `status`, which
 * every kind has.
 */
import type { Pod } from "../../values/kinds.ts";
import type { ResourceDefinition, ResourceRequest, Subresource } from "../contract/context.ts";
import type { Violation } from "../contract/status-errors.ts";

export interface WrittenPart {
  /** The last part of the path. */
  readonly name: string;
  /** The stored pod with the part that a client has written. */
  update(pod: Pod, current: Pod, request: ResourceRequest): Pod;
  validate(pod: Pod, current: Pod, request: ResourceRequest): readonly Violation[];
}

/** Marks a pod that the kubelet has from a file. Clients cannot change it. */
export const MIRROR_ANNOTATION = "kubernetes.io/config.mirror";

/** The resource of pods with this subresource. */
export function withPart(pods: ResourceDefinition, { name, update, validate }: WrittenPart): ResourceDefinition {
  const { strategy } = pods;
  const subresource: Subresource = { name, kind: "Pod", verbs: ["get", "patch", "update"] };
  const isAbout = (request: ResourceRequest): boolean => request.subresource?.name === name;
  return {
    ...pods,
    subresources: [...pods.subresources, subresource].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    strategy: {
      ...strategy,
      prepareSubresourceUpdate: (pod: Pod, current: Pod, request) =>
        isAbout(request) ? update(pod, current, request) : strategy.prepareSubresourceUpdate!(pod, current, request),
      validate: (pod: Pod, current: Pod | undefined, request) =>
        current !== undefined && isAbout(request)
          ? validate(pod, current, request)
          : strategy.validate!(pod, current, request),
    },
  };
}
