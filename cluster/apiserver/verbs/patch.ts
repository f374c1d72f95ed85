/**
 * PATCH: reads one of three patch formats, applies it to the object as the client sees it, decodes the outcome and
 * updates. Leaves out server-side apply, which is injected (contract/context.ts, FieldOwners); without it, the server
 * answers 415.
 */
import type { Json, JsonObject, KubeObject } from "../../values/types.ts";
import { keyOf, type Outcome, type ResourceRequest } from "../contract/context.ts";
import { resourceName } from "./create.ts";
import { decodeValue, DecodeError, duplicates, TypeMismatch } from "../schema/decode.ts";
import { parseJson } from "../../values/go-json.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
import { goJsonKind, goValue, isObject, stringify } from "../../values/json.ts";
import { checkPath } from "./metadata.ts";
import { mediaTypeOf } from "../http/negotiate.ts";
import { applyJsonPatch, type JsonPatchOperation, JsonPatchError } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import { applyStrategicMergePatch, mergeWritten, StrategicPatchError } from "../patch/strategic-merge-patch.ts";
import { badRequest, failure, invalid, notFound, plainError, unsupportedPatch } from "../contract/status-errors.ts";
import { updateObject, versioned } from "./update.ts";
import { reportProblems, writeOptions } from "./write-options.ts";

const formats = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
] as const;
const applyFormat = "application/apply-patch+yaml";
type Format = (typeof formats)[number];
const knownFormats: ReadonlySet<string> = new Set(formats);

interface Patched {
  readonly object: JsonObject;
  /** The value that a decoding error shows. */
  readonly shown: () => string;
  /** Members that the patch has twice. */
  readonly problems: readonly string[];
}

/** Handles PATCH. @throws ApiError 415 for other patch formats, and the errors of an update */
export function patch(request: ResourceRequest): Outcome {
  const format = mediaTypeOf(request.headers["content-type"] ?? "") as Format;
  request.definition.body.checkPatch?.(format);
  const { fieldOwners } = request.server;
  if (fieldOwners && (format as string) === applyFormat) return fieldOwners.apply(request);
  if (!knownFormats.has(format)) throw unsupportedPatch();
  const options = writeOptions(request.query, "PatchOptions");
  if (!isAhead("patches-read-first", request.server.kubernetes)) refuseOtherThanJson(request);
  const current = request.server.store(request.definition).get(keyOf(request.namespace, request.name));
  if (!current) throw notFound(resourceName(request), request.name);
  const before = versioned(current, request);
  const object =
    applyWritten(format, before, request) ??
    decodePatched(apply(format, before, request), before, format, request, options.fieldValidation);
  checkPath(object, request);
  return updateObject(object, current, request, { isDryRun: options.isDryRun, isPatch: true });
}

/** @throws ApiError 400 for a body that is no JSON text */
function refuseOtherThanJson({ content, body }: ResourceRequest): void {
  if (content !== undefined) return;
  try {
    parseJson(body);
  } catch {
    throw badRequest("invalid JSON patch");
  }
}

/** Applies the request's patch to an object that is not stored, such as a Scale. @throws ApiError */
export function patchedDocument(current: KubeObject, request: ResourceRequest): JsonObject {
  const format = mediaTypeOf(request.headers["content-type"] ?? "") as Format;
  if (!knownFormats.has(format)) throw unsupportedPatch();
  return apply(format, current, request).object;
}

/** Applies the patch of a component, with a result in written form. Undefined: the patch needs the general way. */
function applyWritten(format: Format, current: KubeObject, request: ResourceRequest): KubeObject | undefined {
  if (!request.isWritten || format !== "application/strategic-merge-patch+json") return undefined;
  const merged = mergeWritten(current as unknown as JsonObject, request.content!, request.definition.body.type);
  return merged as KubeObject | undefined;
}

function apply(format: Format, current: KubeObject, request: ResourceRequest): Patched {
  // The cast is safe: the object is plain data from JSON.parse, or was derived from such data.
  const document = current as unknown as JsonObject;
  switch (format) {
    case "application/json-patch+json": {
      const object = jsonPatched(document, request);
      return { object, shown: () => stringify(object), problems: [] };
    }
    case "application/merge-patch+json": {
      const merge = readJson(request, "error decoding patch: ");
      if (merge === null) throw badRequest("Invalid JSON Patch");
      const object = applyMergePatch(document, checkedObject(merge, "error decoding patch: ")) as JsonObject;
      return { object, shown: () => stringify(object), problems: problemsOf(merge, request) };
    }
    case "application/strategic-merge-patch+json": {
      const given = readJson(request, "") ?? {};
      const strategic = withoutKind(checkedObject(given, ""));
      try {
        return {
          object: applyStrategicMergePatch(document, strategic, request.definition.body.type),
          shown: () => goValue(strategic),
          problems: problemsOf(given, request),
        };
      } catch (error) {
        throw error instanceof StrategicPatchError ? plainError(error.message) : error;
      }
    }
  }
}

