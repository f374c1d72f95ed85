/**
 * Handles `PATCH` with `application/apply-patch+yaml`: merges a configuration into the object, which it creates if
 * there is none. What the server does after a merge is the same as for every other write (verbs/create.ts, update.ts).
 */
import type { JsonObject, KubeObject, ObjectMeta } from "../../values/types.ts";
import { keyOf, type Outcome, type ResourceRequest } from "../contract/context.ts";
import { createObject, resourceName } from "../verbs/create.ts";
import { decodeValue, DecodeError } from "../schema/decode.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
import { isObject } from "../../values/json.ts";
import { checkPath } from "../verbs/metadata.ts";
import { badRequest, conflict, failure, notFound, plainError } from "../contract/status-errors.ts";
import type { Stored } from "../storage/store.ts";
import { updateObject, versioned } from "../verbs/update.ts";
import { type FieldValidation, writeOptions } from "../verbs/write-options.ts";
import { printedPaths } from "./field-set.ts";
import { remainingConflicts, withLastApplied } from "./last-applied.ts";
import { type Manager, type Managers, readManagersIfValid } from "./managers.ts";
import { applied, type Applied, ApplyConflict, type Conflict, updated } from "./ownership.ts";
import { type Configuration, readConfiguration, YamlError } from "./read-configuration.ts";
import { structShape } from "./shape.ts";
import { ShapeError, validate } from "./validate.ts";
import { keepingTimes, newObject, plain, versionsOf, withManagers, writerOf } from "./writer.ts";

/** Until the first apply, this manager owns the fields that an object had before fields were tracked. */
const BEFORE_FIRST_APPLY = "before-first-apply";

/** @throws ApiError 409 for fields that others own with another value, and the errors of an update */
export function apply(request: ResourceRequest): Outcome {
  const options = writeOptions(request.query, "PatchOptions", true);
  const read = isReadFirst(request) ? configurationOf(request) : undefined;
  const current = request.server.store(request.definition).get(keyOf(request.namespace, request.name));
  if (!current && request.subresource) throw notFound(resourceName(request), request.name);
  const configuration = read ?? configurationOf(request);
  const live = current === undefined ? undefined : versioned(current, request);
  const { object, managers } = merged(configuration.object, live, request);
  reportRepeatedKeys(configuration, options.fieldValidation, request);
  const { isDryRun } = options;
  return live === undefined
    ? createdBy(object, managers, request, isDryRun)
    : updatedBy(object, managers, current!, live, request, isDryRun);
}

function isReadFirst({ server }: ResourceRequest): boolean {
  return !isAhead("patches-read-first", server.kubernetes);
}

function configurationOf(request: ResourceRequest): Configuration {
  try {
    return request.content === undefined ? readConfiguration(request.body) : { object: request.content, problems: [] };
  } catch (error) {
    throw error instanceof SyntaxError ? badRequest(decodingError(error, request)) : error;
  }
}

function decodingError(error: SyntaxError, request: ResourceRequest): string {
  const isYaml = !(error instanceof YamlError);
  if (isReadFirst(request))
    return isYaml ? `error decoding patch: ${error.message}` : `error encoding patch: ${error.message}`;
  return `error decoding YAML: ${isYaml ? "" : "error converting YAML to JSON: "}${error.message}`;
}

function reportRepeatedKeys({ problems }: Configuration, level: FieldValidation, request: ResourceRequest): void {
  if (problems.length === 0 || level === "Ignore") return;
  if (level === "Warn") return problems.forEach((problem) => request.warnings.add(problem));
  const lines = problems.map((problem) => `\n  ${problem}`).join("");
  const what = isReadFirst(request) ? "patch" : "YAML";
  throw badRequest(`error strict decoding ${what}: error converting YAML to JSON: yaml: unmarshal errors:${lines}`);
}

/** The object with the configuration, and its managers. @throws ApiError */
function merged(
  configuration: JsonObject,
  live: KubeObject | undefined,
  request: ResourceRequest,
): { object: JsonObject; managers: Managers } {
  checkKind(configuration, request);
  const before = live === undefined ? newObject(request.definition) : plain(live);
  const managers = live === undefined ? [] : managersBefore(live, request);
  checkConfiguration(configuration, request);
  const result = resolved(before, configuration, managers, request);
  const object = result.object ?? before;
  return { object: withLastApplied(object, configuration, request), managers: result.managers };
}

