/**
 * Sends requests to a real API server: HTTP/1.1 over TLS, on connections that are kept alive.
 *
 * Invariant: a request gets exactly one answer within its time-out, counted from when it was handed over: the answer of
 * the server, or status 0 if it is not known whether the server received the request. Nothing is sent twice. A stream
 * counts as dead if it is silent for its idle time-out, or does not begin within the time-out of a request. Leaves out
 * how many requests there are at once and when they may be sent: the callers decide that.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { ConnectionOptions } from "node:tls";
import { type buildConnector, type Dispatcher, Pool, ProxyAgent, Socks5ProxyAgent } from "undici";
import type { ApiRequest, ApiResponse, Clock, StreamSink, Transport } from "../../bindings/js/host.ts";
import type { Access, Credentials } from "./credentials.ts";
import { NO_ANSWER } from "./no-answer.ts";

/** A longer answer is given up, because the engine takes no more at once (bindings/ABI.md, "Limits"). */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const KEEP_ALIVE_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Limit for the answer to a watch that is not a stream but a Status. */
const MAX_REFUSAL_BYTES = 1024 * 1024;
const STATUS_OK = 200;
const STATUS_UNAUTHORIZED = 401;

export interface HttpTransportOptions {
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** Connections for requests that are answered; streams have their own. */
  readonly maxConnections: number;
  /** From handing over a request to the last byte of its answer. */
  readonly requestTimeoutMs: number;
  /** The longest silence of a stream. A watch gets a bookmark once a minute. */
  readonly idleTimeoutMs: number;
  /** One sentence about a request that got no answer. It holds no credential. */
  readonly onProblem?: (problem: string) => void;
  /**
   * Called for every answer, with the time to its last byte; for a stream as soon as its status is known. Status 0:
   * there was no answer.
   */
  readonly onAnswer?: (method: ApiRequest["method"], status: number, durationMs: number) => void;
}

