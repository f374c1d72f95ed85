/**
 * Answers input that is not an HTTP request, or has a head that is too long, so that the sender can read the answer.
 *
 * Invariant: if the sender is still sending, the server keeps reading for a while, because closing a connection with
 * unread bytes destroys the answer. It keeps none of these bytes, and the time has a limit.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { ApiResponse } from "../../bindings/js/host.ts";
import type { Connections } from "./connections.ts";
import { badRequest, statusResponse } from "./guard.ts";

/** How long a refused sender may keep sending before the connection is closed. */
const MAX_LINGER_MS = 2_000;
/**
 * Limit for the method, the address and all headers, as Node counts them. Node refuses a larger head before there is a
 * request.
 */
export const MAX_HEAD_BYTES = 256 * 1024;

export interface HeadLimits {
  /** Limit for the address in the request line. */
  readonly maxUrlBytes: number;
  /** Limit for all headers together. */
  readonly maxHeaderBytes: number;
}

const PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  413: "Payload Too Large",
  431: "Request Header Fields Too Large",
};

/** The refusal of a request whose head is too long: 414 or 431. */
export function refusalOfHead(
  { url = "", rawHeaders }: IncomingMessage,
  { maxUrlBytes, maxHeaderBytes }: HeadLimits,
): ApiResponse | undefined {
  if (url.length > maxUrlBytes)
    return statusResponse(
      414,
      "RequestURITooLong",
      `the address of the request has ${url.length} bytes; allowed are ${maxUrlBytes}`,
    );
  const headerBytes = rawHeaders.reduce((sum, text) => sum + text.length, 0);
  if (headerBytes > maxHeaderBytes)
    return tooManyHeaders(`the headers of the request have ${headerBytes} bytes; allowed are ${maxHeaderBytes}`);
  return undefined;
}

/** Answers input that Node cannot parse as a request. */
export function answerUnreadableRequests(
  server: Server,
  connections: Connections,
  { maxHeaderBytes }: HeadLimits,
): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable || connections.isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const { status, body } = answerTo(error, maxHeaderBytes);
    const text = String(body);
    socket.end(
      `HTTP/1.1 ${status} ${PHRASES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    linger(socket);
  });
}

function answerTo({ code, message }: NodeJS.ErrnoException, maxHeaderBytes: number): ApiResponse {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return tooManyHeaders(
        `the address and the headers of the request are too long; allowed are ${maxHeaderBytes} bytes of headers`,
      );
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return statusResponse(413, "RequestEntityTooLarge", "the chunk extensions of the request are too long");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return statusResponse(408, "Timeout", "the request did not arrive in time");
    default:
      return badRequest(`what was sent is no HTTP request: ${message}`);
  }
}

function tooManyHeaders(message: string): ApiResponse {
  return statusResponse(431, "RequestHeaderFieldsTooLarge", message);
}

/** Drops further input until the sender is done or its time is over. */
function linger(socket: Socket): void {
  // The parser has given up, and would report an error for every further byte.
  socket
    .removeAllListeners("data")
    .on("data", () => {})
    .on("error", () => {})
    .resume();
  const timer = setTimeout(() => socket.destroy(), MAX_LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}
