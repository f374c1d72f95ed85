/**
 * Protobuf in front of the cluster, which knows JSON: bodies are translated on their way in, answers and the events of
 * watches on their way out, as the headers of the request ask for it.
 *
 * Invariant: the cluster decides everything but the form. A body that cannot be read is refused in the words of the
 * real API server. What has no form in protobuf, as a version, stays JSON. Leaves out patches: their bodies are JSON in
 * Kubernetes too.
 */
import type { ApiResponse } from "../../bindings/js/host.ts";
import { textOf } from "../../cluster/values/text.ts";
import { parseAccept } from "../../cluster/apiserver/http/accept.ts";
import type { ListResult, OutcomeAnswer } from "../../cluster/apiserver/contract/context.ts";
import { listKindOf, listMetadata } from "../../cluster/apiserver/http/render.ts";
import { ProtobufError } from "../../cluster/apiserver/protobuf/decode.ts";
import {
  type Envelope,
  fromEnvelope,
  hasProtobuf,
  listToProtobuf,
  openEnvelope,
  toFrame,
  toProtobuf,
} from "../../cluster/apiserver/protobuf/envelope.ts";
import { encodeOpenapi, OPENAPI_MEDIA_TYPE } from "../../cluster/apiserver/protobuf/openapi.ts";
import type { JsonObject, ServerRequest, StreamingResponse } from "../../cluster/index.ts";
import { expectedKind, unreadable, withHeader } from "./body-forms.ts";
import { badRequest } from "./guard.ts";
import type { RequestHandler } from "./https-server.ts";

const JSON_TYPE = "application/json";
const MEDIA_TYPE = "application/vnd.kubernetes.protobuf";
const API_PATH = /^\/apis?(?:\/|\?|$)/;
const OPENAPI_PATH = /^\/openapi\/v2(?:\?|$)/;
const METHODS_WITH_OBJECTS: readonly string[] = ["POST", "PUT", "DELETE"];

export function withProtobuf(handler: RequestHandler): RequestHandler {
  return {
    handle: (request) => {
      if (OPENAPI_PATH.test(request.path)) return openapi(request, handler);
      if (!API_PATH.test(request.path)) return handler.handle(request);
      const accept = chooseForm(request.headers["accept"] ?? "");
      const asked = accept === undefined ? request : withHeader(request, "accept", accept);
      const answer = withJsonBody(asked, handler);
      if (accept === undefined) return answer;
      // The form of a watch is known before its first event.
      const staysJson = "subscribe" in answer && accept === JSON_TYPE && !hasProtobuf(expectedKind(request, handler));
      return staysJson ? answer : inProtobuf(answer);
    },
  };
}

/** The document in the protobuf form that only kubectl asks for. */
function openapi(request: ServerRequest, handler: RequestHandler): ApiResponse | StreamingResponse {
  const answer = handler.handle(request);
  const isWanted = (request.headers["accept"] ?? "").startsWith(OPENAPI_MEDIA_TYPE);
  if (!isWanted || !("body" in answer) || answer.status !== 200) return answer;
  const headers = { ...answer.headers, "content-type": OPENAPI_MEDIA_TYPE.replace("@", ".") };
  return { ...answer, headers, body: encodedOpenapi(textOf(answer.body)) };
}

/** The latest document: it rarely changes, and is large. */
let encoded: { readonly text: string; readonly bytes: Uint8Array } | undefined;

function encodedOpenapi(text: string): Uint8Array {
  if (encoded?.text !== text) encoded = { text, bytes: encodeOpenapi(JSON.parse(text) as JsonObject) };
  return encoded.bytes;
}

/**
 * The form of JSON to request in place of the protobuf that the client prefers. @returns undefined if it prefers JSON
 */
function chooseForm(accept: string): string | undefined {
  if (!accept.includes(MEDIA_TYPE)) return undefined;
  for (const { mediaType, parameters } of parseAccept(accept)) {
    if (mediaType === "application/json" || mediaType === "application/yaml" || mediaType === "*/*") return undefined;
    const as = parameters.get("as");
    if (mediaType !== MEDIA_TYPE || as === "Table" || as === "APIGroupDiscoveryList") continue;
    const version = parameters.get("v") ?? "v1";
    return as === undefined ? JSON_TYPE : `application/json;as=${as};v=${version};g=${parameters.get("g")}`;
  }
  return undefined;
}

function withJsonBody(request: ServerRequest, handler: RequestHandler): ApiResponse | StreamingResponse {
  const { body, headers, method } = request;
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";");
  if (mediaType.trim() !== MEDIA_TYPE || !METHODS_WITH_OBJECTS.includes(method)) return handler.handle(request);
  const bytes = typeof body === "string" ? Buffer.from(body) : (body ?? new Uint8Array());
  const translated = withHeader(request, "content-type", "application/json");
  // A delete may come without options.
  if (bytes.length === 0 && method === "DELETE") return handler.handle(translated);
  let envelope: Envelope | undefined;
  try {
    envelope = openEnvelope(bytes);
    const expected = envelope.kind === "" ? expectedKind(request, handler) : { kind: "", apiVersion: "" };
    return handler.handle({ ...translated, body: JSON.stringify(fromEnvelope(envelope, expected)) });
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    // For options the real API server reports only the error.
    const message = method === "DELETE" ? error.message : unreadable(error.message, envelope, bytes, request, handler);
    return badRequest(message);
  }
}

function inProtobuf(answer: ApiResponse | StreamingResponse): ApiResponse | StreamingResponse {
  if (answer.headers["content-type"] !== "application/json") return answer;
  if ("subscribe" in answer) return framed(answer);
  const bytes = bytesOf(answer);
  if (bytes === undefined) return answer;
  return { status: answer.status, headers: { ...answer.headers, "content-type": MEDIA_TYPE }, body: bytes };
}

function bytesOf(answer: OutcomeAnswer): Uint8Array | undefined {
  const { outcome, of } = answer;
  if (outcome === undefined || of === undefined || "status" in outcome)
    return toProtobuf(JSON.parse(textOf(answer.body)) as JsonObject);
  if ("object" in outcome) return toProtobuf(outcome.object as unknown as JsonObject);
  const { list } = outcome;
  return listToProtobuf({ apiVersion: of.apiVersion, kind: listKindOf(of) }, listMetadata(list), objectsOf(list));
}

function* objectsOf({ items }: ListResult): Generator<JsonObject> {
  for (const { object } of items) yield object as unknown as JsonObject;
}

function framed(answer: StreamingResponse): StreamingResponse {
  return {
    status: answer.status,
    headers: { ...answer.headers, "content-type": `${MEDIA_TYPE};stream=watch` },
    subscribe: (sink) =>
      answer.subscribe({
        // It gets events instead.
        data: () => {},
        ...(sink.hasRoom && { hasRoom: (resume) => sink.hasRoom!(resume) }),
        event: (type, object) => {
          const frame = toFrame(type, object as JsonObject);
          if (frame === undefined) throw new Error(`${object.kind} has no form in protobuf`);
          sink.data(frame);
        },
        end: () => sink.end(),
      }),
  };
}
