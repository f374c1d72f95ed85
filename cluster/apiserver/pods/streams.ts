/**
 * The subresources of a pod over which a client talks to its containers: attach, exec and portforward. This file checks
 * them as the API server does; the host carries the streams.
 *
 * Invariant: an allowed request returns the pod, and only if it asks for another protocol. Leaves out what a kubelet
 * checks: whether the container runs. Source: pkg/registry/core/pod/rest/subresources.go.
 */
import type { Pod } from "../../values/kinds.ts";
import {
  keyOf,
  type Outcome,
  type ResourceDefinition,
  type ResourceRequest,
  type Subresource,
} from "../contract/context.ts";
import { badRequest, notFound } from "../contract/status-errors.ts";

const stream = (name: string, kind: string, check: (request: ResourceRequest<Pod>) => Outcome): Subresource => ({
  name,
  kind,
  verbs: ["create", "get"],
  handle: (_verb, request: ResourceRequest<Pod>) => check(request),
});

const streams: readonly Subresource[] = [
  stream("attach", "PodAttachOptions", containerStream),
  stream("exec", "PodExecOptions", containerStream),
  stream("portforward", "PodPortForwardOptions", podStream),
];

/** The resource of pods with the subresources of this file. */
export function withStreams(pods: ResourceDefinition): ResourceDefinition {
  const subresources = [...pods.subresources, ...streams];
  return { ...pods, subresources: subresources.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

function containerStream(request: ResourceRequest<Pod>): Outcome {
  const pod = podOf(request);
  checkContainer(pod, request.query.text("container"));
  return answer(pod, request);
}

function podStream(request: ResourceRequest<Pod>): Outcome {
  return answer(podOf(request), request);
}

function podOf({ server, definition, namespace, name }: ResourceRequest<Pod>): Pod {
  const pod = server.store(definition).get(keyOf(namespace, name))?.object;
  if (!pod) throw notFound({ group: "", name: "pods" }, name);
  return pod;
}

function answer(pod: Pod, { headers }: ResourceRequest<Pod>): Outcome {
  if (!pod.spec?.nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  if (headers.upgrade === undefined) throw badRequest("Upgrade request required");
  return { code: 200, object: pod };
}

type List = "containers" | "ephemeralContainers" | "initContainers";

function checkContainer({ metadata, spec }: Pod, wanted: string): void {
  const namesIn = (list: List): string[] => (spec[list] ?? []).map(({ name }) => name);
  const names = (["initContainers", "containers", "ephemeralContainers"] as const).flatMap(namesIn);
  if (wanted !== "" && !names.includes(wanted))
    throw badRequest(`container ${wanted} is not valid for pod ${metadata.name}`);
  if (wanted === "" && namesIn("containers").length !== 1)
    throw badRequest(
      `a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(" ")}]`,
    );
}
