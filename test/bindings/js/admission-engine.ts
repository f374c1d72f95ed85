/**
 * An engine whose `review` the tests of admission ask, and the shape of its answers. One instance serves a whole file,
 * and each request that needs a configuration has a fresh one.
 */
import { readFileSync } from "node:fs";
import { Engine } from "../../../bindings/js/engine.ts";
import type { EngineConfiguration } from "../../../bindings/js/abi.ts";
import { applyJsonPatch, type JsonPatchOperation } from "../../../cluster/apiserver/patch/json-patch.ts";
import type { Json, JsonObject } from "../../../cluster/values/types.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";

export interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patchType?: "JSONPatch";
  /** Base64 of a JSON Patch. */
  readonly patch?: string;
  readonly warnings?: readonly string[];
  readonly status?: {
    readonly code: number;
    readonly message: string;
    readonly details?: { readonly causes?: readonly Cause[] };
  };
}

await buildModule("engine");
const compiled = await WebAssembly.compile(readFileSync(modulePath("engine")));
export const engine = await freshEngine();

/** A fresh engine. */
export function freshEngine(): Promise<Engine> {
  return Engine.create(compiled);
}

/** An AdmissionReview with this request. */
export function reviewText(request: Json): string {
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
}

/** The response to a request. */
export function reviewRequest(request: JsonObject, reviewer = engine): AdmissionResponse {
  return (JSON.parse(reviewer.review(reviewText(request))) as { response: AdmissionResponse }).response;
}

/** The response of an engine with this configuration. */
export async function reviewConfigured(
  configuration: EngineConfiguration,
  request: JsonObject,
): Promise<AdmissionResponse> {
  const reviewer = await freshEngine();
  reviewer.configure(configuration);
  return reviewRequest(request, reviewer);
}

/** The object that was reviewed, after the response's patch. */
export function patched(object: Json, { patch }: AdmissionResponse): Json {
  const operations =
    patch === undefined ? [] : (JSON.parse(Buffer.from(patch, "base64").toString()) as JsonPatchOperation[]);
  return applyJsonPatch(structuredClone(object), operations);
}
