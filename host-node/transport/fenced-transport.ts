/**
 * Writes only while this process may: a request that changes something is handed on if `mayWrite` says so at that
 * moment, and waits otherwise; reading is always allowed.
 *
 * Invariant: nothing waits for ever: `release` tries again what waits, and `close` answers it with status 0, as it does
 * with writes that come later. How much can wait is bounded by whoever sends: a controller has a fixed number of
 * requests under way.
 */
import type { ApiRequest, ApiResponse, Clock, StreamSink, Transport } from "../../bindings/js/host.ts";
import { NO_ANSWER } from "./no-answer.ts";

export interface FencedTransportOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly mayWrite: () => boolean;
}

interface HeldWrite {
  readonly request: ApiRequest;
  readonly done: (response: ApiResponse) => void;
}

export class FencedTransport implements Transport {
  readonly #options: FencedTransportOptions;
  #held: HeldWrite[] = [];
  #isClosed = false;

  constructor(options: FencedTransportOptions) {
    this.#options = options;
  }

  /** Writes that wait. */
  get held(): number {
    return this.#held.length;
  }

  send(request: ApiRequest, done: (response: ApiResponse) => void): void {
    if (request.method === "GET") this.#options.transport.send(request, done);
    else if (this.#isClosed) this.#refuse(done);
    else if (this.#options.mayWrite()) this.#options.transport.send(request, done);
    else this.#held.push({ request, done });
  }

  stream(request: ApiRequest, sink: StreamSink): () => void {
    return this.#options.transport.stream(request, sink);
  }

  /** Hands on what waits, in order, as far as that is allowed now. */
  release(): void {
    const held = this.#held;
    this.#held = [];
    for (const { request, done } of held) this.send(request, done);
  }

  /** No write is sent any more, also none that was held back elsewhere (by a rate limit) and comes only now. */
  close(): void {
    this.#isClosed = true;
    const held = this.#held;
    this.#held = [];
    for (const { done } of held) this.#refuse(done);
  }

  #refuse(done: HeldWrite["done"]): void {
    this.#options.clock.defer(() => done(NO_ANSWER));
  }
}
