/**
 * Limits requests a second, and requests at once after a pause. It is a token bucket, like client-go's `--kube-api-qps`
 * and `--kube-api-burst`. Requests wait in order; `close` answers waiting ones with status 0. Streams do not count:
 * they are few and last long.
 */
import type { ApiRequest, ApiResponse, Clock, StreamSink, Timer, Transport } from "../../bindings/js/host.ts";
import { NO_ANSWER } from "./no-answer.ts";

export interface RateLimit {
  /** Requests a second; more than 0. */
  readonly qps: number;
  /** Requests at once; at least 1. */
  readonly burst: number;
}

export class RateLimitedTransport implements Transport {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  readonly #waiting: { readonly request: ApiRequest; readonly done: (response: ApiResponse) => void }[] = [];
  #isClosed = false;
  #tokens: number;
  #filledMs: number;
  #timer: Timer | undefined;

  constructor(transport: Transport, clock: Clock, limit: RateLimit) {
    this.#transport = transport;
    this.#clock = clock;
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#filledMs = clock.now();
  }

  send(request: ApiRequest, done: (response: ApiResponse) => void): void {
    if (this.#isClosed) return this.#refuse(done);
    this.#waiting.push({ request, done });
    this.#sendWaiting();
  }

  stream(request: ApiRequest, sink: StreamSink): () => void {
    return this.#transport.stream(request, sink);
  }

  /** Waiting requests, and later ones, are not sent. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const { done } of this.#waiting.splice(0)) this.#refuse(done);
  }

  #refuse(done: (response: ApiResponse) => void): void {
    this.#clock.defer(() => done(NO_ANSWER));
  }

  #sendWaiting(): void {
    const { qps, burst } = this.#limit;
    const nowMs = this.#clock.now();
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#filledMs) * qps) / 1000);
    this.#filledMs = nowMs;
    const allowed = Math.min(Math.floor(this.#tokens), this.#waiting.length);
    this.#tokens -= allowed;
    for (const { request, done } of this.#waiting.splice(0, allowed)) this.#transport.send(request, done);
    if (this.#waiting.length === 0 || this.#timer !== undefined) return;
    const delayMs = Math.ceil(((1 - this.#tokens) * 1000) / qps);
    this.#timer = this.#clock.setTimer(Math.max(1, delayMs), () => {
      this.#timer = undefined;
      this.#sendWaiting();
    });
  }
}
