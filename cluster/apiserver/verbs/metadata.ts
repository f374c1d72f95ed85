/**
 * The rules of metadata for every kind: what the server fills in, what it validates, what an update may change. For
 * kinds with an admission function, that function checks new objects.
 */
import type { KubeObject, ObjectMeta, OwnerReference } from "../../values/types.ts";
import type { ResourceDefinition, ResourceRequest } from "../contract/context.ts";
import { stringify } from "../../values/json.ts";
import {
  generateUid,
  labelErrors,
  labelValueErrors,
  qualifiedNameErrors,
  subdomainErrors,
} from "../../values/names.ts";
import { badRequest, type FieldError } from "../contract/status-errors.ts";
import { trimmedEnd } from "../../values/text.ts";
import { formatTime } from "../../values/times.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
import type { ServedVersion } from "../../values/kubernetes-versions.ts";
import type { Warnings } from "../contract/warnings.ts";

const maxAnnotationBytes = 262_144;

/** The metadata of a new object: what the client may set, a uid and the time. */
export function newMetadata(given: ObjectMeta, namespace: string, name: string, request: ResourceRequest): ObjectMeta {
  const { generateName, labels, annotations, ownerReferences, finalizers } = given;
  const metadata = { name } as ObjectMeta;
  if (generateName !== undefined) metadata.generateName = generateName;
  if (namespace !== "") metadata.namespace = namespace;
  metadata.uid = generateUid(request.server.random);
  // Where the server does not count generations, a client may begin with any number.
  const generation = request.definition.hasGeneration ? 1 : given.generation;
  if (generation) metadata.generation = generation;
  metadata.creationTimestamp = formatTime(request.server.clock.now());
  if (labels) metadata.labels = labels;
  if (annotations) metadata.annotations = annotations;
  if (ownerReferences) metadata.ownerReferences = uniqueOwners(ownerReferences, request.warnings, "");
  if (finalizers) metadata.finalizers = finalizers;
  return metadata;
}

/**
 * The metadata after an update. Fields that only the server sets are restored. `isPatch` changes the text of the
 * warning about repeated owners.
 */
export function updatedMetadata(
  given: ObjectMeta,
  current: ObjectMeta,
  isPatch: boolean,
  warnings: Warnings,
): ObjectMeta {
  if (given === current) return given;
  const restored: ObjectMeta = {
    ...withoutManagedFields(given),
    uid: given.uid || current.uid,
    creationTimestamp: current.creationTimestamp,
    resourceVersion: current.resourceVersion,
  };
  if (current.namespace !== undefined) restored.namespace ??= current.namespace;
  else delete restored.namespace;
  if (current.generation !== undefined) restored.generation = current.generation;
  else if (restored.generation !== undefined) delete restored.generation;
  if (current.deletionTimestamp !== undefined) restored.deletionTimestamp ??= current.deletionTimestamp;
  if (current.deletionGracePeriodSeconds !== undefined)
    restored.deletionGracePeriodSeconds ??= current.deletionGracePeriodSeconds;
  if (given.ownerReferences)
    restored.ownerReferences = uniqueOwners(
      given.ownerReferences,
      warnings,
      isPatch ? " after mutating admission happens" : "",
    );
  return restored;
}

function withoutManagedFields(metadata: ObjectMeta): ObjectMeta {
  if (metadata.managedFields === undefined) return metadata;
  const { managedFields: _ignored, ...rest } = metadata;
  return rest;
}

