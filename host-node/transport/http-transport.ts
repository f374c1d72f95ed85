/**
 * Sends requests to a real API server: HTTP/1.1 over TLS, on connections that are kept alive. Undici speaks
 * HTTP, because a request over it takes the least processor time.
 *
 * Invariant: a request gets exactly one answer within its time-out, counted from when it was handed over: the answer of
 * the server, or status 0 if it is not known whether the server received the request. Nothing is sent twice. A stream
 * counts as dead if it is silent for its idle time-out, or does not begin within the time-out of a request. An answer
 * that the server has compressed is handed on as it was before; limits count those bytes too. As with client-go, reads
 * ask for that unless the kubeconfig forbids it. Leaves out how many requests there are at once and when they may be
 * sent: the callers decide that.
 */
import type { IncomingHttpHeaders } from "node:http";
import { gunzip } from "node:zlib";
import type { Dispatcher, Pool as ConnectionPool } from "undici";
import Client from "undici/lib/dispatcher/client.js";
import Pool from "undici/lib/dispatcher/pool.js";
import type { ApiRequest, ApiResponse, Clock, StreamSink, Timer, Transport } from "../../bindings/js/host.ts";
import { CONNECTIONS_CLOSED, type Connector } from "./connector.ts";
import type { Access, Credentials } from "./credentials.ts";
import { Inflater, SharedSource, unreadable } from "./inflater.ts";
import { NO_ANSWER } from "./no-answer.ts";
import { PacedReader } from "./paced-reader.ts";
import type { ServerClock } from "./server-clock.ts";

/** A longer answer is cancelled, because the engine takes no more at once (bindings/ABI.md, "Limits"). */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const ANSWER_TOO_LONG = `the answer is longer than ${MAX_ANSWER_BYTES} bytes`;
const KEEP_ALIVE_MS = 60_000;
/** Limit for the answer to a watch that is not a stream but a Status. */
const MAX_REFUSAL_BYTES = 1024 * 1024;
const GIVEN_UP = new Error("given up");
const GZIP = "gzip";
const COMPRESSED: Readonly<Record<string, string>> = { "accept-encoding": GZIP };
const STATUS_OK = 200;
const STATUS_UNAUTHORIZED = 401;

export interface HttpTransportOptions {
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** Connections for requests that get an answer; streams have separate ones. */
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
  /** Is set by the headers of every answer. */
  readonly serverClock?: ServerClock;
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
    const { clock, requestTimeoutMs, onAnswer, serverClock } = this.#options;
    const beganMs = clock.now();
    const call = new Call(clock, {
      answered: ({ headers }) => {
        serverClock?.answered(headers);
        call.readWhole(MAX_ANSWER_BYTES, ANSWER_TOO_LONG);
      },
      ended: (response = NO_ANSWER, problem) => {
        deadline.cancel();
        if (problem !== undefined) this.#report(request, problem);
        if (response.status === STATUS_UNAUTHORIZED) this.#options.credentials.refused(clock.now());
        onAnswer?.(request.method, response.status, clock.now() - beganMs);
        done(response);
      },
    });
    const deadline = clock.setTimer(requestTimeoutMs, () =>
      call.giveUp(`no answer within ${requestTimeoutMs / 1000} s`),
    );
    this.#ask(request, "requests", call);
  }

  /** With status 200, chunks are passed on soon. Any other answer is read whole and ends the stream. */
  stream(request: ApiRequest, sink: StreamSink): () => void {
    const { clock, requestTimeoutMs, idleTimeoutMs, onAnswer, serverClock } = this.#options;
    const beganMs = clock.now();
    let isAnswered = false;
    const answered = (status: number): void => {
      deadline.cancel();
      if (!isAnswered) onAnswer?.(request.method, status, clock.now() - beganMs);
      isAnswered = true;
    };
    const call = new Call(clock, {
      answered: (head) => {
        answered(head.status);
        serverClock?.answered(head.headers);
        call.limitSilence(idleTimeoutMs);
        if (head.status !== STATUS_OK) {
          const tooLong = `status ${head.status} with more than ${MAX_REFUSAL_BYTES} bytes`;
          return call.readWhole(MAX_REFUSAL_BYTES, tooLong);
        }
        call.handOn(sink);
        sink.open(head);
      },
      ended: (response, problem) => {
        answered(0);
        if (problem !== undefined) this.#report(request, problem);
        if (response?.status === STATUS_UNAUTHORIZED) this.#options.credentials.refused(clock.now());
        sink.end(response);
      },
    });
    const deadline = clock.setTimer(requestTimeoutMs, () =>
      call.giveUp(`no answer within ${requestTimeoutMs / 1000} s`),
    );
    this.#ask(request, "streams", call);
    return () => {
      deadline.cancel();
      call.leave();
    };
  }

  /** Ends every connection. Requests under way, and later ones, are answered with status 0. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connections of [...this.#retired, ...(this.#connections === undefined ? [] : [this.#connections])])
      connections.close();
    this.#connections = undefined;
  }

  #ask(request: ApiRequest, kind: keyof Pools, call: Call): void {
    const { credentials, clock } = this.#options;
    const access = credentials.fresh(clock.now());
    if (access !== undefined) {
      this.#askWith(access, request, kind, call);
      return;
    }
    this.#renewal ??= credentials.renew(clock.now()).finally(() => {
      this.#renewal = undefined;
    });
    this.#renewal.then(
      (renewed) => this.#askWith(renewed, request, kind, call),
      (error: Error) => call.giveUp(`the credentials cannot be read: ${error.message.split("\n", 1)[0]}`),
    );
  }

  #askWith(access: Access, request: ApiRequest, kind: keyof Pools, call: Call): void {
    if (call.isOver) return;
    try {
      if (this.#isClosed) throw new Error(CONNECTIONS_CLOSED);
      this.#connectionsFor(access).ask(request, kind, call);
    } catch (error) {
      call.failed(error as Error);
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
    connections.retire(() => this.#retired.delete(connections));
  }

  #report({ method, path }: ApiRequest, problem: string): void {
    this.#options.onProblem?.(`${method} ${path.split("?", 1)[0]}: ${problem}`);
  }
}

interface Pools {
  readonly requests: ConnectionPool;
  readonly streams: ConnectionPool;
}

/** The connections of one set of credentials. */
class Connections {
  readonly key: string;
  headers: Readonly<Record<string, string>>;
  readonly #basePath: string;
  readonly #asksCompressed: boolean;
  readonly #connector: Connector;
  readonly #pools: Pools;
  readonly #calls = new Set<Call>();
  #whenIdle: (() => void) | undefined;