export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  #connections: Connections | undefined;
  /** Connections with earlier credentials, on which requests are still under way. */
  readonly #retired = new Set<Connections>();
  #renewal: Promise<Access> | undefined;
  #isClosed = false;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  send(request: ApiRequest, done: (response: ApiResponse) => void): void {
    const { clock, requestTimeoutMs, onAnswer } = this.#options;
    const beganMs = clock.now();
    const exchange = new Exchange(clock, (response, problem) => {
      deadline.cancel();
      if (problem !== undefined) this.#report(request, problem);
      if (response.status === STATUS_UNAUTHORIZED) this.#options.credentials.refused(clock.now());
      onAnswer?.(request.method, response.status, clock.now() - beganMs);
      done(response);
    });
    const deadline = clock.setTimer(requestTimeoutMs, () =>
      exchange.giveUp(`no answer within ${requestTimeoutMs / 1000} s`),
    );
    this.#withConnections(exchange, (connections) =>
      connections.requests.dispatch(this.#dispatchOptions(request, connections), exchange),
    );
  }

  stream(request: ApiRequest, sink: StreamSink): () => void {
    const { clock, requestTimeoutMs, idleTimeoutMs, onAnswer } = this.#options;
    const beganMs = clock.now();
    let isAnswered = false;
    const answered = (status: number): void => {
      deadline.cancel();
      if (!isAnswered) onAnswer?.(request.method, status, clock.now() - beganMs);
      isAnswered = true;
    };
    const tail = new Tail(clock, idleTimeoutMs, sink, {
      begun: answered,
      ended: (response, problem) => {
        answered(0);
        if (problem !== undefined) this.#report(request, problem);
        if (response?.status === STATUS_UNAUTHORIZED) this.#options.credentials.refused(clock.now());
      },
    });
    const deadline = clock.setTimer(requestTimeoutMs, () =>
      tail.giveUp(`no answer within ${requestTimeoutMs / 1000} s`),
    );
    this.#withConnections(tail, (connections) =>
      connections.streams.dispatch(this.#dispatchOptions(request, connections), tail),
    );
    return () => {
      deadline.cancel();
      tail.close();
    };
  }

  /** Ends every connection. Requests under way, and those that come later, are answered with status 0. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#retired, ...(this.#connections === undefined ? [] : [this.#connections])];
    this.#connections = undefined;
    await Promise.all(all.map((connections) => connections.destroy()));
  }

  #withConnections(exchange: Exchange | Tail, use: (connections: Connections) => void): void {
    const { credentials, clock } = this.#options;
    const access = credentials.fresh(clock.now());
    if (access !== undefined) {
      this.#use(access, exchange, use);
      return;
    }
    this.#renewal ??= credentials.renew(clock.now()).finally(() => {
      this.#renewal = undefined;
    });
    this.#renewal.then(
      (renewed) => this.#use(renewed, exchange, use),
      (error: Error) => exchange.giveUp(`the credentials cannot be read: ${error.message.split("\n", 1)[0]}`),
    );
  }

  #use(access: Access, exchange: Exchange | Tail, use: (connections: Connections) => void): void {
    if (exchange.isOver) return;
    try {
      if (this.#isClosed) throw new Error("the connections are closed");
      use(this.#connectionsFor(access));
    } catch (error) {
      exchange.onResponseError(undefined, error as Error);
    }
  }

  /** Another HttpTransport may have renewed the credentials, so they are compared each time. */
  #connectionsFor(access: Access): Connections {
    const current = this.#connections;
    if (current !== undefined && current.key === access.connectionKey) {
      current.headers = access.headers;
      return current;
    }
    if (current !== undefined) this.#retire(current);
    return (this.#connections = new Connections(access, this.#options));
  }

  /** Requests under way on these connections end there. */
  #retire(connections: Connections): void {
    this.#retired.add(connections);
    void connections.close().finally(() => this.#retired.delete(connections));
  }

  #dispatchOptions({ method, path, headers, body }: ApiRequest, connections: Connections): Dispatcher.DispatchOptions {
    const { origin, basePath } = this.#options.credentials;
    return {
      origin,
      path: basePath + path,
      method,
      headers: { ...headers, ...connections.headers },
      ...(body === undefined ? {} : { body }),
    };
  }

  #report({ method, path }: ApiRequest, problem: string): void {
    this.#options.onProblem?.(`${method} ${path.split("?", 1)[0]}: ${problem}`);
  }
}

/** The connections of one set of credentials. */
class Connections {
  readonly key: string;
  readonly requests: Dispatcher;
  readonly streams: Dispatcher;
  headers: Readonly<Record<string, string>>;

  constructor(access: Access, { credentials, maxConnections, idleTimeoutMs }: HttpTransportOptions) {
    this.key = access.connectionKey;
    this.headers = access.headers;
    // Requests end, and streams begin, before a deadline of our own, which includes the wait for a connection.
    const common = { keepAliveTimeout: KEEP_ALIVE_MS, pipelining: 1, allowH2: false, headersTimeout: 0 };
    this.requests = dispatcherFor(access, credentials.origin, {
      ...common,
      connections: maxConnections,
      bodyTimeout: 0,
    });
    this.streams = dispatcherFor(access, credentials.origin, { ...common, bodyTimeout: idleTimeoutMs });
  }

  async close(): Promise<void> {
    await Promise.all([this.requests.close(), this.streams.close()]);
  }

  async destroy(): Promise<void> {
    await Promise.all([this.requests.destroy(), this.streams.destroy()]);
  }
}

function dispatcherFor({ connection }: Access, origin: string, options: Omit<Pool.Options, "connect">): Dispatcher {
  switch (connection.type) {
    case "proxy":
      return new ProxyAgent({ ...options, uri: connection.uri, requestTls: connectOptions(connection.requestTls) });
    case "socks":
      return new Socks5ProxyAgent(connection.uri, { ...options, requestTls: connectOptions(connection.requestTls) });
    case "agent":
      return new Pool(origin, { ...options, connect: connectOptions(connection.connect) });
    case "none":
      return new Pool(origin, { ...options, connect: connectOptions({}) });
  }
}