function checkKind({ apiVersion = "", kind = "" }: JsonObject, { definition }: ResourceRequest): void {
  if (apiVersion === definition.body.apiVersion && kind === definition.body.kind) return;
  const [group, version] = String(apiVersion).includes("/") ? String(apiVersion).split("/") : ["", String(apiVersion)];
  throw badRequest(`invalid object type: ${group}/${version}, Kind=${String(kind)}`);
}

function checkConfiguration(configuration: JsonObject, { definition, server }: ResourceRequest): void {
  const metadata = isObject(configuration["metadata"]) ? configuration["metadata"] : {};
  if ((metadata["managedFields"] ?? null) !== null) throw badRequest("metadata.managedFields must be nil");
  try {
    const shape = structShape(definition.body.type, server.unknownFields);
    validate(configuration, shape, { allowsDuplicates: false });
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw plainError(`failed to create typed patch object (${describe(metadata, definition)}): ${error.message}`);
  }
}

/** An object as these errors name it. */
function describe(metadata: JsonObject, { body }: ResourceRequest["definition"]): string {
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const version = body.apiVersion.includes("/") ? body.apiVersion : `/${body.apiVersion}`;
  return `${text(metadata["namespace"])}/${text(metadata["name"])}; ${version}, Kind=${body.kind}`;
}

function managersBefore(live: KubeObject, request: ResourceRequest): Managers {
  const managers = readManagersIfValid(live.metadata.managedFields) ?? [];
  if (managers.length > 0) return managers;
  const writer = { ...writerOf(request), name: BEFORE_FIRST_APPLY };
  return updated(newObject(request.definition), plain(live), managers, writer, versionsOf(request));
}

/** @throws ApiError 409 */
function resolved(
  before: JsonObject,
  configuration: JsonObject,
  managers: Managers,
  request: ResourceRequest,
): Applied {
  const applyWith = (isForced: boolean): Applied =>
    applied(before, configuration, managers, writerOf(request), versionsOf(request), isForced);
  try {
    return applyWith(request.query.boolean("force"));
  } catch (error) {
    if (!(error instanceof ApplyConflict)) throw error;
    const conflicts = remainingConflicts(error.conflicts, before, request);
    if (conflicts.length > 0) throw conflictError(conflicts);
    return applyWith(true);
  }
}

function conflictError(conflicts: readonly Conflict[]) {
  const found = conflicts.map(({ manager, fields }) => ({
    manager: describeManager(manager),
    paths: printedPaths(fields),
  }));
  const causes = found.flatMap(({ manager, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${manager}`, field })),
  );
  const message =
    causes.length === 1
      ? `Apply failed with 1 conflict: ${causes[0]!.message}: ${causes[0]!.field}`
      : `Apply failed with ${causes.length} conflicts: ${found
          .map(({ manager, paths }) => [`conflicts with ${manager}:`, ...paths.map((path) => `- ${path}`)].join("\n"))
          .join("\n")}`;
  return failure({ code: 409, reason: "Conflict", message, details: { causes } });
}

function describeManager({ manager = "", operation, apiVersion, subresource }: Manager): string {
  return [
    JSON.stringify(manager),
    subresource === undefined ? "" : ` with subresource ${JSON.stringify(subresource)}`,
    operation === "Update" ? ` using ${apiVersion}` : "",
  ].join("");
}

function createdBy(object: JsonObject, managers: Managers, request: ResourceRequest, isDryRun: boolean): Outcome {
  const decoded = decode(object, undefined, request);
  const { uid } = decoded.metadata;
  if (uid)
    throw conflict(
      resourceName(request),
      request.name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  checkPath(decoded, request);
  const { resourceVersion: _ignored, ...metadata } = decoded.metadata;
  return createObject({ ...decoded, metadata: metadata as ObjectMeta }, request, isDryRun, (created) =>
    withManagers(created, managers, request),
  );
}

function updatedBy(
  object: JsonObject,
  managers: Managers,
  current: Stored,
  live: KubeObject,
  request: ResourceRequest,
  isDryRun: boolean,
): Outcome {
  const decoded = decode(object, live, request);
  checkPath(decoded, request);
  return updateObject(decoded, current, request, {
    isDryRun,
    isPatch: true,
    own: (next) => keepingTimes(withManagers(next, managers, request), live),
  });
}

function decode(object: JsonObject, live: KubeObject | undefined, { definition, server }: ResourceRequest): KubeObject {
  try {
    return decodeValue(object, definition.body, live, undefined, server.unknownFields).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
    throw plainError(
      `failed to convert new object (${describe(metadata, definition)}) to proper version: ${error.message}`,
    );
  }
}
