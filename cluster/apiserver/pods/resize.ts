/**
 * `pods/NAME/resize`: changes the resource requests of a pod's containers while the pod exists.
 *
 * Invariant: a write changes cpu and memory in the resources of containers and of the pod, and nothing else. Requests
 * may grow and shrink, but not vanish, and the pod's quality of service class stays. Leaves out whether the node has
 * room, which a plugin and the kubelet check, and whether a pod requests as much as its containers together. Source:
 * podResizeStrategy in pkg/registry/core/pod and ValidatePodResize in pkg/apis/core/validation.
 */
import type { Container, Pod, PodSpec, ResourceRequirements } from "../../values/kinds.ts";
import { type PartReview, reviewPart } from "../verbs/admission.ts";
import type { ResourceDefinition, ResourceRequest } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import type { FieldError, Violation } from "../contract/status-errors.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
import { withResources } from "../strategies/pods.ts";
import { qosClass } from "../strategies/qos-class.ts";
import { MIRROR_ANNOTATION, withPart } from "./written-part.ts";

type Amounts = ResourceRequirements["limits"];
type ContainerList = "containers" | "initContainers";

export const RESIZE = "resize";
const LISTS: readonly ContainerList[] = ["containers", "initContainers"];
const MEMBERS = ["requests", "limits"] as const;
const RESIZABLE = ["cpu", "memory"] as const;

/** The resource of pods with this subresource. */
export function withResize(pods: ResourceDefinition): ResourceDefinition {
  return withPart(pods, { name: RESIZE, update: resized, validate: validateResize });
}

function listOf({ spec }: Pod, list: ContainerList): readonly Container[] {
  return spec?.[list] ?? [];
}

/** The stored pod with the given resources, or the given containers if they are not those of the stored pod. */
function resized(pod: Pod, current: Pod, request: ResourceRequest): Pod {
  const { resources: stored, ...spec } = current.spec;
  const setsAll = !isAhead("defaults-of-whole-pods", request.server.kubernetes);
  const resources = pod.spec?.resources ?? (setsAll ? stored : undefined);
  const lists = LISTS.map((list) => [list, resizedContainers(listOf(pod, list), listOf(current, list))] as const);
  const asked = {
    ...current,
    metadata: { ...current.metadata, ...(pod.metadata.uid && { uid: pod.metadata.uid }) },
    spec: {
      ...spec,
      ...(resources !== undefined && { resources }),
      ...Object.fromEntries(lists.filter(([, containers]) => containers.length > 0)),
    },
  };
  const reviewed = review(asked, request).object;
  const whole = setsAll ? reviewed.spec.resources : resources;
  return { ...asked, spec: withResources({ ...asked.spec, ...containersOf(reviewed) }, whole) };
}

function resizedContainers(given: readonly Container[], stored: readonly Container[]): readonly Container[] {
  const areSame = given.length === stored.length && given.every(({ name }, index) => name === stored[index]!.name);
  return areSame ? stored.map((container, index) => ({ ...container, ...sizeOf(given[index]!) })) : given;
}

function sizeOf({ resources = {}, resizePolicy }: Container): Pick<Container, "resources" | "resizePolicy"> {
  return { resources, ...(resizePolicy !== undefined && { resizePolicy }) };
}

function containersOf({ spec }: Pick<Pod, "spec">): Partial<Pick<PodSpec, ContainerList>> {
  return Object.fromEntries(LISTS.filter((list) => spec[list] !== undefined).map((list) => [list, spec[list]]));
}

/** The pod after admission, and its violations. Ephemeral containers have their own rules, which admission lacks. */
function review({ spec, ...pod }: Pod, { definition, server }: ResourceRequest): PartReview<Pick<Pod, "spec">> {
  const { ephemeralContainers: _others, ...reviewed } = spec;
  return reviewPart({ ...pod, spec: reviewed }, definition, server);
}

