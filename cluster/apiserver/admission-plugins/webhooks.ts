/**
 * Admission by webhooks, as MutatingWebhookConfigurations and ValidatingWebhookConfigurations name them. The host
 * fetches their answers: pending-review.ts. Leaves out AdmissionReviews of v1beta1 and audit annotations.
 */
import type { Json, JsonObject, KubeObject } from "../../values/types.ts";
import type { ResourceDefinition, ResourceRequest } from "../contract/context.ts";
import { resourceName } from "../verbs/create.ts";
import { type BodyKind, decodeValue } from "../schema/decode.ts";
import { parseJson } from "../../values/go-json.ts";
import { goJsonKind, isObject, quote } from "../../values/json.ts";
import { generateUid } from "../../values/names.ts";
import { applyJsonPatch, type JsonPatchOperation } from "../patch/json-patch.ts";
import { ApiError, failure, forbidden } from "../contract/status-errors.ts";
import { evictionBody } from "../pods/eviction.ts";
import { base64Decode } from "../../values/text.ts";
import type { AdmissionPlugin } from "./chain.ts";
import { ADMISSION_GROUP, configurations } from "./configurations.ts";
import { PendingReview } from "./pending-review.ts";
import type { Call, CallAnswer } from "../contract/webhook-call.ts";
import { heardAs, type Subject } from "./matching.ts";
import { converted, convertedBack, requestOf } from "./review-request.ts";
import { meetsConditions, type Webhook } from "./webhook-matching.ts";

const API_VERSION = "admission.k8s.io/v1";
/** The largest status code of HTTP. */
const MAX_CODE = 599;

/** A webhook that must review a subject. */
interface Invocation {
  readonly webhook: Webhook;
  /** Distinguishes webhooks of the same name. */
  readonly id: string;
  readonly definition: ResourceDefinition;
}

type Response = Record<string, any>;

export const mutatingWebhooks: AdmissionPlugin = {
  looksAtOwners: (server) => configurations("mutatingwebhookconfigurations", server).length > 0,
  mutate: (object, current, request) => mutated({ operation: current ? "UPDATE" : "CREATE", object, current, request }),
  validate(object, current, request) {
    // Mutating webhooks review a deletion too, but there is nothing to change.
    if (object === undefined) mutated({ operation: "DELETE", object, current, request });
  },
};

export const validatingWebhooks: AdmissionPlugin = {
  looksAtOwners: (server) => configurations("validatingwebhookconfigurations", server).length > 0,
  validate(object, current, request) {
    const operation = object === undefined ? "DELETE" : current ? "UPDATE" : "CREATE";
    const subject: Subject = { operation, object, current, request };
    const invocations = invocationsOf("validatingwebhookconfigurations", subject);
    const calls = invocations.map((invocation) => callOf(invocation, subject, 0));
    const missing = calls.filter((call) => call !== undefined && !request.reviewAnswers?.has(call.key));
    if (missing.length > 0) throw new PendingReview(missing as Call[]);
    invocations.forEach((invocation, index) => {
      const call = calls[index];
      if (call) responseOf(call, invocation.webhook, request, false);
    });
  },
};

function mutated(subject: Subject): KubeObject {
  const invocations = invocationsOf("mutatingwebhookconfigurations", subject);
  const again = new Set<Invocation>();
  let object = subject.object;
  const invoke = (invocation: Invocation, round: number): boolean => {
    const changed = mutatedBy(invocation, { ...subject, object }, round);
    const hasChanged = changed !== object;
    object = changed;
    return hasChanged;
  };
  const before: Invocation[] = [];
  for (const invocation of invocations) {
    if (invoke(invocation, 0)) before.forEach((earlier) => again.add(earlier));
    if (invocation.webhook.reinvocationPolicy === "IfNeeded") before.push(invocation);
  }
  for (const invocation of again) invoke(invocation, 1);
  return object!;
}

function mutatedBy(invocation: Invocation, subject: Subject, round: number): KubeObject | undefined {
  const { object, request, operation } = subject;
  // After a change by an earlier webhook, this one may no longer match.
  if (heardAs(invocation.webhook, subject) === undefined) return object;
  const shown = object && operation === "CREATE" ? withoutDrawn(object) : object;
  const call = callOf(invocation, { ...subject, object: shown }, round);
  if (call === undefined) return object;
  if (!request.reviewAnswers?.has(call.key)) throw new PendingReview([call]);
  const { patch } = responseOf(call, invocation.webhook, request, true) ?? {};
  return patch && object ? patched(object, shown!, patch, invocation, request) : object;
}

