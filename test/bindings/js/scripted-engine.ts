/**
 * The base of the tests of the loop around an engine: an engine that follows a script and records every call, and a
 * transport whose answers the test gives. Both keep the contracts of bindings/js; neither knows anything of Jobs.
 */
import { type LoopedEngine } from "../../../bindings/js/engine-loop.ts";
import {
  type Decision,
  ErrorCode,
  EngineError,
  type EngineRequest,
  IngestKind,
  type PollResult,
} from "../../../bindings/js/engine.ts";
import type { ApiRequest, ApiResponse, Clock, StreamSink, Transport } from "../../../bindings/js/host.ts";

const decoder = new TextDecoder();
const KIND_NAMES = Object.fromEntries(Object.entries(IngestKind).map(([name, kind]) => [kind, name]));

/**
 * Understands bodies of this toy form: a page is `<version>` or `<version> next=<token>`; watch lines are
 * `<version>` each, or `gone`, which is what a 410 in a watch does to an engine.
 */
export class ScriptedEngine implements LoopedEngine {
  /** Every call in order: `ingest 1 watchLines "7\n"`, `settle 5 201 -1 "body"`. Polls are not listed. */
  readonly calls: string[] = [];
  polls = 0;
  nextWakeUpMs = Infinity;
  readonly decisions: Decision[] = [];
  /** Sources of which the next poll asks another list. */
  readonly wishes: number[] = [];
  /** Thrown by the next call of that name. */
  readonly failures: Partial<Record<"ingest" | "settle" | "poll", EngineError>> = {};
  /** Answered by every ingest and settle. */
  verdict: ErrorCode = ErrorCode.ok;
  readonly #queued: EngineRequest[] = [];
  readonly #versions = new Map<number, number>();
  readonly #tokens = new Map<number, string>();
  #listed = -1;

  /** Queues requests with these ids: a POST with a body for even ids, a DELETE without one for odd ids. */
  wants(...ids: number[]): void {
    for (const id of ids) this.#queued.push(request(id));
  }

  /** Wants another list of a source, whatever its watch does. */
  asksForList(source: number): void {
    this.#versions.set(source, -1);
  }

  ingest(source: number, kind: IngestKind, bytes: Uint8Array | string, _nowMs: number): ErrorCode {
    const text = typeof bytes === "string" ? bytes : decoder.decode(bytes);
    this.calls.push(`ingest ${source} ${KIND_NAMES[kind]}${text === "" ? "" : ` ${JSON.stringify(text)}`}`);
    this.#throwFailure("ingest");
    if (kind === IngestKind.listBegin) this.#versions.set(source, -1);
    if (kind === IngestKind.page) {
      const [version, next] = text.split(" next=");
      this.#listed = Number(version);
      this.#tokens.set(source, next ?? "");
    }
    if (kind === IngestKind.listEnd) this.#versions.set(source, this.#listed);
    if (kind === IngestKind.watchLines) {
      for (const line of text.trimEnd().split("\n")) this.#versions.set(source, line === "gone" ? -1 : Number(line));
    }
    return this.verdict;
  }

  listContinue(source: number): string {
    return this.#tokens.get(source) ?? "";
  }

  watchVersion(source: number): number {
    return this.#versions.get(source) ?? -1;
  }

  poll(_nowMs: number, maxRequests: number): PollResult {
    this.polls++;
    this.#throwFailure("poll");
    for (const source of this.wishes.splice(0)) this.#versions.set(source, -1);
    return {
      requests: this.#queued.splice(0, maxRequests),
      nextWakeUpMs: this.nextWakeUpMs,
      decisions: this.decisions.splice(0),
    };
  }

  settle(id: number, status: number, retryAfterMs: number, body: Uint8Array | string, _nowMs: number): ErrorCode {
    this.calls.push(
      `settle ${id} ${status} ${retryAfterMs} ${JSON.stringify(typeof body === "string" ? body : decoder.decode(body))}`,
    );
    this.#throwFailure("settle");
    return this.verdict;
  }

  #throwFailure(call: "ingest" | "settle" | "poll"): void {
    const failure = this.failures[call];
    delete this.failures[call];
    if (failure !== undefined) throw failure;
  }
}

function request(id: number): EngineRequest {
  const hasBody = id % 2 === 0;
  return {
    id,
    method: hasBody ? "POST" : "DELETE",
    path: `/request/${id}`,
    accept: "application/json",
    contentType: hasBody ? "application/json" : "",
    body: new TextEncoder().encode(hasBody ? `{"id":${id}}` : ""),
    decision: 0,
  };
}

export interface PendingSend {
  readonly request: ApiRequest;
  answer(status: number, body?: string, headers?: ApiResponse["headers"]): void;
}

export interface PendingStream {
  readonly request: ApiRequest;
  readonly sink: StreamSink;
  closed: boolean;
}

/**
 * Keeps what was asked until the test answers it. Answers arrive through `clock.defer`, as the contract of Transport
 * says.
 */
export class ManualTransport implements Transport {
  readonly sends: PendingSend[] = [];
  readonly streams: PendingStream[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  send(request: ApiRequest, done: (response: ApiResponse) => void): void {
    this.sends.push({
      request,
      answer: (status, body = "", headers = {}) => this.#clock.defer(() => done({ status, headers, body })),
    });
  }

  stream(request: ApiRequest, sink: StreamSink): () => void {
    const stream: PendingStream = { request, sink, closed: false };
    this.streams.push(stream);
    return () => {
      stream.closed = true;
    };
  }
}