function validateResize(pod: Pod, current: Pod, request: ResourceRequest): readonly Violation[] {
  if (current.metadata.annotations?.[MIRROR_ANNOTATION] !== undefined)
    return [forbidden("[]", "static pods cannot be resized")];
  if (current.spec.os?.name === "windows") return [forbidden("[]", "windows pods cannot be resized")];
  const errors: Violation[] = [...review(pod, request).causes];
  const { kubernetes } = request.server;
  const { qosClass: stored = qosClass(current.spec, kubernetes) } = current.status ?? {};
  if (stored !== qosClass(pod.spec, kubernetes))
    errors.push({
      kind: "Invalid",
      field: "spec",
      value: pod.status?.qosClass ?? "",
      detail: "Pod QOS Class may not change as a result of resizing",
    });
  if (!isSupported(current)) errors.push(forbidden("spec", "Pod running on node without support for resize"));
  errors.push(...podLevelErrors(pod.spec.resources, current.spec.resources));
  const moved = LISTS.flatMap((list) => orderErrors(listOf(pod, list), listOf(current, list), list));
  if (moved.length > 0) return [...errors, ...moved];
  for (const list of ["initContainers", "containers"] as const)
    for (const [index, container] of listOf(pod, list).entries())
      errors.push(...removalErrors(container, listOf(current, list)[index]!, `spec.${list}[${index}].resources`));
  for (const list of LISTS)
    for (const [index, container] of listOf(pod, list).entries())
      errors.push(...changeErrors(container, listOf(current, list)[index]!, list, index));
  return errors;
}

function forbidden(field: string, detail: string): FieldError {
  return { kind: "Forbidden", field, detail };
}

/** Whether the kubelet can resize: it reports the resources of its containers. */
function isSupported({ status }: Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

function podLevelErrors(
  given: ResourceRequirements | undefined,
  stored: ResourceRequirements | undefined,
): FieldError[] {
  if (stored !== undefined && given === undefined)
    return [forbidden("spec.resources", "pod-level resources cannot be removed")];
  const errors = MEMBERS.filter((member) => isRemoved(given?.[member], stored?.[member])).map((member) =>
    forbidden(`spec.resources.${member}`, `pod-level resource ${member} cannot be removed`),
  );
  if (!deepEqual(unresizable(given), unresizable(stored)))
    errors.push(forbidden("spec", "only cpu and memory resources are mutable at pod-level"));
  return errors;
}

function orderErrors(given: readonly Container[], stored: readonly Container[], list: ContainerList): FieldError[] {
  if (given.length !== stored.length)
    return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  return stored.flatMap(({ name }, index) =>
    given[index]!.name === name
      ? []
      : [forbidden(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)],
  );
}

function removalErrors(given: Container, stored: Container, path: string): FieldError[] {
  return MEMBERS.filter((member) => isRemoved(given.resources?.[member], stored.resources?.[member])).map((member) =>
    forbidden(`${path}.${member}`, `resource ${member} cannot be removed`),
  );
}

function isRemoved(given: Amounts, stored: Amounts): boolean {
  return Object.keys(stored ?? {}).some((name) => given?.[name] === undefined);
}

function changeErrors(given: Container, stored: Container, list: ContainerList, index: number): FieldError[] {
  if (deepEqual(given, stored)) return [];
  const others = ({ resources, ...rest }: Container): unknown => [rest, unresizable(resources)];
  const isOnlySize = deepEqual(others(given), others(stored));
  if (list === "containers") return isOnlySize ? [] : [forbidden("spec", "only cpu and memory resources are mutable")];
  const field = `spec.initContainers[${index}]`;
  const errors: FieldError[] = [];
  if (!isOnlySize)
    errors.push(forbidden(field, "only cpu and memory resources for init or sidecar containers are mutable"));
  for (const { restartPolicy } of given.resizePolicy ?? [])
    if (restartPolicy === "RestartContainer" && given.restartPolicy !== "Always")
      errors.push(
        forbidden(field, "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"),
      );
  return errors;
}

/** What of the resources may not change. */
function unresizable(resources: ResourceRequirements | undefined): object {
  const { requests, limits, ...rest } = resources ?? ({} as ResourceRequirements);
  const kept = (amounts: Amounts = {}): object =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => !RESIZABLE.some((resizable) => resizable === name)));
  return { ...rest, requests: kept(requests), limits: kept(limits) };
}
