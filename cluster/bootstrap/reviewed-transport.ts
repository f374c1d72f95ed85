/** The transport of this process, with webhooks: a request whose webhooks have not answered yet waits for them. */
import type { Conversations } from "../apiserver/admission-plugins/pending-review.ts";
import type { BareCluster } from "../bare-cluster.ts";
import { type Handler, inMemoryTransport, type LocalTransport } from "../client/in-memory-transport.ts";
import type { Clock } from "../../bindings/js/host.ts";

/** Streams have nothing to review. */
export function reviewedTransport(
  transport: LocalTransport,
  cluster: Pick<BareCluster, "handle">,
  conversations: Conversations,
  clock: Clock,
): LocalTransport {
  const handle: Handler = (request) => cluster.handle(request);
  let outcome: () => ReturnType<Handler>;
  const delivering = inMemoryTransport(() => outcome(), clock);
  return {
    ...transport,
    send(request, done) {
      conversations.handle(request, handle, (reached) => {
        outcome = reached;
        delivering.send(request, done);
      });
    },
  };
}