/** The webhooks that must review a subject, in the order of their configurations' names. */
function invocationsOf(resource: string, subject: Subject): Invocation[] {
  const { server, definition } = subject.request;
  // A webhook must not keep an administrator from repairing its configuration.
  if (definition.group === ADMISSION_GROUP) return [];
  return configurations(resource, server).flatMap((configuration) => {
    const webhooks: readonly Webhook[] = configuration["webhooks"] ?? [];
    return webhooks.flatMap((webhook, index): Invocation[] => {
      const heard = heardAs(webhook, subject);
      return heard ? [{ webhook, id: `${resource}/${configuration.metadata.name}/${index}`, definition: heard }] : [];
    });
  });
}

/** The call of a webhook; undefined: its conditions do not hold. @throws ApiError if they cannot be evaluated */
function callOf({ webhook, id, definition }: Invocation, subject: Subject, round: number): Call | undefined {
  const { timeoutSeconds, clientConfig: client, failurePolicy } = webhook;
  const request = requestOf(subject, definition);
  try {
    if (!meetsConditions(webhook, request)) return undefined;
  } catch (error) {
    if (failurePolicy === "Ignore") return undefined;
    const { metadata } = (subject.object ?? subject.current)!;
    throw forbidden(resourceName(subject.request), metadata.name || "", (error as Error).message);
  }
  const key = JSON.stringify([id, round, client, withoutTime(request)]);
  const uid = generateUid(subject.request.server.random);
  const review = { kind: "AdmissionReview", apiVersion: API_VERSION, request: { uid, ...request } };
  return { key, client, timeoutSeconds, review };
}

/** A second may have passed when a request is repeated. */
function withoutTime(request: JsonObject): JsonObject {
  const { object, operation } = request as { object: KubeObject | null; operation: string };
  if (object === null || operation !== "CREATE") return request;
  const { creationTimestamp: _time, managedFields: _fields, ...metadata } = object.metadata;
  return { ...request, object: { ...object, metadata } as unknown as JsonObject };
}

/**
 * The answer to a call; undefined: there was none, and the failure policy ignores that.
 * @throws ApiError if the webhook refuses, or does not answer
 */
function responseOf(
  { key }: Call,
  { name, failurePolicy }: Webhook,
  { reviewAnswers, warnings }: ResourceRequest,
  mayPatch: boolean,
): Response | undefined {
  const answer = reviewAnswers!.get(key)!;
  const problem = problemOf(answer, answer.uid, mayPatch);
  if (problem !== undefined) {
    if (failurePolicy === "Ignore") return undefined;
    throw internalError(`failed calling webhook ${quote(name)}: ${problem}`);
  }
  const response = (answer as { review: JsonObject }).review["response"] as Response;
  for (const warning of response["warnings"] ?? []) warnings.add(warning);
  if (response["allowed"] !== true) throw denial(name, response["status"] ?? {});
  return response;
}

const isTextOrMissing = (value: unknown): boolean => value === undefined || typeof value === "string";
const isObjectOrMissing = (value: unknown): boolean => value === undefined || isObject(value);
const isCodeOrMissing = (value: unknown): boolean =>
  value === undefined || (Number.isInteger(value) && (value as number) <= MAX_CODE);

/** Checks the types of the response members that are read here: a webhook's author may return anything. */
const SHAPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  warnings: (value) => value === undefined || (Array.isArray(value) && value.every((one) => typeof one === "string")),
  patch: isTextOrMissing,
  patchType: isTextOrMissing,
  status: (value) => {
    if (value === undefined) return true;
    if (!isObject(value)) return false;
    const { code, message, reason, details } = value;
    return (
      isCodeOrMissing(code ?? undefined) &&
      [message, reason].every((text) => isTextOrMissing(text ?? undefined)) &&
      isObjectOrMissing(details ?? undefined)
    );
  },
};

