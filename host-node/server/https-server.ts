/**
 * The in-memory cluster over HTTPS on loopback: bytes in, bytes out, and streams flushed as they come.
 *
 * Invariant: every request that reaches the cluster was checked (guard.ts), has a limited size, and is complete. A
 * client without the token cannot keep out one that has it. A client that is refused can read why. A client that does
 * not read its watch costs what is on its way to it, and gets the rest from the history. A stream is the last answer on
 * its connection. Leaves out HTTP/2 and compression: loopback needs neither.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer, type ServerOptions as HttpsOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { ApiResponse, Clock, Method } from "../../bindings/js/host.ts";
import type { Conversations } from "../../cluster/apiserver/admission-plugins/pending-review.ts";
import type { ServerRequest, StreamingResponse } from "../../cluster/index.ts";
import { createServerCertificate } from "./certificates.ts";
import type { Durability } from "./durability.ts";
import type { ServerCertificate } from "./server-certificate.ts";
import { Connections } from "./connections.ts";
import { type Authenticate, badRequest, Guard, statusResponse, withAdministrator } from "./guard.ts";
import { closeAtOnce, CONNECTIONS_CHECKING_INTERVAL_MS, listen } from "./listen.ts";
import { rateLimited } from "./rate-limited.ts";
import { answerEarly, readBody } from "./request-body.ts";
import { DEFAULT_WATCHES, connectionLimitsFor, type ConnectionLimits } from "./connection-limits.ts";
import { carryStream, type Outlet } from "./streams/carry-stream.ts";
import { HeldEvents } from "./streams/held-events.ts";
import {
  beginnerFor,
  type BeginnerOf,
  needsUpgrade,
  notServed,
  offeredProtocols,
  streamKindOf,
  type Streams,
  Upgrades,
  webSocketReadOf,
} from "./streams/upgrades.ts";
import { ConnectionQueue } from "./connection-queue.ts";
import { answerUnreadableRequests, type HeadLimits, MAX_HEAD_BYTES, refusalOfHead } from "./unreadable-requests.ts";

/** The limit of the real API server. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
export const HEAD_LIMITS: HeadLimits = { maxUrlBytes: 16 * 1024, maxHeaderBytes: 64 * 1024 };
const HANDSHAKE_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 60_000;
const LOOPBACK = "127.0.0.1";
const NO_STREAMS: Streams = { missing: "nothing runs in the containers of this server" };

type Answer = ApiResponse | StreamingResponse;

/** For a cluster that is not saved. */
const NOT_SAVED: Durability = { isPending: false, after: (callback) => callback() };

/** What the server serves; a Cluster. */
export interface RequestHandler {
  handle(request: ServerRequest): Answer;
}

export interface ServerOptions {
  readonly handler: RequestHandler;
  /** 0: a free one. */
  readonly port: number;
  /** The administrator's. */
  readonly token: string;
  /** Knows the tokens of other users. They have none unless given. */
  readonly authenticate?: Authenticate;
  /** Of the server; a new one unless given. */
  readonly certificate?: ServerCertificate | undefined;
  /** Answers go out at once unless given. */
  readonly durability?: Durability | undefined;
  /** Takes requests that are not for the cluster, and may answer late. There are none unless given. */
  readonly control?: { takes(path: string): boolean; answer(request: ServerRequest): Promise<ApiResponse> } | undefined;
  /** Asks webhooks. Without it, no request waits for a webhook. */
  readonly conversations?: Conversations;
  /** Real time, for the dates of the certificate too. */
  readonly clock: Clock;
  /** Reports in a sentence that a limit refused a client, at most once a minute for each kind of refusal. */
  readonly onCrowded: (sentence: string) => void;
  /** DEFAULT_WATCHES unless given. */
  readonly limits?: ConnectionLimits;
  /** Reports a request that could not be answered because of a bug. The server continues. */
  readonly onError: (error: Error) => void;
  /** The containers in which commands can start; or why there are none, which is the default. */
  readonly streams?: Streams;
}