/** Removes members that are undefined: client-node's options have such, and undici's types do not allow them. */
function connectOptions(tls: ConnectionOptions): buildConnector.BuildOptions {
  return { ...tls, timeout: CONNECT_TIMEOUT_MS } as buildConnector.BuildOptions;
}

/** One request and its answer. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #clock: Clock;
  readonly #done: (response: ApiResponse, problem?: string) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: ApiResponse["headers"] = {};
  #chunks: Buffer[] = [];
  #length = 0;
  isOver = false;

  constructor(clock: Clock, done: (response: ApiResponse, problem?: string) => void) {
    this.#clock = clock;
    this.#done = done;
  }

  giveUp(problem: string): void {
    this.#controller?.abort(new Error(problem));
    this.#end(NO_ANSWER, problem);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isOver) controller.abort(new Error("given up"));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers as ApiResponse["headers"];
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > MAX_ANSWER_BYTES) this.giveUp(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
  }

  onResponseEnd(): void {
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#length);
    this.#end({ status: this.#status, headers: this.#headers, body });
  }

  /** May be called inside `dispatch`, so the sender of the request gets the answer later. */
  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#clock.defer(() => this.#end(NO_ANSWER, messageOf(error)));
  }

  #end(response: ApiResponse, problem?: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#chunks = [];
    this.#done(response, problem);
  }
}

interface TailEvents {
  /** The server has answered. */
  readonly begun: (status: number) => void;
  /** `response` as for StreamSink.end. */
  readonly ended: (response: ApiResponse | undefined, problem?: string) => void;
}

/** A stream. With status 200, chunks are handed on as they come. Any other answer is read whole and ends the stream. */
class Tail implements Dispatcher.DispatchHandler {
  readonly #clock: Clock;
  readonly #idleTimeoutMs: number;
  readonly #sink: StreamSink;
  readonly #events: TailEvents;
  #controller: Dispatcher.DispatchController | undefined;
  #refusal:
    { readonly status: number; readonly headers: ApiResponse["headers"]; readonly chunks: Buffer[] } | undefined;
  #refusalLength = 0;
  isOver = false;

  constructor(clock: Clock, idleTimeoutMs: number, sink: StreamSink, events: TailEvents) {
    this.#clock = clock;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#sink = sink;
    this.#events = events;
  }

  close(): void {
    this.isOver = true;
    this.#controller?.abort(new Error("closed"));
  }

  giveUp(problem: string): void {
    this.#controller?.abort(new Error(problem));
    this.#end(NO_ANSWER, problem);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.isOver) controller.abort(new Error("closed"));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.isOver) return;
    this.#events.begun(status);
    if (status === STATUS_OK) this.#sink.open({ status, headers: headers as ApiResponse["headers"] });
    else this.#refusal = { status, headers: headers as ApiResponse["headers"], chunks: [] };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return;
    if (this.#refusal === undefined) {
      this.#sink.data(chunk);
      return;
    }
    this.#refusal.chunks.push(chunk);
    this.#refusalLength += chunk.length;
    if (this.#refusalLength > MAX_REFUSAL_BYTES)
      this.giveUp(`status ${this.#refusal.status} with more than ${MAX_REFUSAL_BYTES} bytes`);
  }

  onResponseEnd(): void {
    if (this.#refusal === undefined) this.#end(undefined);
    else
      this.#end({
        status: this.#refusal.status,
        headers: this.#refusal.headers,
        body: Buffer.concat(this.#refusal.chunks),
      });
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    const isSilent = (error as NodeJS.ErrnoException).code === "UND_ERR_BODY_TIMEOUT";
    this.#clock.defer(() =>
      this.#end(NO_ANSWER, isSilent ? `nothing was heard for ${this.#idleTimeoutMs / 1000} s` : messageOf(error)),
    );
  }

  #end(response: ApiResponse | undefined, problem?: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#events.ended(response, problem);
    this.#sink.end(response);
  }
}

/** The message of an error, without the other content of undici's errors. */
function messageOf(error: Error): string {
  // The host name has several addresses, and none of them answered.
  const { code, message } = (
    error instanceof AggregateError && error.message === "" ? error.errors[0] : error
  ) as NodeJS.ErrnoException;
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}
