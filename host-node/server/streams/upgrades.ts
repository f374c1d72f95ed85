/**
 * Requests that ask for another protocol than HTTP: exec, attach and portforward of pods, over WebSocket or SPDY/3.1.
 *
 * Invariant: the API server has allowed the request, and the container runs, before the protocol changes; until then a
 * client reads a refusal as an answer of HTTP. A connection counts among those with a request under way. Heartbeats
 * find out that a client is gone. Leaves out watches over WebSocket.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import type { ApiResponse } from "../../../bindings/js/host.ts";
import type { ServerRequest } from "../../../cluster/index.ts";
import type { PodStreams } from "../../runtime/container-streams.ts";
import { statusResponse } from "../guard.ts";
import type { Channels, WantedStreams } from "./channels.ts";
import {
  type ForwardedPod,
  ForwardedStreams,
  forwardWebSocket,
  PORT_PROTOCOL,
  portsIn,
  SPDY_PORT_PROTOCOL,
  TUNNEL_PROTOCOL,
} from "./port-forward.ts";
import { carryAttached, carryCommand } from "./remote-command.ts";
import { SPDY_COMMAND_PROTOCOL, SpdyChannels, spdyChannels } from "./spdy-channels.ts";
import { HEARTBEAT_MS, SpdySession } from "./spdy/session.ts";
import { COMMAND_PROTOCOLS, webSocketChannels } from "./websocket-channels.ts";

/** How long a client of SPDY may take to open the streams that it asked for. */
const STREAMS_TIMEOUT_MS = 30_000;
/** Limit for one message of a WebSocket. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const SPDY = "SPDY/3.1";
const PATH = /^\/api\/v1\/namespaces\/[^/?]+\/pods\/[^/?]+\/(attach|exec|portforward)(?:\?|$)/;

export type StreamKind = "attach" | "exec" | "portforward";

/** What a path asks for; undefined: nothing that needs another protocol. */
export function streamKindOf(path: string): StreamKind | undefined {
  return PATH.exec(path)?.[1] as StreamKind | undefined;
}

export interface UpgradesOptions {
  /** Asks the API server. */
  readonly ask: (request: ServerRequest) => ApiResponse;
  /** Undefined: nothing runs in the containers of this server; the text says why. */
  readonly streams: PodStreams | { readonly missing: string };
}

/** A pod, as far as it is needed here. */
interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly containers: readonly { readonly name: string; readonly tty?: boolean }[] };
}

