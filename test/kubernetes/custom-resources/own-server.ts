/** The in-memory API server with custom resources, to play sequences on. */
import { trackFields } from "../../../cluster/apiserver/apply/tracking.ts";
import { serveCustomResources } from "../../../cluster/bootstrap/custom-resources.ts";
import { moreResources } from "../../../cluster/apiserver/registry/more-resources.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { Cluster } from "../../../cluster/cluster.ts";
import type { Method } from "../../../bindings/js/host.ts";
import type { Json } from "../../../cluster/index.ts";
import { askCluster } from "../../cluster/ask-cluster.ts";
import type { Answer, Send } from "../apply/play.ts";

export interface OwnServer {
  readonly cluster: Cluster;
  readonly send: (...request: [...Parameters<Send>, accept?: string]) => Promise<Answer>;
  settle(): Promise<void>;
}

/** Its clock stands still. No Job is created there, so it has no admission. */
export function ownServer(): OwnServer {
  const clock = new VirtualClock(Date.parse("2026-01-02T03:04:05Z"));
  const admission = (): string => {
    throw new Error("nothing here needs admission");
  };
  const cluster = new Cluster({ clock, random: Math.random, admission, moreResources, fieldOwners: trackFields });
  serveCustomResources({ cluster, clock });
  return {
    cluster,
    send: async (method, path, body, contentType, accept) =>
      askCluster<Json>(cluster, method as Method, path, body as object | string | undefined, contentType, accept),
    async settle() {
      clock.runDeferred();
    },
  };
}
