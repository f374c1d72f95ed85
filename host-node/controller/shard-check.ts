/**
 * Asks an API server whether it honours the shard selector of each source. One that does not know it, or whose feature
 * gate is off, ignores it and shows all objects. Only the answer to a list says which: it repeats the selector.
 *
 * Invariant: nothing is stored, and there is no verdict without an answer: a server that gives none, or refuses, is
 * asked again until it is over.
 */
import type { ApiResponse, Clock, Transport } from "../../bindings/js/host.ts";
import { refusalMessage } from "../../bindings/js/refusal.ts";
import { answeredObject } from "../../cluster/client/client.ts";
import { type Shard, shardSelectorOf, shardText } from "./shard.ts";
import type { JobControllerSource } from "./sources.ts";

const RETRY_INTERVAL_MS = 10_000;
const STATUS_OK = 200;

export interface ShardCheckOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly shard: Shard;
  /** Sources of this shard. */
  readonly sources: readonly JobControllerSource[];
  /** Stops the questions. */
  readonly isOver: () => boolean;
  /** Reports in a sentence that the server did not answer, or refused. */
  readonly onProblem: (problem: string) => void;
}

/** Undefined: it was over before there was a verdict. */
export type ShardVerdict = { readonly isHonoured: true } | { readonly isHonoured: false; readonly problem: string };

export async function checkShard(options: ShardCheckOptions): Promise<ShardVerdict | undefined> {
  const { shard, sources } = options;
  const selector = shardSelectorOf(shard);
  for (const { resource, path } of sources) {
    const answer = await listed(options, `${path}&limit=1`, resource);
    if (answer === undefined) return undefined;
    const { shardInfo } = (answeredObject(answer)["metadata"] ?? {}) as { shardInfo?: { selector?: unknown } | null };
    if (shardInfo?.selector === selector) continue;
    const does =
      shardInfo == null
        ? "ignores the selector and answers with all of them"
        : `answers with those of ${String(shardInfo.selector)}`;
    return {
      isHonoured: false,
      problem: `asked for the ${resource} of ${shardText(shard)} (shardSelector=${selector}), the API server ${does}. Lists and watches in shards need Kubernetes 1.36 or newer with the feature gate ShardedListAndWatch, which is off by default before 1.38. Turn it on at every API server, or run one controller without shards`,
    };
  }
  return { isHonoured: true };
}

/** An answer with status 200; undefined: it is over. */
async function listed(
  { transport, clock, userAgent, isOver, onProblem }: ShardCheckOptions,
  path: string,
  resource: string,
): Promise<ApiResponse | undefined> {
  const headers = { accept: "application/json", "user-agent": userAgent };
  while (!isOver()) {
    const answer = await new Promise<ApiResponse>((resolve) =>
      transport.send({ method: "GET", path, headers }, resolve),
    );
    if (answer.status === STATUS_OK) return isOver() ? undefined : answer;
    if (answer.status !== 0)
      onProblem(`the API server does not say whether the ${resource} come in shards (${refusalOf(answer)})`);
    await new Promise<void>((resolve) => clock.setTimer(RETRY_INTERVAL_MS, resolve));
  }
  return undefined;
}

function refusalOf(answer: ApiResponse): string {
  const message = refusalMessage(answer);
  return message === "" ? String(answer.status) : `${answer.status}: ${message}`;
}
