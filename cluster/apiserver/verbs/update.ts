/**
 * Changing an object: by PUT here, by PATCH through patch.ts, and by the server itself (binding, eviction). All go
 * through updateObject. It handles optimistic locking, what may change, generation, admission, writes that change
 * nothing, and the removal of an object that lost its last finalizer.
 */
import type { KubeObject, TypedObject } from "../../values/types.ts";
import { admit } from "./admission.ts";
import { keyOf, type Outcome, type ResourceRequest } from "../contract/context.ts";
import { chargeQuotas, createObject, readBody, resourceName, seen, stored, storedKind } from "./create.ts";
import { normalize } from "../schema/decode.ts";
import { deepEqual } from "../../values/json.ts";
import { checkPath, updatedMetadata, validateMetadata, validateMetadataUpdate } from "./metadata.ts";
import { refuseTooLarge } from "./object-size.ts";
import { conflict, invalid, modified, notFound, plainError } from "../contract/status-errors.ts";
import type { Stored } from "../storage/store.ts";
import { writeOptions } from "./write-options.ts";

/** Handles PUT. @throws ApiError */
export function update(request: ResourceRequest): Outcome {
  const { definition } = request;
  const options = writeOptions(request.query, "UpdateOptions");
  const object = readBody(request, definition.body, options.fieldValidation);
  checkPath(object, request);
  const current = request.server.store(definition).get(keyOf(request.namespace, request.name));
  if (!current) {
    if (!definition.createsOnUpdate || request.subresource) throw notFound(resourceName(request), request.name);
    const { resourceVersion: _unset, uid: expected, ...metadata } = object.metadata;
    if (expected)
      throw conflict(
        resourceName(request),
        request.name,
        storageError(request, `UID in precondition: ${expected}, UID in object meta: `),
      );
    return createObject({ ...object, metadata: metadata as KubeObject["metadata"] }, request, options.isDryRun);
  }
  const { uid } = object.metadata;
  if (uid && uid !== current.object.metadata.uid) {
    throw conflict(
      resourceName(request),
      request.name,
      storageError(request, `UID in precondition: ${uid}, UID in object meta: ${current.object.metadata.uid}`),
    );
  }
  return updateObject(object, current, request, { isDryRun: options.isDryRun, isPatch: false });
}

/** The error text for a precondition that the store itself checks. */
export function storageError(
  { definition, namespace, name }: Pick<ResourceRequest, "definition" | "namespace" | "name">,
  message: string,
): string {
  return `StorageError: invalid object, Code: 4, Key: /registry/${definition.storageKey ?? definition.storage}/${keyOf(namespace, name)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${message}`;
}

/** The object as the request's group version shows it. */
export function versioned(current: Stored, request: ResourceRequest): KubeObject {
  const object = seen(current, request);
  return request.definition.conversion?.fromStored(object) ?? object;
}

export interface UpdateRules {
  readonly isDryRun: boolean;
  readonly isPatch: boolean;
  /** Gives the finished object its owners. By default the client that changes a field owns it. */
  readonly own?: (object: KubeObject) => KubeObject;
}

/**
 * Stores a new state of an object. It must be in written form: decoded, or derived from the stored object.
 * @throws ApiError 409 for a stale resourceVersion, 422 for a forbidden change or an invalid object
 */
export function updateObject(
  given: KubeObject,
  stale: Stored,
  request: ResourceRequest,
  { isDryRun, isPatch, own }: UpdateRules,
): Outcome {
  const { definition, server } = request;
  const current = versioned(stale, request);
  checkResourceVersion(given, current, request);
  const metadata = updatedMetadata(given.metadata, current.metadata, isPatch, request.warnings);
  const drafted = metadata === given.metadata ? given : { ...given, metadata };
  const changed = prepare(drafted, current, request);
  const prepared = changed === given ? given : normalize(changed, definition.body.type, given);
  refuseTooLarge(prepared, request);
  const validated = withGeneration(review(prepared, current, request), current, request);
  const object =
    own?.(validated) ?? server.fieldOwners?.updated(validated, current, given.metadata, request) ?? validated;
  if (object !== validated) refuseTooLarge(object, request);
  chargeQuotas(object, current, request, isDryRun);
  const store = server.store(definition);
  const next = definition.conversion?.toStored(object) ?? object;
  const isFinished = isDeleted(next, request);
  if (isDryRun || isFinished) {
    if (isFinished && !isDryRun) store.remove(stale.key);
    return { code: 200, object };
  }
  if (deepEqual(next, seen(stale, request))) return stored(stale, request);
  const owned = server.fieldOwners?.ownedAfter(stale, request);
  return stored(store.put(stale.key, next, request.content !== undefined, owned), request);
}

