/** Binds a pod to a node. A scheduler writes nothing else: `POST pods/NAME/binding` or `POST bindings`. */
import { memoize } from "../../values/memoize.ts";
import type { Binding, Pod, PodCondition, PodStatus } from "../../values/kinds.ts";
import { keyOf, type Outcome, type ResourceRequest } from "../contract/context.ts";
import { readBody, reviewedPart } from "../verbs/create.ts";
import { normalize, withMembers } from "../schema/decode.ts";
import { structType } from "../schema/schema.ts";
import { badRequest, conflict, notFound, plainError, success } from "../contract/status-errors.ts";
import { formatTime } from "../../values/times.ts";
import { storageError } from "../verbs/update.ts";
import { writeOptions } from "../verbs/write-options.ts";

const podResource = { group: "", name: "pods" };

/** Binds the pod. @throws ApiError 409 if it has a node already or is being deleted, and the errors of an update */
export function bind(request: ResourceRequest): Outcome {
  const { server } = request;
  const options = writeOptions(request.query, "CreateOptions");
  const definition = server.definition("", "bindings");
  const given = readBody(request, definition.body, options.fieldValidation);
  const name = request.name || given.metadata.name;
  if (given.metadata.name !== name) throw badRequest("name in URL does not match name in Binding object");
  const binding = reviewedPart(given, request) as Binding;
  checkTarget(binding.target ?? {});
  const pods = server.definition("", "pods");
  const store = server.store(pods);
  const stored = store.get(keyOf(request.namespace, name));
  if (!stored) throw notFound(podResource, name);
  const { bare: pod, owned } = stored;
  checkPreconditions(binding, pod, { definition: pods, namespace: request.namespace, name });
  checkUnbound(pod);
  // The client that binds a pod owns nothing of it.
  if (!options.isDryRun) store.put(stored.key, bound(pod, binding, formatTime(server.clock.now())), false, owned);
  return { code: 201, status: success(undefined, 201) };
}

function checkTarget({ kind = "", name = "" }: { kind?: string; name?: string }): void {
  if (kind !== "" && kind !== "Node")
    throw plainError(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`);
  if (name === "") throw plainError("target.name: Required value");
}

function checkPreconditions(
  binding: Binding,
  pod: Pod,
  request: Pick<ResourceRequest, "definition" | "namespace" | "name">,
): void {
  const { uid, resourceVersion } = binding.metadata;
  const refuse = (message: string): never => {
    throw conflict(podResource, request.name, storageError(request, message));
  };
  if (uid && uid !== pod.metadata.uid) refuse(`UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`);
  if (resourceVersion && resourceVersion !== pod.metadata.resourceVersion) {
    refuse(
      `ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${pod.metadata.resourceVersion}`,
    );
  }
}

function checkUnbound({ metadata, spec }: Pod): void {
  const { name, deletionTimestamp } = metadata;
  const refuse = (message: string): never => {
    throw conflict({ group: "", name: "pods/binding" }, name, message);
  };
  if (deletionTimestamp) refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec.nodeName) refuse(`pod ${name} is already assigned to node "${spec.nodeName}"`);
  if ((spec.schedulingGates?.length ?? 0) > 0) refuse(`pod ${name} has non-empty .spec.schedulingGates`);
}

const podSpec = structType("PodSpec");
const podStatus = structType("PodStatus");

function bound(pod: Pod, binding: Binding, now: string): Pod {
  const { annotations, labels } = binding.metadata;
  const spec = withMembers(pod.spec, { nodeName: binding.target.name! }, podSpec);
  const { nominatedNodeName: _used, ...before } = pod.status;
  const status = withMembers(before, withCondition(before, scheduled(now)), podStatus);
  if (!labels && !annotations) return { ...pod, spec, status };
  const metadata = {
    ...pod.metadata,
    ...(labels && { labels: { ...pod.metadata.labels, ...labels } }),
    ...(annotations && { annotations: { ...pod.metadata.annotations, ...annotations } }),
  };
  return normalize({ ...pod, metadata, spec, status }, structType("Pod"), pod);
}

/** The status with a condition, which replaces one of the same type. */
export function withCondition(status: PodStatus, condition: PodCondition): PodStatus {
  return { ...status, conditions: conditionsWith(status.conditions, condition) };
}

const conditionsWith = memoize((conditions: readonly PodCondition[] = [], condition: PodCondition): PodCondition[] => {
  const at = conditions.findIndex((other) => other.type === condition.type);
  return at < 0 ? [...conditions, condition] : conditions.with(at, condition);
});

const scheduled = memoize((now: string): PodCondition => ({
  type: "PodScheduled",
  status: "True",
  lastProbeTime: null,
  lastTransitionTime: now,
}));
