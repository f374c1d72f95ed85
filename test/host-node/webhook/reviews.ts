/** AdmissionReviews of Jobs for the tests of the webhook. */
import type { JsonObject } from "../../../cluster/values/types.ts";

const UID = "5f0c3c1e-0000-4000-8000-000000000001";

/** The Job of the tests, as an API server shows it to the validating phase; `spec` is laid over its own. */
export function job({ spec = {}, metadata = {} }: { spec?: JsonObject; metadata?: JsonObject } = {}): JsonObject {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "pi", namespace: "default", uid: UID, ...metadata },
    spec: {
      template: {
        spec: {
          restartPolicy: "Never",
          containers: [{ name: "main", image: "example.com/pi", env: [{ name: "TOKEN", value: "SECRET" }] }],
        },
      },
      ...spec,
    },
  };
}

/** The same as it is stored: with its generated selector and labels. */
export function storedJob(spec: JsonObject = {}): JsonObject {
  const { metadata, spec: ownSpec, ...rest } = job() as { metadata: JsonObject; spec: { template: JsonObject } };
  const labels = {
    "batch.kubernetes.io/controller-uid": UID,
    "batch.kubernetes.io/job-name": "pi",
    "controller-uid": UID,
    "job-name": "pi",
  };
  const selector = { matchLabels: { "batch.kubernetes.io/controller-uid": UID } };
  return {
    ...rest,
    metadata: { ...metadata, labels },
    spec: { ...ownSpec, selector, template: { ...ownSpec.template, metadata: { labels } }, ...spec },
  };
}

/** The same as the mutating phase sees it. */
export function jobWithoutUid(spec: JsonObject = {}): JsonObject {
  return job({ spec, metadata: { uid: "" } });
}

/** An AdmissionReview as an API server sends it. */
export function reviewOf(object: JsonObject, request: JsonObject = {}): string {
  return JSON.stringify({
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: "the-review",
      kind: { group: "batch", version: "v1", kind: "Job" },
      resource: { group: "batch", version: "v1", resource: "jobs" },
      name: "pi",
      namespace: "default",
      operation: "CREATE",
      userInfo: { username: "anna" },
      object,
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
      ...request,
    },
  });
}

export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: {
    readonly code: number;
    readonly reason: string;
    readonly message: string;
    readonly details?: { readonly causes: readonly { readonly field: string }[] };
  };
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
}

/** The response in the text of an answer. */
export function responseIn(answer: string): AdmissionResponse {
  const { apiVersion, kind, response } = JSON.parse(answer) as {
    apiVersion: string;
    kind: string;
    response: AdmissionResponse;
  };
  if (apiVersion !== "admission.k8s.io/v1" || kind !== "AdmissionReview")
    throw new Error(`the answer is a ${kind} of ${apiVersion}`);
  return response;
}
