/** A real API server and ours, both over HTTPS on loopback, to send the same requests to. */
import { Agent } from "node:https";
import type { Limits } from "../../../cluster/apiserver/contract/context.ts";
import { trackFields } from "../../../cluster/apiserver/apply/tracking.ts";
import { moreResources } from "../../../cluster/apiserver/registry/more-resources.ts";
import { validateQuota } from "../../../cluster/apiserver/quota/validate.ts";
import { Cluster } from "../../../cluster/index.ts";
import { RealClock } from "../../../host-node/clock.ts";
import { createEngine } from "../../../host-node/controller/job-controller.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { startServer } from "../../../host-node/server/https-server.ts";
import { withProtobuf } from "../../../host-node/server/protobuf.ts";
import { withYaml } from "../../../host-node/server/yaml.ts";
import { withExactNumbers } from "../../../host-node/server/exact-numbers.ts";
import { readFileSync } from "node:fs";
import { type ControlPlaneOptions, startControlPlane } from "../control-plane.ts";
import { TESTED_VERSION } from "../tested-version.ts";
import type { Server } from "./ask.ts";

const TOKEN = "differential";

export interface RunningServer extends Server {
  stop(): Promise<void>;
}

/** Upstream's, without any controller. @throws Error when it does not become ready */
export async function startReal(options: ControlPlaneOptions = {}): Promise<RunningServer> {
  const controlPlane = await startControlPlane({
    ...options,
    withoutAdmissionPlugins: ["TaintNodesByCondition", "StorageObjectInUseProtection"],
  });
  const agent = new Agent({ ca: readFileSync(controlPlane.caFile), keepAlive: true });
  return {
    url: controlPlane.url,
    token: controlPlane.token(),
    agent,
    async stop() {
      agent.destroy();
      await controlPlane.stop();
    },
  };
}

/** As `stint serve` has it, also without controllers. */
export async function startOwn(limits: Partial<Limits> = {}): Promise<RunningServer> {
  const engine = await createEngine(await loadEngineModule());
  engine.configure({ kubernetes: TESTED_VERSION });
  const clock = new RealClock();
  const cluster = new Cluster({
    clock,
    random: Math.random,
    admission: (review) => engine.review(review),
    kubernetes: TESTED_VERSION,
    // As the real server of these tests, which has no such admission plugin.
    assignsServiceAccount: false,
    limits,
    moreResources,
    fieldOwners: trackFields,
    // What is used of a quota is written by a controller, which the real server of these tests lacks.
    quotas: () => ({ charge: () => undefined, validate: validateQuota }),
  });
  const fail = (problem: Error | string): void => console.error(problem);
  const server = await startServer({
    handler: withProtobuf(withYaml(withExactNumbers(cluster))),
    port: 0,
    token: TOKEN,
    clock,
    onCrowded: fail,
    onError: fail,
  });
  const agent = new Agent({ ca: server.authority, keepAlive: true });
  return {
    url: server.url,
    token: TOKEN,
    agent,
    async stop() {
      agent.destroy();
      await server.close();
      clock.stop();
    },
  };
}