function uniqueOwners(owners: OwnerReference[], warnings: Warnings, when: string): OwnerReference[] {
  if (owners.length < 2) return owners;
  const repeated = new Set<string>();
  // Compared in written form, in which equal references have equal texts.
  const seen = new Set<string>();
  const unique = owners.filter((owner) => {
    const text = stringify(owner);
    const isFirst = !seen.has(text);
    if (isFirst) seen.add(text);
    else repeated.add(owner.uid);
    return isFirst;
  });
  if (repeated.size === 0) return owners;
  warnings.add(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...repeated].join(", ")}`,
  );
  return unique;
}

/** @throws ApiError 400 for a namespace or name that differs from the request's path */
export function checkPath(object: KubeObject, request: ResourceRequest): void {
  const { namespace, name } = object.metadata;
  if (namespace && namespace !== request.namespace && request.definition.isNamespaced) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (request.name !== "" && (name ?? "") !== request.name) {
    if (!name) {
      const which = `the name of the object (${request.name} based on URL)`;
      throw badRequest(`${which} was undeterminable: name must be provided`);
    }
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${request.name})`);
  }
}

const ruledParts = ["name", "generateName", "labels", "annotations", "ownerReferences", "finalizers"] as const;
const noErrors: readonly FieldError[] = [];

/**
 * Checks the rules of new metadata, which hold after every update too. Parts shared with the stored metadata `known`
 * were checked before.
 */
export function validateMetadata(
  given: ObjectMeta,
  { definition, server }: Pick<ResourceRequest, "definition" | "server">,
  known?: ObjectMeta,
): readonly FieldError[] {
  if (given === known) return noErrors;
  const metadata = known === undefined ? given : changedParts(given, known);
  if (metadata === undefined) return noErrors;
  const errors: FieldError[] = [];
  const isInvalid = (field: string, value: FieldError["value"], details: readonly string[]): void => {
    for (const detail of details) errors.push({ kind: "Invalid", field, value, detail });
  };
  if (metadata.generateName)
    isInvalid("metadata.generateName", metadata.generateName, nameErrors(nameFrom(metadata.generateName), definition));
  if (!given.name)
    errors.push({ kind: "Required", field: "metadata.name", detail: "name or generateName is required" });
  else if (given.name !== known?.name) isInvalid("metadata.name", given.name, nameErrors(given.name, definition));
  for (const key in metadata.labels) {
    const value = metadata.labels[key]!;
    if (known?.labels?.[key] === value) continue;
    isInvalid("metadata.labels", key, qualifiedNameErrors(key));
    isInvalid("metadata.labels", value, labelValueErrors(value));
  }
  let annotationBytes = 0;
  for (const key in metadata.annotations) {
    if (known?.annotations?.[key] === undefined)
      isInvalid("metadata.annotations", key, qualifiedNameErrors(key.toLowerCase()));
    annotationBytes += key.length + metadata.annotations[key]!.length;
  }
  if (annotationBytes > maxAnnotationBytes)
    errors.push({
      kind: "TooLong",
      field: "metadata.annotations",
      detail: `may not be more than ${maxAnnotationBytes} bytes`,
    });
  const { ownerReferences, finalizers } = metadata;
  if (ownerReferences) errors.push(...validateOwners(ownerReferences, server.kubernetes));
  if (finalizers) errors.push(...validateFinalizers(finalizers, definition));
  return errors;
}

/** A name that could be made from the base, to check that such names are valid. */
function nameFrom(base: string): string {
  const trimmed = trimmedEnd(base, "-.");
  return trimmed === base ? base : `${trimmed}a`;
}

/** The changed parts that have rules. Undefined: none has changed. */
function changedParts(given: ObjectMeta, known: ObjectMeta): Partial<ObjectMeta> | undefined {
  let changed: Record<string, unknown> | undefined;
  for (const part of ruledParts) if (given[part] !== known[part]) (changed ??= {})[part] = given[part];
  return changed;
}

function nameErrors(name: string, definition: ResourceDefinition): string[] {
  if (definition.nameSyntax === "label") return labelErrors(name);
  if (definition.nameSyntax === "subdomain") return subdomainErrors(name);
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"]
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}