export interface RunningServer {
  readonly port: number;
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** The PEM certificate that clients trust. */
  readonly authority: string;
  /** Ends all connections, also streams. */
  close(): Promise<void>;
}

/** @throws UsageError when the port cannot be used. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { authority, certificate, privateKey } = options.certificate ?? createServerCertificate(options.clock.now());
  const beginnerOf = await beginnerFor(options.streams ?? NO_STREAMS);
  const server = createServer({
    cert: certificate,
    key: privateKey,
    minVersion: "TLSv1.2",
    maxHeaderSize: MAX_HEAD_BYTES,
    connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MS,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // All other requests are answered as if they did not ask for another protocol. Older versions of Node do not know
    // this.
    shouldUpgradeCallback: needsUpgrade,
  } as HttpsOptions);
  const { maxStrangers, maxConnections } = options.limits ?? connectionLimitsFor(DEFAULT_WATCHES);
  const connections = new Connections(server, {
    maxStrangers,
    maxAdmitted: maxConnections,
    clock: options.clock,
    tell: (closed) =>
      options.onCrowded(
        `idle connections were closed to make room for others: ${closed}; allowed are ${maxStrangers} that have shown no token, and ${maxConnections} that have`,
      ),
  });
  answerUnreadableRequests(server, connections, HEAD_LIMITS);
  const port = await listen(
    server,
    { host: LOOPBACK, port: options.port },
    { what: `port ${options.port} of ${LOOPBACK}`, remedy: "name another one with --port (0: any free one)" },
  );
  const front = new Front(
    new Guard(port, withAdministrator(options.token, options.authenticate)),
    connections,
    beginnerOf,
    options,
  );
  server.on("request", (request, response) => front.serve(request, response));
  server.on("upgrade", (request, socket, head) => front.upgrade(request, socket, head));
  return {
    port,
    url: `https://${LOOPBACK}:${port}`,
    authority,
    close: () => {
      const closed = closeAtOnce(server);
      connections.closeAll();
      return closed;
    },
  };
}

/** Handles a request from its arrival to its answer. */
class Front {
  readonly #guard: Guard;
  readonly #connections: Connections;
  readonly #options: ServerOptions;
  readonly #limits: ConnectionLimits;
  readonly #turns = new ConnectionQueue();
  readonly #heldEvents = new HeldEvents();
  readonly #noteNoRoom: () => void;
  readonly #noteTooManyStreams: () => void;
  readonly #upgrades: Upgrades;
  readonly #durability: Durability;
  #streams = 0;