/** Makes the change of protocol, and begins the stream. */
type Begin = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #webSockets = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, maxPayload: MAX_MESSAGE_BYTES },
    handleProtocols: (offered) => ACCEPTED.find((name) => offered.has(name)) ?? false,
  });

  constructor(options: UpgradesOptions) {
    this.#options = options;
  }

  /** Takes a request over, or refuses it. @returns the refusal; undefined: it was taken */
  take(request: IncomingMessage, asked: ServerRequest, socket: Duplex, head: Buffer): ApiResponse | undefined {
    const kind = streamKindOf(asked.path);
    if (kind === undefined) return badRequest(`${asked.path.split("?", 1)[0]} is not served over another protocol`);
    // Whoever streams has to be allowed to create, whichever method the protocol asks for.
    // In whichever form the client likes objects, here the pod is needed as JSON.
    const headers = { ...asked.headers, accept: "application/json" };
    const answer = this.#options.ask({ ...asked, headers, method: "POST" });
    if (answer.status !== 200) return answer;
    const pod = JSON.parse(Buffer.from(answer.body as string).toString()) as Pod;
    const query = new URLSearchParams(asked.path.slice(asked.path.indexOf("?") + 1));
    const begin = this.#begin(kind, pod, query, request);
    if (typeof begin !== "function") return begin;
    // A stream may be silent for any time.
    request.socket.setTimeout(0);
    request.socket.setNoDelay(true);
    begin(request, socket, head);
    return undefined;
  }

  #begin(kind: StreamKind, pod: Pod, query: URLSearchParams, request: IncomingMessage): Begin | ApiResponse {
    const { streams } = this.#options;
    if ("missing" in streams) return badRequest(streams.missing);
    const isSpdy = (request.headers.upgrade ?? "").toLowerCase() === SPDY.toLowerCase();
    const offered = protocolsOf(request, isSpdy);
    if (kind === "portforward") return this.#beginPorts(streams, pod, query, isSpdy, offered);
    const wanted = wantedStreams(query);
    if (!wanted.stdin && !wanted.stdout && !wanted.stderr)
      return badRequest("you must specify at least 1 of stdin, stdout, stderr");
    const container = query.get("container") || pod.spec.containers[0]!.name;
    if (!streams.isRunning(pod.metadata.uid, container))
      return statusResponse(404, "NotFound", `container not found (${JSON.stringify(container)})`);
    const words = query.getAll("command");
    if (kind === "exec" && words.length === 0) return badRequest("you must specify a command");
    const carry = (channels: Channels): void => {
      if (kind === "attach") carryAttached(channels, () => streams.attach(pod.metadata.uid, container));
      else
        carryCommand(channels, {
          isReady: () => streams.isReady(pod.metadata.uid, container),
          start: () =>
            streams.start(pod.metadata.uid, container, { words, hasInput: wanted.stdin, hasTerminal: wanted.tty }),
        });
    };
    if (!isSpdy)
      return COMMAND_PROTOCOLS.some((name) => offered.includes(name))
        ? this.#overWebSocket((socket) => carry(webSocketChannels(socket, wanted)))
        : unknownProtocol(offered, COMMAND_PROTOCOLS);
    if (!offered.includes(SPDY_COMMAND_PROTOCOL)) return unknownProtocol(offered, [SPDY_COMMAND_PROTOCOL]);
    return overSpdy(SPDY_COMMAND_PROTOCOL, (socket) => {
      const timer = setTimeout(() => socket.destroy(), STREAMS_TIMEOUT_MS);
      const channels = new SpdyChannels(wanted, (ready) => {
        clearTimeout(timer);
        carry(spdyChannels(session, ready));
      });
      socket.once("close", () => clearTimeout(timer));
      const session = new SpdySession(socket, (stream) => channels.add(stream));
    });
  }

  #beginPorts(
    streams: PodStreams,
    { metadata: { name, uid } }: Pod,
    query: URLSearchParams,
    isSpdy: boolean,
    offered: readonly string[],
  ): Begin | ApiResponse {
    const pod: ForwardedPod = { name, uid, connect: (port) => streams.connect(uid, port) };
    const speakSpdy = (socket: Duplex): void => {
      const forwarded = new ForwardedStreams(pod);
      new SpdySession(socket, (stream) => forwarded.add(stream));
    };
    if (isSpdy)
      return offered.includes(SPDY_PORT_PROTOCOL)
        ? overSpdy(SPDY_PORT_PROTOCOL, speakSpdy)
        : unknownProtocol(offered, [SPDY_PORT_PROTOCOL]);
    if (offered.includes(TUNNEL_PROTOCOL))
      return this.#overWebSocket((socket) => speakSpdy(createWebSocketStream(socket)));
    if (!offered.includes(PORT_PROTOCOL)) return unknownProtocol(offered, [TUNNEL_PROTOCOL, PORT_PROTOCOL]);
    const ports = portsIn(query);
    if (ports === undefined)
      return badRequest('query parameter "ports" is required: up to 128 numbers from 1 to 65535');
    return this.#overWebSocket((socket) => forwardWebSocket(socket, pod, ports));
  }

  #overWebSocket(begin: (socket: WebSocket) => void): Begin {
    return (request, socket, head) =>
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        const heartbeat = setInterval(() => webSocket.ping(), HEARTBEAT_MS).unref();
        webSocket.once("close", () => clearInterval(heartbeat));
        begin(webSocket);
      });
  }
}

/** In this order. A client of port-forward offers one of its two. */
const ACCEPTED = [TUNNEL_PROTOCOL, ...COMMAND_PROTOCOLS];

function overSpdy(protocol: string, begin: (socket: Duplex) => void): Begin {
  return (_request, socket, head) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${SPDY}\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
    );
    if (head.length > 0) socket.unshift(head);
    begin(socket);
  };
}

function protocolsOf({ headers }: IncomingMessage, isSpdy: boolean): string[] {
  const given = headers[isSpdy ? "x-stream-protocol-version" : "sec-websocket-protocol"] ?? "";
  return String(given)
    .split(",")
    .map((name) => name.trim());
}

function wantedStreams(query: URLSearchParams): WantedStreams {
  const has = (name: string): boolean => ["true", "1"].includes(query.get(name) ?? "");
  const tty = has("tty");
  // A terminal has one output.
  return { stdin: has("stdin"), stdout: has("stdout"), stderr: has("stderr") && !tty, tty };
}

function badRequest(message: string): ApiResponse {
  return statusResponse(400, "BadRequest", message);
}

function unknownProtocol(offered: readonly string[], known: readonly string[]): ApiResponse {
  return statusResponse(
    403,
    "Forbidden",
    `unable to upgrade: the client speaks ${offered.filter((name) => name !== "").join(", ") || "no protocol"}; known here is ${known.join(" and ")}`,
  );
}