function checkResourceVersion(given: KubeObject, current: KubeObject, request: ResourceRequest): void {
  const { resourceVersion } = given.metadata;
  const { definition } = request;
  if (resourceVersion && !/^\d+$/.test(resourceVersion))
    throw plainError(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  if (!resourceVersion || resourceVersion === "0") {
    if (definition.allowsUnconditionalUpdate) return;
    throw invalid({ group: definition.group, name: definition.resource }, request.name, [
      { kind: "Invalid", field: "metadata.resourceVersion", value: 0, detail: "must be specified for an update" },
    ]);
  }
  if (resourceVersion !== current.metadata.resourceVersion) throw modified(resourceName(request), request.name);
}

/** An update of the main resource keeps the status, and an update of the status keeps the rest. */
function prepare(object: KubeObject, current: KubeObject, request: ResourceRequest): KubeObject {
  const { strategy } = request.definition;
  if (!request.subresource) {
    const kept = strategy.writesStatus ? object : keepMember("status", object, current);
    return strategy.prepareUpdate?.(kept, current, request) ?? kept;
  }
  return strategy.prepareSubresourceUpdate?.(object, current, request) ?? keepSpec(object, current);
}

interface Parts {
  readonly spec?: unknown;
  readonly status?: unknown;
}
type WithParts = TypedObject & Parts;

/** The object with the stored spec. */
export function keepSpec<Kind extends WithParts>(object: Kind, current: Kind): Kind {
  return keepMember("spec", object, current);
}

function keepMember<Kind extends WithParts>(name: keyof Parts, object: Kind, current: Kind): Kind {
  return name in current && object[name] !== current[name] ? { ...object, [name]: current[name] } : object;
}

/** A changed object, ready to be stored, with the changes of plugins. */
function review(prepared: KubeObject, current: KubeObject, request: ResourceRequest): KubeObject {
  const complete = (object: KubeObject) => validate(object, current, request);
  const validated = complete(prepared);
  return request.server.plugins?.review(validated, current, request, complete) ?? validated;
}

function validate(object: KubeObject, current: KubeObject, request: ResourceRequest): KubeObject {
  const { definition } = request;
  const isAdmitted = definition.hasAdmission && needsAdmission(object, current, request);
  const errors = [
    ...validateMetadataUpdate(object.metadata, current.metadata),
    ...(isAdmitted ? [] : validateMetadata(object.metadata, request, current.metadata)),
    ...(definition.strategy.validate?.(object, current, request) ?? []),
  ];
  if (isAdmitted) return admit(object, current, request, errors);
  if (errors.length > 0) throw invalid(storedKind(definition), object.metadata.name ?? "", errors);
  return object;
}

/**
 * Admission reviews a Pod only when its spec changes. It has no rules for metadata and status, which change all the
 * time.
 */
function needsAdmission(object: KubeObject, current: KubeObject, request: ResourceRequest): boolean {
  if (request.definition.body.kind !== "Pod") return true;
  return !request.subresource && !deepEqual(object["spec"], current["spec"]);
}

function withGeneration(object: KubeObject, current: KubeObject, { definition }: ResourceRequest): KubeObject {
  if (!definition.hasGeneration || deepEqual(object["spec"], current["spec"])) return object;
  return { ...object, metadata: { ...object.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
}

/** Whether to remove the object: it was deleted, no grace period is left, and nothing holds it any more. */
function isDeleted(object: KubeObject, { definition }: ResourceRequest): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (!deletionTimestamp || deletionGracePeriodSeconds || finalizers?.length) return false;
  return !definition.strategy.isHeld?.(object);
}