  constructor(guard: Guard, connections: Connections, beginnerOf: BeginnerOf, options: ServerOptions) {
    this.#guard = guard;
    this.#connections = connections;
    this.#options = options;
    this.#durability = options.durability ?? NOT_SAVED;
    this.#upgrades = new Upgrades((asked) => {
      const answer = options.handler.handle(asked);
      if (!("body" in answer)) throw new Error(`${asked.path} was answered with a stream`);
      return answer;
    }, beginnerOf);
    const { clock, onCrowded, limits = connectionLimitsFor(DEFAULT_WATCHES) } = options;
    this.#limits = limits;
    this.#noteNoRoom = rateLimited(clock, (times) =>
      onCrowded(
        `requests were answered 429, for each of ${limits.maxConnections} connections has one under way: ${times}`,
      ),
    );
    this.#noteTooManyStreams = rateLimited(clock, (times) =>
      onCrowded(`watches were answered 429, for ${limits.maxStreams} watches and followed logs are open: ${times}`),
    );
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    this.#turns.take(request, response, () => this.#serveNow(request, response));
  }

  #serveNow(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "/";
    const refusal =
      refusalOfHead(request, HEAD_LIMITS) ?? this.#guard.check(path, request.headers) ?? this.#refusalOfPlace(request);
    if (refusal !== undefined) refuse(request, response, refusal);
    else
      readBody(request, MAX_BODY_BYTES, (body) => {
        if (body === undefined)
          refuse(
            request,
            response,
            statusResponse(413, "RequestEntityTooLarge", `Request entity too large: limit is ${MAX_BODY_BYTES}`),
          );
        else
          this.#handle(
            {
              // The cluster refuses unknown methods.
              method: request.method as Method,
              path,
              headers: textHeaders(request),
              user: this.#guard.userOf(request.headers),
              ...(body.length === 0 ? {} : { body }),
            },
            request,
            response,
          );
      });
  }

  /** A request that asks for another protocol. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    this.#durability.after(() => this.#upgradeNow(request, socket, head));
  }

  #upgradeNow(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = request.url ?? "/";
    let refusal =
      refusalOfHead(request, HEAD_LIMITS) ?? this.#guard.check(path, request.headers) ?? this.#refusalOfPlace(request);
    try {
      if (refusal === undefined) {
        this.#connections.hold(request);
        const user = this.#guard.userOf(request.headers);
        const asked = { method: request.method as Method, path, headers: textHeaders(request), user };
        refusal =
          streamKindOf(path) === undefined
            ? this.#answerUpgrade(asked, request, socket, head)
            : this.#upgrades.take(request, asked, socket, head);
      }
    } catch (error) {
      this.#options.onError(error as Error);
      refusal = statusResponse(500, "InternalError", `Internal error occurred: ${(error as Error).message}`);
    }
    if (refusal !== undefined) socket.end(plainAnswer(refusal));
  }

  /** Sends a watch or a log over a WebSocket. @returns the answer in HTTP instead; undefined: it was taken */
  #answerUpgrade(
    asked: ServerRequest,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): ApiResponse | undefined {
    // Older versions of Node take the connection from HTTP for any protocol, and no body can be read then.
    if (asked.method !== "GET") return notServed(asked);
    const answer = this.#options.handler.handle(asked);
    const wanted = webSocketReadOf(request);
    const isStream = "subscribe" in answer;
    if (!isStream && !(wanted === "log" && answer.status === 200)) return answer;
    if (wanted === undefined) return notServed(asked);
    const offered = offeredProtocols(request);
    if (offered.length > 1)
      return badRequest(`the client offers the protocols ${offered.join(", ")}; a ${wanted} takes one or none`);
    if (isStream && !this.#hasPlaceForStream()) return this.#refusalOfStream();
    if (isStream) this.#countStream(socket);
    // A stream may be silent for any time.
    request.socket.setTimeout(0);
    import("./streams/websocket-answers.ts").then(
      ({ logOverWebSocket, watchOverWebSocket }) => {
        const connection = [request, socket, head] as const;
        if (wanted === "log") logOverWebSocket(connection, answer, this.#durability);
        else watchOverWebSocket(connection, answer as StreamingResponse, this.#durability);
      },
      (error: Error) => {
        this.#options.onError(error);
        socket.destroy();
      },
    );
    return undefined;
  }

  #refusalOfPlace(request: IncomingMessage): ApiResponse | undefined {
    if (!this.#guard.hasToken(request.headers) || this.#connections.admit(request)) return undefined;
    this.#noteNoRoom();
    return tooManyRequests(
      `each of ${this.#limits.maxConnections} connections has a request under way, which is the limit of this server; end a watch and try again`,
    );
  }

  /** Answers after every webhook for the request has answered, and what was written is on the disk. */
  #handle(asked: ServerRequest, request: IncomingMessage, response: ServerResponse): void {
    const { handler, conversations, control } = this.#options;
    const handle = (one: ServerRequest): Answer => handler.handle(one);
    const done = (outcome: () => Answer): void =>
      this.#durability.after(() => this.#answer(outcome, request, response));
    if (control?.takes(asked.path))
      control.answer(asked).then(
        (answer) => done(() => answer),
        (error: Error) =>
          done(() => {
            throw error;
          }),
      );
    else if (conversations === undefined) done(reached(() => handle(asked)));
    else conversations.handle(asked, handle, done);
  }

  #answer(outcome: () => Answer, request: IncomingMessage, response: ServerResponse): void {
    const { onError } = this.#options;
    try {
      const answer = outcome();
      if ("body" in answer) {
        this.#heldEvents.release();
        send(response, answer);
      } else if (this.#hasPlaceForStream()) this.#stream(request, response, answer);
      else send(response, this.#refusalOfStream());
    } catch (error) {
      onError(error as Error);
      if (response.headersSent) response.destroy();
      else send(response, statusResponse(500, "InternalError", `Internal error occurred: ${(error as Error).message}`));
    }
  }

  #hasPlaceForStream(): boolean {
    return this.#streams < this.#limits.maxStreams;
  }

  #refusalOfStream(): ApiResponse {
    this.#noteTooManyStreams();
    return tooManyRequests(
      `${this.#limits.maxStreams} watches and followed logs are open, which is the limit of this server; end one and try again`,
    );
  }

  /** @param connection its `close` is the end of the stream */
  #countStream(connection: ServerResponse | Duplex): void {
    this.#streams++;
    connection.once("close", () => this.#streams--);
  }

  #stream(request: IncomingMessage, response: ServerResponse, answer: StreamingResponse): void {
    this.#countStream(response);
    // A client may end a stream while it still reads it. Some clients then read, as part of the stream, the answer to
    // the next request on the connection: OkHttp, when fabric8's client closes the log of a container that just ends.
    response.writeHead(answer.status, { ...mutableHeaders(answer.headers), connection: "close" });
    // Clients wait for the headers before they wait for the first event.
    response.flushHeaders();
    // A stream may be silent for any time.
    request.socket.setTimeout(0);
    const outlet: Outlet = {
      buffer: response,
      send: (chunk) => {
        response.write(chunk);
        this.#heldEvents.add(response);
      },
      end: () => response.end(),
    };
    carryStream(answer, outlet, this.#durability);
  }
}

