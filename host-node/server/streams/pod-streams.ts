/**
 * The protocols of streams to containers: exec, attach and portforward over WebSocket or SPDY/3.1. Heartbeats find out
 * that a client is gone. Leaves out who may ask (upgrades.ts), and watches and logs (websocket-answers.ts).
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import type { ApiResponse } from "../../../bindings/js/host.ts";
import type { Query } from "../../../cluster/apiserver/contract/query.ts";
import type { PodStreams } from "../../runtime/container-streams.ts";
import { badRequest, statusResponse } from "../guard.ts";
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
import type { Begin, BeginnerOf, StreamedPod, StreamKind } from "./upgrades.ts";

/** How long a client of SPDY may take to open the streams that it asked for. */
const STREAMS_TIMEOUT_MS = 30_000;
/** Limit for one message of a WebSocket. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const SPDY = "SPDY/3.1";

export function podStreams(streams: PodStreams): BeginnerOf {
  const beginnings = new Beginnings(streams);
  return (...asked) => beginnings.of(...asked);
}

class Beginnings {
  readonly #streams: PodStreams;
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => ACCEPTED.find((name) => offered.has(name)) ?? false,
  });

  constructor(streams: PodStreams) {
    this.#streams = streams;
  }

  of(kind: StreamKind, pod: StreamedPod, query: Query, request: IncomingMessage): Begin | ApiResponse {
    const streams = this.#streams;
    const isSpdy = (request.headers.upgrade ?? "").toLowerCase() === SPDY.toLowerCase();
    const offered = protocolsOf(request, isSpdy);
    if (kind === "portforward") return this.#beginPorts(pod, query, isSpdy, offered);
    const wanted = wantedStreams(query);
    if (!wanted.stdin && !wanted.stdout && !wanted.stderr)
      return badRequest("you must specify at least 1 of stdin, stdout, stderr");
    const container = query.text("container") || pod.spec.containers[0]!.name;
    if (!streams.isRunning(pod.metadata.uid, container))
      return statusResponse(404, "NotFound", `container not found (${JSON.stringify(container)})`);
    const words = query.all("command");
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
    { metadata: { name, uid } }: StreamedPod,
    query: Query,
    isSpdy: boolean,
    offered: readonly string[],
  ): Begin | ApiResponse {
    const pod: ForwardedPod = { name, uid, connect: (port) => this.#streams.connect(uid, port) };
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

function wantedStreams(query: Query): WantedStreams {
  const tty = query.boolean("tty");
  // A terminal has one output.
  const stderr = query.boolean("stderr") && !tty;
  return { stdin: query.boolean("stdin"), stdout: query.boolean("stdout"), stderr, tty };
}

function unknownProtocol(offered: readonly string[], known: readonly string[]): ApiResponse {
  return statusResponse(
    403,
    "Forbidden",
    `unable to upgrade: the client speaks ${offered.filter((name) => name !== "").join(", ") || "no protocol"}; known here is ${known.join(" and ")}`,
  );
}
