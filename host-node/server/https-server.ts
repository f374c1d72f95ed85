/**
 * The in-memory cluster over HTTPS on loopback: bytes in, bytes out, and streams flushed as they come.
 *
 * Invariant: no request reaches the cluster unchecked (guard.ts), unbounded or unfinished, and a client that does not read
 * its watch loses it, as with a real API server. Leaves out HTTP/2 and compression, which nobody needs on loopback.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { ApiRequest, ApiResponse, Method } from "../../bindings/js/host.ts";
import type { StreamingResponse } from "../../cluster/index.ts";
import { UsageError } from "../usage-error.ts";
import { createServerCertificate } from "./certificates.ts";
import { Guard, statusResponse } from "./guard.ts";

/** As the API server's limit. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
export const MAX_CONNECTIONS = 512;
export const MAX_HEADER_BYTES = 64 * 1024;
/** Bytes that may wait for one client. */
export const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** Of a request that is refused; who sends more is cut off. */
const MAX_THROWN_AWAY_BYTES = 64 * 1024 * 1024;
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
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, options.port);
  const guard = new Guard(port, options.token);
  server.on("request", (request, response) => serve(request, response, guard, options));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port, url: `https://${LOOPBACK}:${port}`, authority, close };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const problem = error.code === "EADDRINUSE" ? "is in use" : error.code === "EACCES" ? "is not allowed to this user" : `cannot be used: ${error.message}`;
      reject(new UsageError(`port ${port} of ${LOOPBACK} ${problem}; name another one with --port (0: any free one)`));
    });
    server.listen(port, LOOPBACK, () => resolve((server.address() as { port: number }).port));
  });
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
  readBody(request, (body) => {
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

/** Undefined when the body is too long: then the rest is not read. */
function readBody(request: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) {
    done(undefined);
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) return;
    request.off("data", onData).off("end", onEnd);
    done(undefined);
  };
  const onEnd = (): void => done(Buffer.concat(chunks));
  // Without an end there is no request: nothing to answer.
  request.on("data", onData).on("end", onEnd).on("error", () => {});
}

function textHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]));
}

function send(response: ServerResponse, answer: ApiResponse): void {
  const body = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
  response.writeHead(answer.status, { ...mutableHeaders(answer.headers), ...(answer.status === 204 || answer.status === 304 ? {} : { "content-length": body.length }) });
  response.end(body);
}

/**
 * Answers a request whose body is not wanted. The body is received all the same and thrown away: a client that is cut off
 * in the middle of it does not see the answer.
 */
function refuse(request: IncomingMessage, response: ServerResponse, answer: ApiResponse): void {
  if (request.complete) {
    send(response, answer);
    return;
  }
  let thrownAway = 0;
  request.on("data", (chunk: Buffer) => {
    thrownAway += chunk.length;
    if (thrownAway > MAX_THROWN_AWAY_BYTES) request.destroy();
  });
  request.on("end", () => send(response, answer)).on("error", () => {});
  request.resume();
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