/** Acts now, and returns or throws the result on each call. */
function reached<A>(action: () => A): () => A {
  try {
    const answer = action();
    return () => answer;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The answer of an API server that has too many requests: clients wait for a second and retry. */
function tooManyRequests(message: string): ApiResponse {
  const { headers, ...rest } = statusResponse(429, "TooManyRequests", message, { retryAfterSeconds: 1 });
  return { ...rest, headers: { ...headers, "retry-after": "1" } };
}

function textHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

function send(response: ServerResponse, answer: ApiResponse): void {
  response.end(begin(response, answer));
}

/** Answers a request at once, without reading its body. */
function refuse(request: IncomingMessage, response: ServerResponse, answer: ApiResponse): void {
  answerEarly(request, response, begin(response, answer));
}

/** Sends status and headers. @returns the body, which the caller must send */
function begin(response: ServerResponse, answer: ApiResponse): Uint8Array {
  const body = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
  response.writeHead(answer.status, {
    ...mutableHeaders(answer.headers),
    ...(answer.status === 204 || answer.status === 304 ? {} : { "content-length": body.length }),
  });
  return body;
}

/** An answer on a connection that is then closed. */
function plainAnswer(answer: ApiResponse): string {
  const { status, body } = answer;
  const text = typeof body === "string" ? body : Buffer.from(body).toString();
  const headers = Object.entries(mutableHeaders(answer.headers)).map(
    ([name, value]) => `${name}: ${String(value)}\r\n`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${headers.join("")}connection: close\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function mutableHeaders(headers: ApiResponse["headers"]): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === "string" ? headerBytes(value) : value.map(headerBytes),
    ]),
  );
}

/** Node writes each character of a header as one byte and refuses larger ones, but clients read warnings as UTF-8. */
function headerBytes(value: string): string {
  return Buffer.from(value).toString("latin1");
}
