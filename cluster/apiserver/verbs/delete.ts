/**
 * DELETE of an object or a collection: preconditions, grace for pods, and the finalizers that carry the propagation
 * policy. The garbage collector sees those finalizers and takes care of the dependents.
 */
import type { JsonObject, KubeObject } from "../../values/types.ts";
import {
  keyOf,
  type ListItem,
  type Outcome,
  type ResourceDefinition,
  type ResourceRequest,
} from "../contract/context.ts";
import { resourceName, seen, stored } from "./create.ts";
import { deleteOptions, type DeleteOptions } from "./delete-options.ts";
import { listResult } from "./list.ts";
import { listOptions } from "./list-options.ts";
import { failure, notFound, qualified, success } from "../contract/status-errors.ts";
import type { Store } from "../storage/store.ts";
import { formatTime, parseTime } from "../../values/times.ts";

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";
const orphanWarning =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";
const defaultPodGraceSeconds = 30;

/** Handles DELETE of one object. @throws ApiError */
export function deleteOne(request: ResourceRequest): Outcome {
  const options = deleteOptions(request);
  warnAboutOrphans(options, request);
  return deleteObject(options, request);
}

/**
 * Handles DELETE of a collection: deletes what the selectors match, one by one, and returns the list. @throws ApiError
 */
export function deleteCollection(request: ResourceRequest): Outcome {
  const options = deleteOptions(request);
  warnAboutOrphans(options, request);
  const result = listResult(request, listOptions(request));
  const deletions = (result.items as readonly ListItem[]).map(({ object: { metadata } }) => ({
    ...request,
    body: "",
    namespace: metadata.namespace ?? "",
    name: metadata.name,
  }));
  request.server.plugins?.prepareDeletes(deletions);
  for (const deletion of deletions) deleteObject(options, deletion);
  return { code: 200, list: result };
}

function warnAboutOrphans(options: DeleteOptions, request: ResourceRequest): void {
  if (request.definition.resource !== "jobs") return;
  if (options.propagationPolicy === undefined && options.orphanDependents === undefined)
    request.warnings.add(orphanWarning);
}

/** @throws ApiError 404, 409 for a failed precondition */
export function deleteObject(options: DeleteOptions, request: ResourceRequest): Outcome {
  const { server, definition } = request;
  const store = server.store(definition);
  const current = store.get(keyOf(request.namespace, request.name));
  if (!current) throw notFound(resourceName(request), request.name);
  const object = seen(current, request);
  checkPreconditions(options, object, request);
  server.plugins?.reviewDelete(object, request);
  const allowed = definition.strategy.prepareDelete?.(object, request) ?? object;
  const finalizers = deletionFinalizers(allowed, options, definition);
  const marked = withFinalizers(mark(allowed, options, request), finalizers);
  const isHeld = finalizers.length > 0 || definition.strategy.isHeld?.(marked);
  if (!isHeld && !isPending(marked, object, request)) return removeNow(marked, object, options, request, store);
  const code = options.orphanDependents === false ? 202 : 200;
  if (options.isDryRun) return { code, object: marked };
  if (marked === object) return stored(current, request, code);
  // The client that deletes an object owns nothing of it.
  return stored(store.put(current.key, marked, false, current.owned), request, code);
}

/** Whether the kubelet's delete is still to come: the pod has grace left, or an earlier delete set its grace to 0. */
function isPending(marked: KubeObject, current: KubeObject, request: ResourceRequest): boolean {
  if (!isPod(request)) return false;
  return (
    Boolean(marked.metadata.deletionGracePeriodSeconds) ||
    (current.metadata.deletionTimestamp !== undefined && marked === current)
  );
}

function removeNow(
  marked: KubeObject,
  current: KubeObject,
  options: DeleteOptions,
  request: ResourceRequest,
  store: Store,
): Outcome {
  const { definition } = request;
  if (!options.isDryRun) store.remove(keyOf(request.namespace, request.name));
  // Only objects that end gradually are marked: a pod, a namespace.
  if (definition.returnsDeletedObject)
    return { code: 200, object: isPod(request) || definition.strategy.isHeld ? marked : current };
  const { uid } = current.metadata;
  return {
    code: 200,
    status: success({ name: request.name, group: definition.group, kind: definition.resource, uid }),
  };
}

