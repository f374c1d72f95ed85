/**
 * Calls the injected admission function, which sets defaults, validates, and warns about Jobs and Pods. It gets an
 * AdmissionReview (admission.k8s.io/v1) and answers one: a JSON patch, or the Status of the refusal.
 */
import type { Admission, JsonObject, KubeObject, ObjectMeta } from "../../values/types.ts";
import type { ResourceDefinition, ResourceRequest, ServerContext } from "../contract/context.ts";
import { normalize } from "../schema/decode.ts";
import { deepEqual } from "../../values/json.ts";
import { generateUid } from "../../values/names.ts";
import { applyJsonPatch, type JsonPatchOperation } from "../patch/json-patch.ts";
import {
  type ApiError,
  failure,
  invalid,
  invalidFromCauses,
  type StatusCause,
  type Violation,
} from "../contract/status-errors.ts";
import { base64Decode } from "../../values/text.ts";

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
  errors: readonly Violation[],
): KubeObject {
  const { server, definition } = request;
  const kind = { group: definition.group, name: definition.body.kind };
  const name = object.metadata.name ?? "";
  const response = ask(object, oldObject, definition, server, request.subresource?.name);
  for (const warning of response.warnings ?? []) request.warnings.add(warning);
  if (!response.allowed) throw refusal(response, kind, name, errors);
  if (errors.length > 0) throw invalid(kind, name, errors);
  if (!response.patch) return object;
  return normalize(applyJsonPatch(object, operationsOf(response.patch)), definition.body.type, object);
}

/** What admission reviews: no part of metadata is needed. */
interface Reviewed {
  readonly metadata: Partial<ObjectMeta>;
}

/** The result of admission for an object, for a caller that finds more violations. */
export interface PartReview<Kind> {
  /** With its defaults; unchanged if there are causes. */
  readonly object: Kind;
  readonly causes: readonly StatusCause[];
  readonly warnings: readonly string[];
}

/** Runs admission on an object as if it were created: a changed Pod, or the Job that a CronJob makes. */
export function reviewPart<Kind extends Reviewed>(
  object: Kind,
  definition: ResourceDefinition,
  server: ServerContext,
): PartReview<Kind> {
  const { allowed, patch, warnings = [], status } = ask(object, undefined, definition, server, undefined);
  const causes = allowed ? [] : (status?.details?.causes ?? []);
  if (!allowed && causes.length === 0) throw failure({ code: status?.code ?? 400, message: status?.message ?? "" });
  if (!patch) return { object, causes, warnings };
  const patched = applyJsonPatch(object, operationsOf(patch));
  return { object: normalize(patched, definition.body.type, object), causes, warnings };
}

function ask(
  object: Reviewed,
  oldObject: Reviewed | undefined,
  { group, version, resource, body: { kind } }: ResourceDefinition,
  server: ServerContext,
  subresource: string | undefined,
): ReviewResponse {
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: generateUid(server.random),
      kind: { group, version, kind },
      resource: { group, version, resource },
      ...(subresource !== undefined && { subResource: subresource }),
      name: object.metadata.name ?? "",
      namespace: object.metadata.namespace,
      operation: oldObject ? "UPDATE" : "CREATE",
      object,
      ...(oldObject && { oldObject }),
    },
  };
  return answerTo(JSON.stringify(review), server.admission);
}

/** Caches the latest patch. All pods of a template get the same one. */
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
    // The client gets the error, and the server continues: one bad object must not stop the others.
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
  errors: readonly Violation[],
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
