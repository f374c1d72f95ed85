/**
 * Lets no write of a sharded controller pass but those to namespaces of its shard. A server may cease to honour the
 * shard selector while the controller runs: another API server answers, or one that was started with other feature
 * gates. A watch does not say so, and then the engine sees Jobs that another controller runs.
 *
 * Invariant: a write to another shard, or to no namespace, is never sent; it is answered with status 0. Reads always
 * pass.
 */
import type { ApiRequest, ApiResponse, Clock, StreamSink, Transport } from "../../bindings/js/host.ts";
import { NO_ANSWER } from "../transport/no-answer.ts";
import { isInShard, type Shard } from "./shard.ts";

const NAMESPACE = /^\/apis?\/(?:[^/]+\/)?[^/]+\/namespaces\/([^/?]+)\//;

export interface ShardFenceOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly shard: Shard;
  /** Called instead of the first write that is not sent. */
  readonly onForeign: (request: ApiRequest) => void;
}

export class ShardFence implements Transport {
  readonly #options: ShardFenceOptions;
  #hasReported = false;

  constructor(options: ShardFenceOptions) {
    this.#options = options;
  }

  send(request: ApiRequest, done: (response: ApiResponse) => void): void {
    const { transport, clock, shard } = this.#options;
    const namespace = NAMESPACE.exec(request.path)?.[1];
    const isOwn = namespace !== undefined && isInShard(shard, namespace);
    if (isOwn || request.method === "GET") return transport.send(request, done);
    this.#report(request);
    clock.defer(() => done(NO_ANSWER));
  }

  stream(request: ApiRequest, sink: StreamSink): () => void {
    return this.#options.transport.stream(request, sink);
  }

  #report(request: ApiRequest): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    this.#options.onForeign(request);
  }
}