  /** @throws Error when a certificate or a key cannot be used */
  constructor(access: Access, { credentials, maxConnections, requestTimeoutMs }: HttpTransportOptions) {
    const { origin, basePath, asksCompressed } = credentials;
    this.key = access.connectionKey;
    this.headers = access.headers;
    this.#basePath = basePath;
    this.#asksCompressed = asksCompressed;
    this.#connector = access.newConnector(requestTimeoutMs);
    // The callers set the deadlines, on their clock.
    const common = {
      connect: this.#connector.connect,
      factory: (url: URL, options: object) => new PoolClient(url, options),
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    this.#pools = {
      requests: new Pool(origin, { ...common, connections: maxConnections }),
      streams: new Pool(origin, common),
    };
  }

  /** A header or a path that cannot be sent ends the call. */
  ask({ method, path, headers, body }: ApiRequest, kind: keyof Pools, call: Call): void {
    this.#calls.add(call);
    call.whenOver = () => this.#forget(call);
    const sent = { ...(method === "GET" && this.#asksCompressed && COMPRESSED), ...headers, ...this.headers };
    // `reset`: else undici would close the connection after a DELETE with a body.
    const options = { method, path: this.#basePath + path, headers: sent, body: body ?? null, reset: false };
    this.#pools[kind].dispatch(options, call);
  }

  /** Takes no more requests. When those under way have ended, so do the connections. */
  retire(ended: () => void): void {
    this.#whenIdle = () => {
      this.close();
      ended();
    };
    if (this.#calls.size === 0) this.#whenIdle();
  }

  close(): void {
    for (const call of this.#calls) call.giveUp(CONNECTIONS_CLOSED);
    for (const pool of [this.#pools.requests, this.#pools.streams]) void pool.destroy();
    this.#connector.close();
  }

  #forget(call: Call): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#whenIdle?.();
  }
}

/**
 * A connection of a pool. If a request cannot be sent, undici itself reports the connection as busy, and its pool would
 * wait for ever for it to become free.
 */
class PoolClient extends Client {
  override dispatch(options: Dispatcher.DispatchOptions, call: Call): boolean {
    return super.dispatch(options, call) || call.isRefused;
  }
}

type Head = Omit<ApiResponse, "body">;

interface CallEvents {
  /** The answer begins. The callee decides what becomes of it, with `readWhole` or `handOn`. */
  readonly answered: (head: Head) => void;
  /** Comes once. @param response undefined: a stream has ended that had begun */
  readonly ended: (response: ApiResponse | undefined, problem?: string) => void;
}

/** A request that is under way. The pool calls it with its progress. */
class Call implements Dispatcher.DispatchHandler {
  /** Called when it has ended, or `leave` was called. */
  whenOver: (() => void) | undefined;
  /** It has a header or a path that cannot be sent. */
  isRefused = false;
  readonly #clock: Clock;
  readonly #events: CallEvents;
  /** Undefined while it waits for a connection. */
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head | undefined;
  #chunk: (chunk: Buffer) => void = () => {};
  #finish: () => void = () => this.end(undefined);
  #heardMs = 0;
  #silence: Timer | undefined;
  #isCompressed = false;
  #reader: PacedReader | undefined;
  #inflater: Inflater | undefined;
  #isOver = false;

  constructor(clock: Clock, events: CallEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It was cancelled while it waited for a connection. This error keeps it from being sent, and leaves the connection
    // to the next one; `abort` would end that.
    if (this.#isOver) throw GIVEN_UP;
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.#isOver || status < STATUS_OK) return;
    this.#isCompressed = headers["content-encoding"] === GZIP;
    const head = { status, headers: (this.#isCompressed ? inflatedHeaders(headers) : headers) as Head["headers"] };
    this.#head = head;
    this.#tell(() => this.#events.answered(head));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#silence !== undefined) this.#heardMs = this.#clock.now();
    this.#tell(() => this.#chunk(chunk));
  }

  onResponseEnd(): void {
    if (!this.#isOver) this.#tell(this.#finish);
  }

  onResponseError(controller: Dispatcher.DispatchController | null, error: Error): void {
    this.isRefused = controller === null;
    this.failed(error);
  }

  /** Ends with the whole answer. @param tooLong the problem with a longer one */
  readWhole(maxBytes: number, tooLong: string): void {
    const chunks: Buffer[] = [];
    let length = 0;
    this.#chunk = (chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) this.giveUp(tooLong);
    };
    this.#finish = () => {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length);
      if (!this.#isCompressed || length === 0) return this.end({ ...this.#head!, body });
      gunzip(body, { maxOutputLength: maxBytes }, (error, inflated) => {
        if (error === null) this.#tell(() => this.end({ ...this.#head!, body: inflated }));
        else this.#tell(() => this.giveUp(isTooLong(error) ? tooLong : unreadable(error)));
      });
    };
  }

  /** Passes the answer to the sink while it arrives. */
  handOn(sink: Pick<StreamSink, "data">): void {
    const source = new SharedSource(this.#controller!);
    const handOn = (bytes: Uint8Array): void => {
      if (!this.#isOver) this.#tell(() => sink.data(bytes));
    };
    const inflater = this.#isCompressed
      ? new Inflater({ source: source.share(), handOn, broken: (problem) => this.#tell(() => this.giveUp(problem)) })
      : undefined;
    const receive = inflater === undefined ? handOn : (bytes: Uint8Array) => inflater.take(bytes);
    const reader = new PacedReader(this.#clock, source.share(), receive);
    this.#reader = reader;
    this.#inflater = inflater;
    this.#chunk = (chunk) => reader.take(chunk);
    if (inflater !== undefined)
      this.#finish = () =>
        this.#afterInflating((problem) => (problem === undefined ? this.end(undefined) : this.giveUp(problem)));
  }

  /** Ends without an answer after this much silence. */
  limitSilence(ms: number): void {
    this.#heardMs = this.#clock.now();
    const look = (): void => {
      const silentMs = this.#clock.now() - this.#heardMs;
      if (silentMs >= ms) this.giveUp(`nothing was heard for ${ms / 1000} s`);
      else this.#silence = this.#clock.setTimer(ms - silentMs, look);
    };
    this.#silence = this.#clock.setTimer(ms, look);
  }

  /** May be called inside `send`, so the sender of the request gets the answer later. */
  failed(error: Error): void {
    this.#clock.defer(() => this.#afterInflating(() => this.end(NO_ANSWER, messageOf(error))));
  }

  giveUp(problem: string): void {
    this.end(NO_ANSWER, problem);
    this.#abort();
  }

  end(response: ApiResponse | undefined, problem?: string): void {
    this.#reader?.finish();
    // The receiver of the last bytes may have called `leave`.
    if (this.#isOver) return;
    this.#over();
    this.#events.ended(response, problem);
  }

  /** Ends it without calling `ended`. */
  leave(): void {
    this.#over();
    this.#abort();
  }

  /** Hands on the compressed bytes that have come before it acts. Nothing else waits. */
  #afterInflating(act: (problem: string | undefined) => void): void {
    if (this.#inflater === undefined || this.#isOver) return act(undefined);
    this.#reader!.finish();
    this.#inflater.finish((problem) => this.#tell(() => act(problem)));
  }

  #over(): void {
    this.#isOver = true;
    this.#silence?.cancel();
    this.#reader?.stop();
    this.#inflater?.stop();
    this.whenOver?.();
  }

  /** Undici would take an exception of a callback for one of the connection. */
  #tell(event: () => void): void {
    try {
      event();
    } catch (error) {
      process.nextTick(() => {
        throw error;
      });
    }
  }

  #abort(): void {
    this.#controller?.abort(GIVEN_UP);
  }
}

/** The headers of the answer without those of its compressed form. */
function inflatedHeaders({ "content-encoding": _, "content-length": __, ...rest }: IncomingHttpHeaders): object {
  return rest;
}

function isTooLong(error: NodeJS.ErrnoException): boolean {
  return error.code === "ERR_BUFFER_TOO_LARGE";
}

/** The message of an error, without its other content. */
function messageOf(error: Error): string {
  // The host name has several addresses, and none of them answered.
  const { code, message } = (
    error instanceof AggregateError && error.message === "" ? error.errors[0] : error
  ) as NodeJS.ErrnoException;
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}