/** Why an answer is none. */
function problemOf(answer: CallAnswer, uid: string, mayPatch: boolean): string | undefined {
  if ("failure" in answer) return `failed to call webhook: ${answer.failure}`;
  const invalid = (why: string): string => `received invalid webhook response: ${why}`;
  const { kind = "", apiVersion = "", response } = answer.review as Record<string, any>;
  if (response === undefined || response === null) return invalid("webhook response was absent");
  if (response.uid !== uid) return invalid(`expected response.uid=${quote(uid)}, got ${quote(response.uid ?? "")}`);
  if (kind !== "AdmissionReview" || apiVersion !== API_VERSION)
    return invalid(
      `expected webhook response of ${API_VERSION}, Kind=AdmissionReview, got ${apiVersion}, Kind=${kind}`,
    );
  const wrong = Object.keys(SHAPE).find((name) => !SHAPE[name]!(response[name] ?? undefined));
  if (wrong !== undefined) return invalid(`webhook returned response.${wrong} of a wrong type`);
  const { patch, patchType } = response;
  if (!mayPatch && patch) return invalid("validating webhook may not return response.patch");
  if (!mayPatch && patchType) return invalid("validating webhook may not return response.patchType");
  if (patch && !patchType) return invalid("webhook returned response.patch but not response.patchType");
  if (!patch && patchType) return invalid("webhook returned response.patchType but not response.patch");
  return undefined;
}

function denial(name: string, { code, message, reason, details }: Response): ApiError {
  const why = message || reason;
  return failure({
    code: Math.max(code ?? 0, 400),
    ...(reason && { reason }),
    message: `admission webhook ${quote(name)} denied the request${why ? `: ${why}` : " without explanation"}`,
    ...(details && { details }),
  });
}

function internalError(message: string): ApiError {
  return failure({
    code: 500,
    reason: "InternalError",
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

/** @param shown the object as the webhook got it */
function patched(
  object: KubeObject,
  shown: KubeObject,
  patch: string,
  { webhook, definition: heard }: Invocation,
  request: ResourceRequest,
): KubeObject {
  const { definition } = request;
  const operations = operationsOf(patch, webhook);
  try {
    const document = applyJsonPatch(converted(shown, definition, heard)!, operations) as JsonObject;
    const whole = object === shown ? document : withDrawn(document, object);
    return decodeValue(convertedBack(whole, heard, definition), bodyOf(request)).object;
  } catch (error) {
    throw error instanceof ApiError ? error : internalError((error as Error).message);
  }
}

/** The object in a request's body: one of its resource, or one of a kind that only its subresource has. */
function bodyOf({ definition, subresource, server }: ResourceRequest): BodyKind {
  if (subresource?.kind === "Binding") return server.definition("", "bindings").body;
  return subresource?.kind === "Eviction" ? evictionBody("") : definition.body;
}

function operationsOf(patch: string, { name }: Webhook): readonly JsonPatchOperation[] {
  const undecodable = (why: string): ApiError =>
    internalError(`failed calling webhook ${quote(name)}: received undecodable patch in webhook response: ${why}`);
  let operations: Json;
  try {
    operations = parseJson(base64Decode(patch));
  } catch (error) {
    throw undecodable((error as Error).message);
  }
  if (!Array.isArray(operations))
    throw undecodable(`json: cannot unmarshal ${goJsonKind(operations)} into Go value of type jsonpatch.Patch`);
  return operations as unknown as readonly JsonPatchOperation[];
}

/** A new object without the values that an API server generates after the mutating webhooks. */
function withoutDrawn(object: KubeObject): KubeObject {
  const { uid: _uid, creationTimestamp: _time, generation: _first, ...rest } = object.metadata;
  const { name, ...nameless } = rest;
  const { generateName } = rest;
  const isNameDrawn = generateName !== undefined && name.startsWith(generateName);
  return { ...object, metadata: (isNameDrawn ? nameless : rest) as KubeObject["metadata"] };
}

function withDrawn(document: JsonObject, { metadata }: KubeObject): JsonObject {
  const { name, uid, creationTimestamp, generation } = metadata;
  const given = document["metadata"] as JsonObject | undefined;
  const drawn = {
    ...(uid && { uid }),
    ...(creationTimestamp && { creationTimestamp }),
    ...(generation !== undefined && { generation }),
  };
  return { ...document, metadata: { name, ...given, ...drawn } as JsonObject };
}
