/**
 * Lets writes pass only while this process may write. A request that changes something is handed on if `mayWrite` says
 * so at that moment; otherwise it waits. Reads always pass.
 *
 * Invariant: nothing waits for ever. `release` tries waiting writes again, and `close` answers them with status 0, and
 * later ones too. The sender limits how many can wait: a controller has a fixed number of requests under way.
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

  /** How many writes wait. */
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

  /** Sends waiting writes, in order, as long as that is allowed. */
  release(): void {
    const held = this.#held;
    this.#held = [];
    for (const { request, done } of held) this.send(request, done);
  }

  /** From now on no write is sent, even if a rate limit held it back and it comes only now. */
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
