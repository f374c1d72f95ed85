/**
 * The subresource `scale` of a custom resource: an autoscaling/v1 Scale over the fields that its definition names.
 * Leaves out a separate managedFields entry for writes through it: the field belongs to the writer of the object.
 * Source: apiextensions-apiserver, pkg/registry/customresource/etcd.go.
 */
import type { Json, JsonObject, KubeObject } from "../../values/types.ts";
import { keyOf, type Outcome, type ResourceRequest, type Subresource, type Verb } from "../contract/context.ts";
import { readBody, resourceName } from "../verbs/create.ts";
import { type BodyKind, DecodeError, decodeValue, normalize } from "../schema/decode.ts";
import { goValue, isObject, stringify } from "../../values/json.ts";
import { checkPath } from "../verbs/metadata.ts";
import { structType } from "../schema/schema.ts";
import { badRequest, type FieldError, invalid, notFound } from "../contract/status-errors.ts";
import type { Stored } from "../storage/store.ts";
import { updateObject, versioned } from "../verbs/update.ts";
import { writeOptions } from "../verbs/write-options.ts";
import { patchedDocument } from "../verbs/patch.ts";
import type { ScalePaths } from "./definition-spec.ts";

const MAX_REPLICAS = 2 ** 31 - 1;
const verbs: readonly Verb[] = ["get", "patch", "update"];

function scaleBody(): BodyKind {
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    version: "v1",
    goType: "autoscaling.Scale",
    type: structType("Scale"),
    isRegistered: () => false,
  };
}

export function scaleSubresource(paths: ScalePaths): Subresource {
  return {
    name: "scale",
    kind: "Scale",
    groupVersion: { group: "autoscaling", version: "v1" },
    verbs,
    handle(verb, request) {
      const current = request.server.store(request.definition).get(keyOf(request.namespace, request.name));
      if (current === undefined) throw notFound(resourceName(request), request.name);
      const object = versioned(current, request);
      const scale = scaleOf(object, paths);
      if (verb === "get") return { code: 200, object: scale };
      return written(verb === "patch" ? patchedScale(scale, request) : givenScale(request), current, paths, request);
    },
  };
}

function scaleOf(
  object: KubeObject,
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths,
): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = labelSelectorPath === undefined ? undefined : valueAt(object, labelSelectorPath);
  const scale = {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas: valueAt(object, specReplicasPath) ?? 0 },
    status: {
      replicas: valueAt(object, statusReplicasPath) ?? 0,
      ...(typeof selector === "string" && selector !== "" && { selector }),
    },
  };
  return normalize(scale, structType("Scale")) as unknown as KubeObject;
}

function givenScale(request: ResourceRequest): KubeObject {
  const scale = readBody(request, scaleBody(), writeOptions(request.query, "UpdateOptions").fieldValidation);
  checkPath(scale, request);
  return scale;
}

function patchedScale(scale: KubeObject, request: ResourceRequest): KubeObject {
  writeOptions(request.query, "PatchOptions");
  const document = patchedDocument(scale, request);
  try {
    return decodeValue(document, scaleBody(), scale).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const violation: FieldError = {
      kind: "Invalid",
      field: "patch",
      value: stringify(document),
      detail: error.message,
    };
    throw invalid({ group: "", name: "" }, "", [violation]);
  }
}

function written(scale: KubeObject, current: Stored, paths: ScalePaths, request: ResourceRequest): Outcome {
  const replicas: Json | undefined = scale["spec"]?.replicas;
  if (replicas === undefined && valueAt(versioned(current, request), paths.specReplicasPath) === undefined)
    throw badRequest(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} cannot be empty`);
  const before = versioned(current, request);
  const { resourceVersion = before.metadata.resourceVersion } = scale.metadata;
  const next = withValue(before as unknown as JsonObject, stepsOf(paths.specReplicasPath), replicas ?? 0);
  const given = { ...next, metadata: { ...before.metadata, resourceVersion } } as unknown as KubeObject;
  const isDryRun = request.query.has("dryRun");
  // The object is written as through its own path.
  const outcome = updateObject(given, current, main(request), { isDryRun, isPatch: false });
  return "object" in outcome ? { code: outcome.code, object: scaleOf(outcome.object, paths) } : outcome;
}

function main(request: ResourceRequest): ResourceRequest {
  const { server, definition, namespace, name, query, headers, body, content, isWritten, warnings } = request;
  return {
    ...request,
    server,
    definition,
    namespace,
    name,
    query,
    headers,
    body,
    content,
    isWritten,
    warnings,
    subresource: undefined,
  };
}

/** What is wrong with the fields that the paths name. */
export function scaleViolations(object: JsonObject, paths: ScalePaths, isStatus: boolean): FieldError[] {
  const { specReplicasPath, statusReplicasPath } = paths;
  return [...(isStatus ? [] : [specReplicasPath]), statusReplicasPath].flatMap((field): FieldError[] => {
    const value = valueAt(object, field);
    if (value === undefined) return [];
    if (!Number.isInteger(value)) {
      const what = `${goValue(value)} is of the type ${goType(value)}, expected int64`;
      return [{ kind: "Invalid", field, value: 0, detail: `${field} accessor error: ${what}` }];
    }
    if (typeof value !== "number" || (value >= 0 && value <= MAX_REPLICAS)) return [];
    const detail = value < 0 ? "should be a non-negative integer" : `should be less than or equal to ${MAX_REPLICAS}`;
    return [{ kind: "Invalid", field, value, detail }];
  });
}

function goType(value: Json): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  return value === null
    ? "<nil>"
    : typeof value === "number"
      ? "float64"
      : typeof value === "boolean"
        ? "bool"
        : "string";
}

function stepsOf(path: string): string[] {
  return path.replace(/^\./, "").split(".");
}

function valueAt(object: object, path: string): Json | undefined {
  let value = object as Json | undefined;
  for (const step of stepsOf(path)) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}

function withValue(object: JsonObject, [step, ...rest]: readonly string[], value: Json): JsonObject {
  const member = object[step!];
  return { ...object, [step!]: rest.length === 0 ? value : withValue(isObject(member) ? member : {}, rest, value) };
}
