/**
 * The in-memory cluster over HTTPS on loopback: bytes in, bytes out, and streams flushed as they come.
 *
 * Invariant: no request reaches the cluster unchecked (guard.ts), unbounded or unfinished, and a client that does not read
 * its watch loses it, as with a real API server. Leaves out HTTP/2 and compression, which nobody needs on loopback.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { ApiRequest, ApiResponse, Method } from "../../bindings/js/host.ts";
import type { StreamingResponse } from "../../cluster/index.ts";
import { createServerCertificate } from "./certificates.ts";
import { Guard, statusResponse } from "./guard.ts";
import { closeAtOnce, CONNECTIONS_CHECKING_INTERVAL_MS, listen } from "./listen.ts";
import { discardBody, readBody } from "./request-body.ts";

/** As the API server's limit. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
export const MAX_CONNECTIONS = 512;
export const MAX_HEADER_BYTES = 64 * 1024;
/** Bytes that may wait for one client. */
export const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 60_000;
const LOOPBACK = "127.0.0.1";
const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** What the server serves; a Cluster. */
export interface RequestHandler {
  handle(request: ApiRequest): ApiResponse | StreamingResponse;
}

export interface ServerOptions {
  readonly handler: RequestHandler;
  /** 0: a free one. */
  readonly port: number;
  readonly token: string;
  readonly nowMs: number;
  /** A request that could not be answered because of a bug; the server goes on. */
  readonly onError: (error: Error) => void;
}

export interface RunningServer {
  readonly port: number;
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** The PEM certificate that clients trust. */
  readonly authority: string;
  /** Ends all connections, streams too. */
  close(): Promise<void>;
}

/** @throws UsageError when the port cannot be used. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { authority, certificate, privateKey } = await createServerCertificate(options.nowMs);
  const server = createServer({
    cert: certificate,
    key: privateKey,
    minVersion: "TLSv1.2",
    maxHeaderSize: MAX_HEADER_BYTES,
    connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MS,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, { host: LOOPBACK, port: options.port }, { what: `port ${options.port} of ${LOOPBACK}`, remedy: "name another one with --port (0: any free one)" });
  const guard = new Guard(port, options.token);
  server.on("request", (request, response) => serve(request, response, guard, options));
  return { port, url: `https://${LOOPBACK}:${port}`, authority, close: () => closeAtOnce(server) };
}

function serve(request: IncomingMessage, response: ServerResponse, guard: Guard, { handler, onError }: ServerOptions): void {
  const path = request.url ?? "/";
  const refusal = guard.check(path, request.headers);
  if (refusal !== undefined) {
    refuse(request, response, refusal);
    return;
  }
  if (!METHODS.has(request.method ?? "")) {
    refuse(request, response, statusResponse(405, "MethodNotAllowed", "the server does not allow this method on the requested resource"));
    return;
  }
  readBody(request, MAX_BODY_BYTES, (body) => {
    if (body === undefined) {
      refuse(request, response, statusResponse(413, "RequestEntityTooLarge", `Request entity too large: limit is ${MAX_BODY_BYTES}`));
      return;
    }
    try {
      const answer = handler.handle({ method: request.method as Method, path, headers: textHeaders(request), ...(body.length === 0 ? {} : { body }) });
      if ("body" in answer) send(response, answer);
      else stream(request, response, answer);
    } catch (error) {
      onError(error as Error);
      if (response.headersSent) response.destroy();
      else send(response, statusResponse(500, "InternalError", `Internal error occurred: ${(error as Error).message}`));
    }
  });
}

function textHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]));
}

function send(response: ServerResponse, answer: ApiResponse): void {
  const body = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
  response.writeHead(answer.status, { ...mutableHeaders(answer.headers), ...(answer.status === 204 || answer.status === 304 ? {} : { "content-length": body.length }) });
  response.end(body);
}

/** Answers a request whose body is not wanted. */
function refuse(request: IncomingMessage, response: ServerResponse, answer: ApiResponse): void {
  discardBody(request, () => send(response, answer));
}

function stream(request: IncomingMessage, response: ServerResponse, answer: StreamingResponse): void {
  response.writeHead(answer.status, mutableHeaders(answer.headers));
  // Clients wait for the headers before they wait for the first event.
  response.flushHeaders();
  // A stream may be silent for as long as it likes.
  request.socket.setTimeout(0);
  const close = answer.subscribe({
    data: (chunk) => {
      response.write(chunk);
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    },
    end: () => response.end(),
  });
  response.once("close", close);
}

function mutableHeaders(headers: ApiResponse["headers"]): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]));
}
