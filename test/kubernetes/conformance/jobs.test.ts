/**
 * Upstream's end-to-end specs of Jobs and CronJobs, its conformance tests among them, each as a separate test:
 * against `stint serve`, and against a real API server with Stint's controller, scheduler and kubelet. The pods are
 * processes of this machine, see image-webhook.ts. Most specs wait most of the time, so both servers have their specs
 * at the same time, and several.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBubblewrap } from "../../host-node/runtime/bubblewrap-here.ts";
import { startServe } from "../../host-node/serving.ts";
import type { ApiClient } from "../api-client.ts";
import { whyUnavailable } from "../binaries/binaries.ts";
import { clientOf } from "../clients/programs.ts";
import { startControlPlane } from "../control-plane.ts";
import { startStintController } from "../stint-controller.ts";
import { startUpstreamController } from "../upstream-controller.ts";
import { ImageWebhook } from "./image-webhook.ts";
import { runSpec, specNames } from "./job-specs.ts";
import { startNode } from "./node.ts";
import { SPECS } from "./specs.ts";

/** The program ends itself before. */
const SPEC_TIMEOUT_MS = 12 * 60_000;
/** All that a cluster has beside what is tried, from upstream. */
const UPSTREAM_CONTROLLERS = [
  "cronjob-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "node-lifecycle-controller",
];
const GATES = { GenericWorkload: true, WorkloadWithJob: true };

interface Server {
  readonly kubeconfig: string;
  readonly client: ApiClient;
  stop(): Promise<unknown>;
}

/** How a server begins, with or without gang scheduling. */
type Start = (hasGangs: boolean) => Promise<Server>;

async function serve(hasGangs: boolean): Promise<Server> {
  const gates = hasGangs ? ["--feature-gates=WorkloadWithJob=true"] : [];
  const served = await startServe(["--runtime=process", "--allow-host-path", ...gates]);
  return { kubeconfig: served.kubeconfig, client: clientOf(served), stop: served.stop };
}

async function realServer(hasGangs: boolean): Promise<Server> {
  const controlPlane = await startControlPlane({
    allowPrivileged: true,
    ...(hasGangs && { featureGates: GATES, runtimeConfig: { "scheduling.k8s.io/v1beta1": true } }),
  });
  await startUpstreamController(controlPlane, { controllers: UPSTREAM_CONTROLLERS });
  await startStintController(controlPlane, {
    flags: ["--default-controller", ...(hasGangs ? ["--feature-gates=WorkloadWithJob=true"] : [])],
  });
  const kubeconfig = controlPlane.kubeconfig();
  const node = startNode({ kubeconfig, gangScheduling: hasGangs });
  const client = controlPlane.client();
  // A new node is tainted until it has reported. The program would look again only after half a minute.
  await client.waitFor<{ spec: { taints?: unknown } }>("/api/v1/nodes", ({ spec }) => spec.taints === undefined);
  return {
    kubeconfig,
    client,
    async stop() {
      await node.stop();
      await controlPlane.stop();
    },
  };
}

describe.skipIf(whyUnavailable() !== undefined || !hasBubblewrap)("upstream's specs of Jobs", () => {
  it("are those of the list", async () => {
    expect((await specNames()).toSorted()).toEqual(SPECS.map(({ name }) => name).toSorted());
  });

  const servers: readonly (readonly [string, Start])[] = [
    ["stint serve", serve],
    ["a real API server", realServer],
  ];
  describe.concurrent.each(servers)("against %s", (_name, start) => {
    describe.sequential.each([false, true])("with gang scheduling: %s", (hasGangs) => {
      let webhook: ImageWebhook | undefined;
      let server: Server | undefined;
      beforeAll(async () => {
        webhook = await ImageWebhook.start();
        server = await start(hasGangs);
        await webhook.register(server.client);
      });
      afterAll(async () => {
        server?.client.close();
        await server?.stop();
        webhook?.stop();
      });

      for (const { name, isSerial = false } of SPECS.filter(({ isGang = false }) => isGang === hasGangs))
        (isSerial ? it.sequential : it.concurrent)(
          name,
          async () => expect(await runSpec(name, server!.kubeconfig)).toBeUndefined(),
          SPEC_TIMEOUT_MS,
        );
    });
  });
});
