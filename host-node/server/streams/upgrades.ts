/**
 * Requests that ask for another protocol than HTTP: exec, attach and portforward of pods, and watches and logs over a
 * WebSocket. All others are answered as if they did not ask for it.
 *
 * Invariant: the API server has allowed the request, and the container runs, before the protocol changes; until then a
 * client reads a refusal as an answer of HTTP. A connection counts among those with a request under way. Leaves out
 * the protocols, WebSocket and SPDY (pod-streams.ts), which only a server with running containers loads.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiResponse } from "../../../bindings/js/host.ts";
import { Query } from "../../../cluster/apiserver/contract/query.ts";
import type { ServerRequest } from "../../../cluster/index.ts";
import type { PodStreams } from "../../runtime/container-streams.ts";
import { badRequest } from "../guard.ts";

const LOG_PATH = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/log$/;
const PATH = /^\/api\/v1\/namespaces\/[^/?]+\/pods\/[^/?]+\/(attach|exec|portforward)(?:\?|$)/;

export type StreamKind = "attach" | "exec" | "portforward";

/** The kind of stream of a path; undefined: it needs no other protocol. */
export function streamKindOf(path: string): StreamKind | undefined {
  return PATH.exec(path)?.[1] as StreamKind | undefined;
}

/** The read that a WebSocket is opened for; undefined: none that is sent over one. */
export function webSocketReadOf({ method, url = "", headers }: IncomingMessage): "watch" | "log" | undefined {
  if (method !== "GET" || headers.upgrade?.toLowerCase() !== "websocket") return undefined;
  const { path, query } = addressOf(url);
  if (LOG_PATH.test(path)) return "log";
  return /^\/apis?\//.test(path) && query.boolean("watch") ? "watch" : undefined;
}

/** Whether a request needs another protocol. Only then is its connection taken from HTTP. */
export function needsUpgrade(request: IncomingMessage): boolean {
  return streamKindOf(request.url ?? "") !== undefined || webSocketReadOf(request) !== undefined;
}

/** The names of protocols that the client of a WebSocket offers. */
export function offeredProtocols({ headers }: IncomingMessage): string[] {
  return (headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function addressOf(url: string): { readonly path: string; readonly query: Query } {
  // The query begins at the first question mark, and may have more of them.
  const mark = url.indexOf("?");
  return mark < 0
    ? { path: url, query: new Query("") }
    : { path: url.slice(0, mark), query: new Query(url.slice(mark + 1)) };
}

/** The containers in which commands can start. Missing: nothing runs in them; the text says why. */
export type Streams = PodStreams | { readonly missing: string };

/** The fields of a pod that are needed here. */
export interface StreamedPod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly containers: readonly { readonly name: string; readonly tty?: boolean }[] };
}

/** Switches the protocol, and begins the stream. */
export type Begin = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Finds the function that begins a requested stream, or refuses the request. */
export type BeginnerOf = (
  kind: StreamKind,
  pod: StreamedPod,
  query: Query,
  request: IncomingMessage,
) => Begin | ApiResponse;

export async function beginnerFor(streams: Streams): Promise<BeginnerOf> {
  if ("missing" in streams) return () => badRequest(streams.missing);
  const { podStreams } = await import("./pod-streams.ts");
  return podStreams(streams);
}

export class Upgrades {
  readonly #ask: (request: ServerRequest) => ApiResponse;
  readonly #beginnerOf: BeginnerOf;

  /** @param ask asks the API server */
  constructor(ask: (request: ServerRequest) => ApiResponse, beginnerOf: BeginnerOf) {
    this.#ask = ask;
    this.#beginnerOf = beginnerOf;
  }

  /** Takes a request over, or refuses it. @returns the refusal; undefined: it was taken */
  take(request: IncomingMessage, asked: ServerRequest, socket: Duplex, head: Buffer): ApiResponse | undefined {
    const kind = streamKindOf(asked.path);
    if (kind === undefined) return notServed(asked);
    // A client that streams needs permission to create, whichever method its protocol uses. Whichever form the client
    // accepts, here the pod is needed as JSON.
    const headers = { ...asked.headers, accept: "application/json" };
    const answer = this.#ask({ ...asked, headers, method: "POST" });
    if (answer.status !== 200) return answer;
    const pod = JSON.parse(Buffer.from(answer.body as string).toString()) as StreamedPod;
    const begin = this.#beginnerOf(kind, pod, addressOf(asked.path).query, request);
    if (typeof begin !== "function") return begin;
    // A stream may be silent for any time.
    request.socket.setTimeout(0);
    request.socket.setNoDelay(true);
    begin(request, socket, head);
    return undefined;
  }
}

/** The refusal of a request that is answered in HTTP alone. */
export function notServed({ method, path }: ServerRequest): ApiResponse {
  return badRequest(`${method} ${addressOf(path).path} is not served over another protocol; send no Upgrade header`);
}
