/** Creating an object: decode, namespace, metadata, the kind's strategy, admission, validation, quotas, store. */
import type { Pod } from "../../values/kinds.ts";
import type { KubeObject } from "../../values/types.ts";
import { admit } from "./admission.ts";
import { keyOf, type Outcome, type ResourceDefinition, type ResourceRequest } from "../contract/context.ts";
import { type BodyKind, cannotBeHandled, decodeBody, decodeContent, DecodeError, normalize } from "../schema/decode.ts";
import { checkPath, newMetadata, validateMetadata } from "./metadata.ts";
import { generateName } from "../../values/names.ts";
import { refuseTooLarge } from "./object-size.ts";
import {
  alreadyExists,
  badRequest,
  forbidden,
  type GroupName,
  invalid,
  notFound,
  plainError,
} from "../contract/status-errors.ts";
import { itemOf } from "./list.ts";
import type { Stored } from "../storage/store.ts";
import { type FieldValidation, reportProblems, writeOptions } from "./write-options.ts";

const maxGenerateNameAttempts = 8;

/** Handles POST to a collection. @throws ApiError */
export function create(request: ResourceRequest): Outcome {
  const options = writeOptions(request.query, "CreateOptions");
  const { definition, server } = request;
  const known = definition.conversion ? undefined : server.store(definition).latest;
  const object = readBody(request, definition.body, options.fieldValidation, known);
  checkPath(object, request);
  return createObject(object, request, options.isDryRun);
}

