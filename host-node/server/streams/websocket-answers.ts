/**
 * Watches and logs over a WebSocket, which the Java clients ask for: a message for each event of a watch, as text in
 * JSON and as bytes in protobuf; a log in bytes, or in base64 as text. What the client sends is read and dropped.
 * Loaded with the first client that asks. Leaves out that upstream refuses a watch without an Origin, for only
 * browsers have to send one. Source: apiserver, endpoints/handlers/watch.go, and httpstream/wsstream.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { ApiResponse } from "../../../bindings/js/host.ts";
import type { StreamingResponse } from "../../../cluster/index.ts";
import type { Durability } from "../durability.ts";
import { carryStream } from "./carry-stream.ts";

/** Limit for one message of a client, which need not send any. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** The length of the prefix before each event of a watch in protobuf. A message has its own length. */
const FRAME_LENGTH_BYTES = 4;
const BASE64 = "base64.binary.k8s.io";

type Chunk = Uint8Array | string;

const servers = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: MAX_MESSAGE_BYTES,
  // The caller has made sure that the client offers one at most.
  handleProtocols: ([offered]) => offered ?? false,
});

/** Switches the protocol, and sends a watch from its first event to its end. */
export function watchOverWebSocket(
  [request, socket, head]: readonly [IncomingMessage, Duplex, Buffer],
  stream: StreamingResponse,
  durability: Durability,
): void {
  const isText = stream.headers["content-type"] === "application/json";
  const message = (event: Chunk): Chunk => (isText ? event : (event as Uint8Array).subarray(FRAME_LENGTH_BYTES));
  servers.handleUpgrade(request, socket, head, (webSocket) => carry(webSocket, socket, stream, message, durability));
}

/** Switches the protocol, and sends a log: a followed one, or all of one that is not followed. */
export function logOverWebSocket(
  [request, socket, head]: readonly [IncomingMessage, Duplex, Buffer],
  log: StreamingResponse | ApiResponse,
  durability: Durability,
): void {
  servers.handleUpgrade(request, socket, head, (webSocket) => {
    const message = (piece: Chunk): Chunk => {
      const bytes = Buffer.from(piece as Uint8Array);
      return webSocket.protocol === BASE64 ? bytes.toString("base64") : bytes;
    };
    // An empty message means that the log begins.
    webSocket.send(message(""));
    if ("subscribe" in log) carry(webSocket, socket, log, message, durability);
    else {
      ignoreMessages(webSocket);
      if (log.body.length > 0) webSocket.send(message(log.body));
      webSocket.close(1000);
    }
  });
}

function carry(
  webSocket: WebSocket,
  socket: Duplex,
  stream: StreamingResponse,
  message: (chunk: Chunk) => Chunk,
  durability: Durability,
): void {
  ignoreMessages(webSocket);
  const send = (chunk: Chunk): void => webSocket.send(message(chunk));
  carryStream(stream, { buffer: socket, send, end: () => webSocket.close(1000) }, durability);
}

/** A client that breaks the protocol is cut off. */
function ignoreMessages(webSocket: WebSocket): void {
  webSocket.on("error", () => webSocket.terminate());
}