function checkPreconditions(
  { preconditions }: DeleteOptions,
  { metadata }: KubeObject,
  { definition, name }: ResourceRequest,
): void {
  const kind = { group: definition.group, name: definition.body.kind };
  const refuse = (message: string): never => {
    throw failure({
      code: 409,
      reason: "Conflict",
      message: `Operation cannot be fulfilled on ${qualified(kind)} "${name}": ${message}`,
      details: { name, group: kind.group, kind: kind.name },
    });
  };
  const { uid, resourceVersion } = preconditions ?? {};
  if (uid !== undefined && uid !== metadata.uid) {
    refuse(
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    refuse(
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

/** The finalizers after a delete with these options. The policy decides about the garbage collector's two. */
function deletionFinalizers(
  { metadata }: KubeObject,
  options: DeleteOptions,
  { orphansByDefault, storage, strategy }: ResourceDefinition,
): string[] {
  const existing = metadata.finalizers ?? [];
  // Nothing belongs to an Event, and a terminating Namespace stays as it is.
  if (storage === "events" || (strategy.isHeld && metadata.deletionTimestamp)) return existing;
  const policy = effectivePolicy(existing, options, orphansByDefault);
  const others = existing.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer);
  if (policy === "Orphan") others.push(orphanFinalizer);
  if (policy === "Foreground") others.push(foregroundFinalizer);
  // If the set stays the same, so does the order.
  const before = new Set(existing);
  return others.length === existing.length && others.every((finalizer) => before.has(finalizer)) ? existing : others;
}

function effectivePolicy(
  existing: readonly string[],
  options: DeleteOptions,
  orphansByDefault: boolean,
): "Orphan" | "Foreground" | "Background" {
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  if (options.orphanDependents !== undefined) return options.orphanDependents ? "Orphan" : "Background";
  if (existing.includes(orphanFinalizer)) return "Orphan";
  if (existing.includes(foregroundFinalizer)) return "Foreground";
  return orphansByDefault ? "Orphan" : "Background";
}

function withFinalizers(object: KubeObject, finalizers: string[]): KubeObject {
  const existing = object.metadata.finalizers ?? [];
  if (finalizers === existing || (finalizers.length === 0 && existing.length === 0)) return object;
  const { finalizers: _replaced, managedFields, ...rest } = object.metadata;
  const metadata = { ...rest, ...(finalizers.length > 0 && { finalizers }), ...(managedFields && { managedFields }) };
  return { ...object, metadata };
}

function isPod({ definition }: ResourceRequest): boolean {
  return definition.body.kind === "Pod";
}

/**
 * Marks an object as being deleted. Returns the same object if it is marked already, unless its grace period gets
 * shorter.
 */
function mark(object: KubeObject, options: DeleteOptions, request: ResourceRequest): KubeObject {
  const nowMs = request.server.clock.now();
  if (object.metadata.deletionTimestamp) return isPod(request) ? shortenGrace(object, options, nowMs) : object;
  const graceSeconds = isPod(request) ? podGraceSeconds(object, options) : 0;
  const marks: JsonObject = { deletionTimestamp: formatTime(nowMs + graceSeconds * 1000) };
  // A kind that more than its finalizers can hold, such as a Namespace, has no grace period.
  if (!request.definition.strategy.isHeld) marks["deletionGracePeriodSeconds"] = graceSeconds;
  return withMarks(object, marks);
}

function withMarks(object: KubeObject, marks: JsonObject): KubeObject {
  const { name, generateName, namespace, uid, resourceVersion, generation, creationTimestamp, ...rest } =
    object.metadata;
  const metadata = {
    name,
    ...(generateName !== undefined && { generateName }),
    ...(namespace !== undefined && { namespace }),
    uid,
    resourceVersion,
    ...(generation !== undefined && { generation: generation + 1 }),
    creationTimestamp,
    ...marks,
    ...rest,
  };
  return { ...object, metadata };
}

function podGraceSeconds(pod: KubeObject, { gracePeriodSeconds }: DeleteOptions): number {
  const phase = pod["status"]?.phase;
  if (!pod["spec"]?.nodeName || phase === "Succeeded" || phase === "Failed") return 0;
  const graceSeconds: number =
    gracePeriodSeconds ?? pod["spec"].terminationGracePeriodSeconds ?? defaultPodGraceSeconds;
  return graceSeconds < 0 ? 1 : graceSeconds;
}

function shortenGrace(pod: KubeObject, { gracePeriodSeconds }: DeleteOptions, nowMs: number): KubeObject {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  if (gracePeriodSeconds === undefined) return pod;
  let graceSeconds = gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds;
  if (graceSeconds >= deletionGracePeriodSeconds) return pod;
  let deadlineMs = parseTime(deletionTimestamp) - (deletionGracePeriodSeconds - graceSeconds) * 1000;
  if (deadlineMs < nowMs) {
    deadlineMs = nowMs;
    if (graceSeconds > 0) graceSeconds = 1;
  }
  return {
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: formatTime(deadlineMs), deletionGracePeriodSeconds: graceSeconds },
  };
}
