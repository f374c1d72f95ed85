/** The in-memory API server with fields tracked, to play sequences on. */
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { Cluster } from "../../../cluster/cluster.ts";
import { trackFields } from "../../../cluster/apiserver/apply/tracking.ts";
import type { Method } from "../../../bindings/js/host.ts";
import type { Json } from "../../../cluster/index.ts";
import { createEngine } from "../../../host-node/controller/job-controller.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { askCluster } from "../../cluster/ask-cluster.ts";
import { TESTED_VERSION } from "../tested-version.ts";
import type { Send } from "./play.ts";

/** Its clock stands still, so entries of managedFields are in the order of their names. */
export async function ownServer(): Promise<Send> {
  const engine = await createEngine(await loadEngineModule());
  engine.configure({ kubernetes: TESTED_VERSION });
  const cluster = new Cluster({
    clock: new VirtualClock(Date.parse("2026-01-02T03:04:05Z")),
    random: Math.random,
    admission: (review) => engine.review(review),
    kubernetes: TESTED_VERSION,
    // As the real server of these tests, which has no such admission plugin.
    assignsServiceAccount: false,
    fieldOwners: trackFields,
  });
  return (method, path, body, contentType) =>
    askCluster<Json>(cluster, method as Method, path, body as object | string | undefined, contentType);
}