/** Decodes the body of a request. For `known` see `conform`. @throws ApiError 400 */
export function readBody(
  request: ResourceRequest,
  body: BodyKind,
  level: FieldValidation,
  known?: KubeObject,
): KubeObject {
  if (request.isWritten) return request.content as unknown as KubeObject;
  try {
    const hidden = request.server.unknownFields;
    const { object, problems } =
      request.content === undefined
        ? decodeBody(request.body, body, known, hidden)
        : decodeContent(request.content, body, known, hidden);
    const refusal = reportProblems(problems, level, request);
    if (refusal) throw new DecodeError(cannotBeHandled({ ...object }, body, refusal));
    return object;
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}

/** The kind for validation: a kind with two versions is validated as it is stored, in the core group. */
export function storedKind({ group, body: { kind } }: ResourceDefinition): GroupName {
  return { group: kind === "Event" ? "" : group, name: kind };
}

/** The resource of a definition as error texts name it. */
export function resourceName({ definition }: ResourceRequest): GroupName {
  return { group: definition.group, name: definition.resource };
}

/**
 * Stores a decoded object that does not exist yet.
 * @param own gives the finished object its owners
 * @throws ApiError
 */
export function createObject(
  given: KubeObject,
  request: ResourceRequest,
  isDryRun: boolean,
  own = (object: KubeObject) => request.server.fieldOwners?.created(object, given, request) ?? object,
): Outcome {
  const { server, definition, namespace } = request;
  checkNamespace(request, given.metadata.name ?? "");
  if (/^\d*[1-9]\d*$/.test(given.metadata.resourceVersion ?? ""))
    throw plainError("resourceVersion should not be set on objects to be created");
  const store = server.store(definition);
  const name = given.metadata.name || generatedName(given, request);
  const drafted = { ...given, metadata: newMetadata(given.metadata, namespace, name, request) };
  const prepared = prepare(drafted, given, request);
  refuseTooLarge(prepared, request);
  const object = own(review(prepared, request));
  chargeQuotas(object, undefined, request, isDryRun);
  const key = keyOf(namespace, name);
  const existing = store.get(key);
  if (existing)
    throw alreadyExists(
      resourceName(request),
      name,
      existing.bare.metadata.deletionTimestamp ? "object is being deleted: " : "",
    );
  if (isDryRun) return { code: 201, object };
  const next = definition.conversion?.toStored(object) ?? object;
  const owned = server.fieldOwners?.ownedAtFirst(given, request);
  return stored(store.put(key, next, request.content !== undefined, owned), request, 201);
}

/** The initial object of a creation. New metadata is made in written form, so the whole object may be in it already. */
function prepare(drafted: KubeObject, given: KubeObject, request: ResourceRequest): KubeObject {
  const { strategy, body } = request.definition;
  if (request.isWritten && strategy.prepareCreate === undefined) return drafted;
  return normalize(strategy.prepareCreate?.(drafted, request) ?? drafted, body.type, given);
}

/** @throws ApiError 403 if an object exceeds the quotas of its namespace. `current` is absent on create */
export function chargeQuotas(
  object: KubeObject,
  current: KubeObject | undefined,
  request: ResourceRequest,
  isDryRun: boolean,
): void {
  const refusal = request.server.quotas?.charge(object, current, request, isDryRun);
  if (refusal !== undefined) throw forbidden(resourceName(request), object.metadata.name, refusal);
}

/** A new object, ready to be stored, with its defaults and the changes of plugins. */
function review(prepared: KubeObject, request: ResourceRequest): KubeObject {
  const completed = complete(prepared, request);
  const { plugins } = request.server;
  if (plugins === undefined) return completed;
  const shown = request.definition.strategy.beforePlugins?.(completed, prepared, request) ?? completed;
  const reviewed = plugins.review(shown, undefined, request, (changed) => completeAnew(changed, request));
  return shown === completed ? reviewed : completeAnew(reviewed, request);
}

/** What plugins make of the body of a creation that stores no separate object: a binding, an eviction. */
export function reviewedPart(part: KubeObject, request: ResourceRequest): KubeObject {
  const placed = { ...part, metadata: { ...part.metadata, namespace: request.namespace } };
  return request.server.plugins?.review(placed, undefined, request, (changed) => changed) ?? part;
}

/** Defaults and validates a new object. */
function complete(prepared: KubeObject, request: ResourceRequest): KubeObject {
  const { definition, server } = request;
  if (definition.body.kind !== "Pod") return completeAnew(prepared, request);
  const followed = server.podPrecedents.follow(prepared as Pod, request);
  if (followed) return followed;
  const warningsBefore = request.warnings.count;
  const completed = completeAnew(prepared, request);
  if (request.warnings.count === warningsBefore) server.podPrecedents.set(prepared as Pod, completed as Pod);
  return completed;
}

function completeAnew(prepared: KubeObject, request: ResourceRequest): KubeObject {
  const { definition } = request;
  const admitted = definition.hasAdmission ? admit(prepared, undefined, request, []) : prepared;
  const object = normalize(
    definition.strategy.completeCreate?.(admitted, request) ?? admitted,
    definition.body.type,
    admitted,
  );
  const errors = [
    ...(definition.hasAdmission ? [] : validateMetadata(object.metadata, request)),
    ...(definition.strategy.validate?.(object, undefined, request) ?? []),
  ];
  if (errors.length > 0) throw invalid(storedKind(definition), object.metadata.name ?? "", errors);
  return object;
}

/** The object as it is stored, without its owners if the request leaves them out. */
export function seen(stored: Stored, { omitsOwners }: ResourceRequest): KubeObject {
  return omitsOwners ? stored.bare : stored.object;
}

/** The response with a stored object in the version of the request. */
export function stored(written: Stored, request: ResourceRequest, code = 200): Outcome {
  const item = itemOf(written, request);
  return { code, object: item.object, stored: item };
}

function generatedName({ metadata }: KubeObject, request: ResourceRequest): string {
  if (!metadata.generateName) return "";
  const store = request.server.store(request.definition);
  for (let attempt = 0, name = ""; ; attempt++) {
    name = generateName(metadata.generateName, request.server.random);
    if (!store.get(keyOf(request.namespace, name))) return name;
    if (attempt === maxGenerateNameAttempts) {
      throw alreadyExists(
        resourceName(request),
        name,
        "",
        ", the server was not able to generate a unique name for the object",
        1,
      );
    }
  }
}

/** Nothing is created in a namespace that is missing or being deleted. */
function checkNamespace(request: ResourceRequest, name: string): void {
  const { server, namespace } = request;
  if (namespace === "") return;
  const namespaces = server.definition("", "namespaces");
  const stored = server.store(namespaces).get(namespace);
  if (!stored) throw notFound({ group: "", name: "namespaces" }, namespace);
  if (!stored.bare.metadata.deletionTimestamp) return;
  throw forbidden(
    resourceName(request),
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  );
}