/** A strategic merge patch cannot change the kind of an object; upstream ignores the attempt. */
function withoutKind(patch: JsonObject): JsonObject {
  if (!("kind" in patch || "apiVersion" in patch)) return patch;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = patch;
  return rest;
}

function problemsOf(parsed: Json, { content, body }: ResourceRequest): readonly string[] {
  return content === undefined ? duplicates(body, parsed) : [];
}

function checkedObject(parsed: Json, prefix: string): JsonObject {
  if (!isObject(parsed))
    throw badRequest(
      `${prefix}json: cannot unmarshal ${goJsonKind(parsed)} into Go value of type map[string]interface {}`,
    );
  return parsed;
}

function readJson(request: ResourceRequest, prefix: string): Json {
  if (request.content !== undefined) return request.content;
  try {
    return parseJson(request.body);
  } catch (error) {
    throw badRequest(`${prefix}${(error as Error).message}`);
  }
}

function jsonPatched(document: JsonObject, request: ResourceRequest): JsonObject {
  const operations = readJson(request, "error decoding patch: ") ?? [];
  if (!Array.isArray(operations))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goJsonKind(operations)} into Go value of type []handlers.jsonPatchOp`,
    );
  operations.forEach(checkOperation);
  const { maxJsonPatchOperations } = request.server.limits;
  if (operations.length > maxJsonPatchOperations) {
    throw failure({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: `Request entity too large: The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations.length}`,
    });
  }
  try {
    const object = applyJsonPatch(document, operations as unknown as JsonPatchOperation[]);
    if (isObject(object)) return object;
    throw new JsonPatchError("the patched document is not an object");
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    throw failure({
      code: 422,
      reason: "Invalid",
      message: "the server rejected our request due to an error in our request",
      details: {},
    });
  }
}

function decodePatched(
  { object, shown, problems }: Patched,
  before: KubeObject,
  format: Format,
  request: ResourceRequest,
  level: "Ignore" | "Warn" | "Strict",
): KubeObject {
  const refuse = (detail: string): never => {
    throw invalid({ group: "", name: "" }, "", [{ kind: "Invalid", field: "patch", value: shown(), detail }]);
  };
  try {
    const decoded = decodeValue(
      object,
      request.definition.body,
      before,
      request.isWritten ? request.content : undefined,
      request.server.unknownFields,
    );
    const refusal = reportProblems([...problems, ...decoded.problems], level, request);
    if (refusal) refuse(refusal);
    return decoded.object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const isStrategic = format === "application/strategic-merge-patch+json";
    return refuse(isStrategic && error instanceof TypeMismatch ? strategicMismatch(error) : error.message);
  }
}

/** Refuses an invalid operation of a JSON patch before any is applied. @throws ApiError 400 */
function checkOperation(operation: Json): void {
  const refuse = (value: Json, target: string): never => {
    throw badRequest(`error decoding patch: json: cannot unmarshal ${goJsonKind(value)} into Go ${target}`);
  };
  if (!isObject(operation)) return refuse(operation, "value of type handlers.jsonPatchOp");
  for (const name of ["op", "path", "from"]) {
    const value = operation[name] ?? "";
    if (typeof value !== "string") refuse(value, `struct field jsonPatchOp.${name} of type string`);
  }
}

/** Go's words for kinds of JSON values, where the errors of a strategic merge patch use them. */
const GO_KINDS: Readonly<Record<string, string>> = { array: "slice", object: "map" };

/**
 * The error of a strategic merge patch for a value of the wrong JSON type, without its path.
 * Source: fromUnstructured in apimachinery/pkg/runtime/converter.go.
 */
function strategicMismatch({ value, type, message }: TypeMismatch): string {
  if (type === undefined) return message;
  const kind = goJsonKind(value);
  const given = GO_KINDS[kind] ?? kind;
  if (type.form === "struct") return `cannot restore struct from: ${given}`;
  if (type.form !== "scalar") return `cannot restore ${type.form === "list" ? "slice" : "map"} from ${given}`;
  return type.scalar === "string" && kind === "number"
    ? `cannot convert ${Number.isInteger(value) ? "int64" : "float64"} to string`
    : `unrecognized type: ${type.scalar}`;
}
