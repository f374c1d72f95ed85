/**
 * Calls the injected admission function, which sets defaults, validates, and warns about Jobs and Pods. It gets an
 * AdmissionReview (admission.k8s.io/v1) and answers one: a JSON patch, or the Status of the refusal.
 */
import type { Admission, JsonObject, KubeObject } from "../types.ts";
import type { ResourceRequest } from "./context.ts";
import { normalize } from "./decode.ts";
import { deepEqual } from "./json.ts";
import { generateUid } from "./names.ts";
import { applyJsonPatch, type JsonPatchOperation } from "./patch/json-patch.ts";
import {
  type ApiError,
  failure,
  type FieldError,
  invalid,
  invalidFromCauses,
  type StatusCause,
} from "./status-errors.ts";
import { base64Decode } from "./text.ts";

interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patch?: string;
  readonly warnings?: readonly string[];
  readonly status?: {
    readonly code?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly details?: JsonObject & { causes?: StatusCause[] };
  };
}

/**
 * Asks admission about a create (`oldObject` absent) or an update.
 * @param errors violations that the server found itself; they come first in the answer
 * @returns the object with its defaults
 * @throws ApiError 422 with all violations
 */
export function admit(
  object: KubeObject,
  oldObject: KubeObject | undefined,
  request: ResourceRequest,
  errors: readonly FieldError[],
): KubeObject {
  const { server, definition } = request;
  const kind = { group: definition.group, name: definition.body.kind };
  const name = object.metadata.name ?? "";
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: generateUid(server.random),
      kind: { group: definition.group, version: definition.version, kind: definition.body.kind },
      resource: { group: definition.group, version: definition.version, resource: definition.resource },
      ...(request.subresource && { subResource: request.subresource.name }),
      name,
      namespace: object.metadata.namespace,
      operation: oldObject ? "UPDATE" : "CREATE",
      object,
      ...(oldObject && { oldObject }),
    },
  };
  const response = answerTo(JSON.stringify(review), server.admission);
  for (const warning of response.warnings ?? []) request.warnings.add(warning);
  if (!response.allowed) throw refusal(response, kind, name, errors);
  if (errors.length > 0) throw invalid(kind, name, errors);
  if (!response.patch) return object;
  return normalize(applyJsonPatch(object, operationsOf(response.patch)) as KubeObject, definition.body.type, object);
}

/** The patch that was read last. All pods of a template get the same one. */
let latestPatch: { readonly encoded: string; readonly operations: readonly JsonPatchOperation[] } = {
  encoded: "",
  operations: [],
};

function operationsOf(encoded: string): readonly JsonPatchOperation[] {
  if (encoded !== latestPatch.encoded)
    latestPatch = { encoded, operations: JSON.parse(base64Decode(encoded)) as JsonPatchOperation[] };
  return latestPatch.operations;
}

function answerTo(review: string, admission: Admission): ReviewResponse {
  try {
    return (JSON.parse(admission(review)) as { response: ReviewResponse }).response;
  } catch (error) {
    // The client gets the error, and the server goes on: one bad object must not stop the others.
    throw failure({
      code: 500,
      reason: "InternalError",
      message: `Internal error occurred: admission failed: ${(error as Error).message}`,
    });
  }
}

function refusal(
  response: ReviewResponse,
  kind: { group: string; name: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const { code = 400, reason, message = "", details } = response.status ?? {};
  if (errors.length > 0 && details?.causes) {
    const own = invalid(kind, name, errors).status.details!.causes as StatusCause[];
    // Admission may report the same violations of the metadata's rules again.
    const others = details.causes.filter((cause) => !own.some((other) => deepEqual(other, cause)));
    return invalidFromCauses(kind, name, [...own, ...others]);
  }
  return failure({ code, message, ...(reason !== undefined && { reason }), ...(details && { details }) });
}
