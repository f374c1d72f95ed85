/**
 * The controller's transport to the API server: reports each request and its answer to the recorder, and for a while
 * can answer all requests with an error, or late. Open watches stay open.
 */
import type { ApiRequest, ApiResponse, Clock, StreamSink, Transport } from "../../bindings/js/host.ts";

export interface TransportObserver {
  onRequest(id: number, request: ApiRequest): void;
  /** The API server has carried the request out. It caused the writes since `onRequest`. */
  onSent(): void;
  onAnswer(id: number, response: ApiResponse): void;
}

const REASONS: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

interface Spell {
  readonly value: number;
  readonly untilMs: number;
}

export class ObservedTransport implements Transport {
  readonly #inner: Transport;
  readonly #clock: Clock;
  readonly #observer: TransportObserver;
  #nextId = 0;
  /** The status and the delay of all answers: each for a while, in the order of their beginnings. */
  readonly #errors: Spell[] = [];
  readonly #delays: Spell[] = [];

  constructor(inner: Transport, clock: Clock, observer: TransportObserver) {
    this.#inner = inner;
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Answers every request with this status for this time. Of several that overlap the latest counts. */
  fail(status: number, forMs: number): void {
    this.#errors.push({ value: status, untilMs: this.#clock.now() + forMs });
  }

  /** Delays the answer of every request sent from now on by this much, for this time. */
  delay(delayMs: number, forMs: number): void {
    this.#delays.push({ value: delayMs, untilMs: this.#clock.now() + forMs });
  }

  send(request: ApiRequest, done: (response: ApiResponse) => void): void {
    const id = this.#nextId++;
    this.#observer.onRequest(id, request);
    const answer = (response: ApiResponse): void => {
      this.#observer.onAnswer(id, response);
      done(response);
    };
    const delayMs = this.#present(this.#delays);
    const arrive = (response: ApiResponse): void => {
      if (delayMs !== undefined) this.#clock.setTimer(delayMs, () => answer(response));
      else answer(response);
    };
    const error = this.#error();
    if (error === undefined) this.#inner.send(request, arrive);
    else this.#clock.defer(() => arrive(error));
    this.#observer.onSent();
  }

  stream(request: ApiRequest, sink: StreamSink): () => void {
    const error = this.#error();
    if (error === undefined) return this.#inner.stream(request, sink);
    let isClosed = false;
    this.#clock.defer(() => {
      if (!isClosed) sink.end(error);
    });
    return () => {
      isClosed = true;
    };
  }

  #present(spells: readonly Spell[]): number | undefined {
    return spells.findLast(({ untilMs }) => this.#clock.now() < untilMs)?.value;
  }

  #error(): ApiResponse | undefined {
    const status = this.#present(this.#errors);
    if (status === undefined) return undefined;
    const reason = REASONS[status];
    const body = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `the API server answers with ${status} for a while`,
      ...(reason === undefined ? {} : { reason }),
      code: status,
    };
    return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  }
}