function validateOwners(owners: readonly OwnerReference[], kubernetes: ServedVersion): FieldError[] {
  const field = "metadata.ownerReferences";
  const isPrecise = !isAhead("precise-metadata-errors", kubernetes);
  const errors: FieldError[] = [];
  let controller: OwnerReference | undefined;
  for (const [index, owner] of owners.entries()) {
    const ownField = isPrecise ? `${field}[${index}]` : field;
    errors.push(...(isPrecise ? ownerErrors(owner, ownField) : earlierOwnerErrors(owner, ownField)));
    if (owner.apiVersion === "v1" && owner.kind === "Event") {
      errors.push({
        kind: "Invalid",
        field: ownField,
        value: { ...owner },
        detail: "/v1, Kind=Event is disallowed from being an owner",
      });
    }
    if (!owner.controller) continue;
    if (controller)
      errors.push({
        kind: "Invalid",
        field,
        value: owners.map((other) => ({ ...other })),
        detail: `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${owner.kind}/${owner.name}`,
      });
    controller ??= owner;
  }
  return errors;
}

const namedParts = ["kind", "name", "uid"] as const;
const notEmpty = "must not be empty";

function ownerErrors(owner: OwnerReference, field: string): FieldError[] {
  const missing = (["apiVersion", ...namedParts] as const)
    .filter((part) => !owner[part])
    .map((part) => ({ kind: "Required", field: `${field}.${part}`, detail: notEmpty }) as const);
  if (!owner.apiVersion || isGroupVersion(owner.apiVersion)) return missing;
  const detail = "must be <group>/<version> or <version>";
  return [{ kind: "Invalid", field: `${field}.apiVersion`, value: owner.apiVersion, detail }, ...missing];
}

/** Before 1.37. */
function earlierOwnerErrors(owner: OwnerReference, field: string): FieldError[] {
  const { apiVersion = "" } = owner;
  const error = (part: string, value: string, detail: string): FieldError => ({
    kind: "Invalid",
    field: `${field}.${part}`,
    value,
    detail,
  });
  return [
    ...(isGroupVersion(apiVersion) ? [] : [error("apiVersion", apiVersion, "version must not be empty")]),
    ...namedParts.filter((part) => !owner[part]).map((part) => error(part, owner[part] ?? "", notEmpty)),
  ];
}

function isGroupVersion(apiVersion: string): boolean {
  return /^([^/]*\/)?[^/]+$/.test(apiVersion);
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function validateFinalizers(finalizers: readonly string[], { body }: ResourceDefinition): FieldError[] {
  const field = "metadata.finalizers";
  const errors: FieldError[] = [];
  for (const finalizer of finalizers)
    for (const detail of qualifiedNameErrors(finalizer))
      errors.push({ kind: "Invalid", field, value: finalizer, detail });
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion"))
    errors.push({
      kind: "Invalid",
      field,
      value: [...finalizers],
      detail: "finalizer orphan and foregroundDeletion cannot be both set",
    });
  finalizers.forEach((finalizer, index) => {
    if (finalizer.includes("/") || standardFinalizers.has(finalizer) || body.read) return;
    errors.push({
      kind: "Invalid",
      field: `${field}[${index}]`,
      value: finalizer,
      detail: "name is neither a standard finalizer name nor is it fully qualified",
    });
  });
  return errors;
}

const immutable = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** What an update must not change. */
export function validateMetadataUpdate(metadata: ObjectMeta, current: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  if (metadata === current) return errors;
  for (const field of immutable) {
    if ((metadata[field] ?? null) === (current[field] ?? null)) continue;
    errors.push({
      kind: "Invalid",
      field: `metadata.${field}`,
      value: metadata[field] ?? null,
      detail: "field is immutable",
    });
  }
  if (current.deletionTimestamp) {
    const before = new Set(current.finalizers);
    const added = (metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
    if (added.length > 0) {
      const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(", ")}}`;
      errors.push({
        kind: "Forbidden",
        field: "metadata.finalizers",
        detail: `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
      });
    }
  }
  return errors;
}
