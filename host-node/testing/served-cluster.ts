/** A test cluster over HTTPS on a free port of loopback, for clients that need one. */
import { RealClock } from "../clock.ts";
import { newToken } from "../data/identity.ts";
import type { EmbeddedCluster } from "../embedded/embedded.ts";
import { withExplanations } from "../server/explanations.ts";
import { type RequestHandler, startServer } from "../server/https-server.ts";
import { kubeconfigText } from "../server/kubeconfig.ts";
import { withProtobuf } from "../server/protobuf.ts";

export interface ServedCluster {
  /** The text of a kubeconfig. Its user may do everything. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** @param now the time of the cluster @param onError a request could not be answered because of a bug */
export async function serveCluster(
  embedded: EmbeddedCluster,
  now: () => number,
  onError: (error: Error) => void,
): Promise<ServedCluster> {
  // Clients check the dates of certificates, and their time is real.
  const clock = new RealClock();
  const token = newToken();
  const { cluster, conversations, authenticate } = embedded;
  const handler: RequestHandler = embedded.hasController
    ? withExplanations(cluster, () => embedded.engine, now)
    : cluster;
  const server = await startServer({
    handler: withProtobuf(handler),
    port: 0,
    token,
    clock,
    authenticate,
    conversations,
    onError,
    onCrowded: (sentence) => console.error(`stint: ${sentence}`),
  });
  return {
    kubeconfig: kubeconfigText({ server: server.url, authority: server.authority, token }),
    close: async () => {
      await server.close();
      clock.stop();
    },
  };
}
