/**
 * PodDisruptionBudgets of a real API server with upstream's controller, and of the in-memory one with Stint's: the
 * status, the events, and the answers to evictions. Nothing runs the pods: the test says that they are ready.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { disruptionController } from "../../cluster/controllers/disruption-controller/disruption-controller.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { BothServers, type Side } from "./both-servers.ts";
import { startUpstreamController } from "./upstream-controller.ts";

const DEFAULT = "/api/v1/namespaces/default";
const PODS = `${DEFAULT}/pods`;
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const SETS = "/apis/apps/v1/namespaces/default/replicasets";

describe.skipIf(whyUnavailable() !== undefined)("disruption budgets of both", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await BothServers.start();
    await startUpstreamController(servers.controlPlane, { controllers: ["disruption-controller"] });
    const { clock, cluster } = servers;
    disruptionController({ clock, random: Math.random, transport: cluster.transport }).start();
  });
  afterAll(() => servers?.stop());

  it("count healthy pods, and evictions use up what is left", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      const app = "count";
      for (const index of [0, 1, 2]) await readyPod(side, `${app}-${index}`, app);
      await budget(side, app, { minAvailable: 2 });
      await allows(side, app, 1);
      return [
        await statusOf(side, app),
        await evict(side, `${app}-0`, { dryRun: ["All"] }),
        await evict(side, `${app}-0`),
        await settled(side, app, ({ currentHealthy }) => currentHealthy === 2),
        await evict(side, `${app}-1`),
        await evict(side, "none"),
      ];
    });
    expect(stint).toEqual(upstream);
    expect(upstream[4].status).toBe(429);
  });

  it("let go of pods that are not ready as their policy says", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      const seen: unknown[] = [];
      for (const [app, spec] of Object.entries({
        always: { minAvailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" },
        ifhealthy: { minAvailable: 1 },
      })) {
        await readyPod(side, `${app}-0`, app, "False");
        await budget(side, app, spec);
        await settled(side, app, ({ observedGeneration }) => observedGeneration === 1);
        seen.push(await evict(side, `${app}-0`));
      }
      return seen;
    });
    expect(stint).toEqual(upstream);
  });

  it("take shares of what controllers are to run", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      const app = "share";
      const template = {
        metadata: { labels: { app } },
        spec: { containers: [{ name: "c", image: "example.com/i:1" }] },
      };
      const set = await side.ask({
        method: "POST",
        path: SETS,
        body: { metadata: { name: app }, spec: { replicas: 4, selector: { matchLabels: { app } }, template } },
      });
      const { uid } = set.body.metadata;
      const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: app, uid, controller: true };
      for (const index of [0, 1, 2]) await readyPod(side, `${app}-${index}`, app, "True", [owner]);
      await budget(side, app, { maxUnavailable: "30%" });
      await budget(side, `${app}-min`, { minAvailable: "30%" }, app);
      await settled(side, app, ({ expectedPods }) => expectedPods === 4);
      await settled(side, `${app}-min`, ({ expectedPods }) => expectedPods === 4);
      return [await statusOf(side, app), await statusOf(side, `${app}-min`), await evict(side, `${app}-0`)];
    });
    expect(stint).toEqual(upstream);
  });

  it("say what is wrong in events", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      await readyPod(side, "alone-0", "alone");
      await budget(side, "alone", { maxUnavailable: "50%" });
      await budget(side, "nobody", { maxUnavailable: 1 });
      const job = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u", controller: true };
      await readyPod(side, "job-0", "job", "True", [job]);
      await budget(side, "nobody-2", { minAvailable: 1 });
      const seen: unknown[] = [];
      for (const [name, reason] of Object.entries({
        "alone": "UnmanagedPods",
        "nobody": "NoPods",
        "nobody-2": "NoPods",
      })) {
        await side.until(async () => (await eventsOf(side, name)).some((event) => event.reason === reason));
        seen.push(await eventsOf(side, name), await statusOf(side, name));
      }
      return seen;
    });
    expect(stint).toEqual(upstream);
  });
});

async function readyPod(
  { ask }: Side,
  name: string,
  app: string,
  ready = "True",
  ownerReferences: readonly object[] = [],
): Promise<void> {
  const metadata = { name, labels: { app }, ownerReferences };
  const spec = { containers: [{ name: "c", image: "example.com/i:1" }] };
  await ask({ method: "POST", path: PODS, body: { metadata, spec } });
  const conditions = [{ type: "Ready", status: ready }];
  const body = { status: { phase: "Running", conditions } };
  expect((await ask({ method: "PATCH", path: `${PODS}/${name}/status`, body })).status).toBe(200);
}

async function budget({ ask }: Side, name: string, spec: object, app = name): Promise<void> {
  const body = { metadata: { name }, spec: { ...spec, selector: { matchLabels: { app } } } };
  expect((await ask({ method: "POST", path: BUDGETS, body })).status).toBe(201);
}

async function statusOf({ ask }: Side, name: string): Promise<any> {
  return (await ask({ method: "GET", path: `${BUDGETS}/${name}` })).body.status;
}

async function settled(side: Side, name: string, holds: (status: any) => boolean): Promise<unknown> {
  await side.until(async () => holds(await statusOf(side, name)));
  return statusOf(side, name);
}

async function allows(side: Side, name: string, count: number): Promise<void> {
  await settled(side, name, ({ disruptionsAllowed }) => disruptionsAllowed === count);
}

async function evict({ ask }: Side, name: string, deleteOptions?: object): Promise<{ status: number; body: any }> {
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name },
    ...(deleteOptions && { deleteOptions }),
  };
  return ask({ method: "POST", path: `${PODS}/${name}/eviction`, body });
}

async function eventsOf({ ask }: Side, name: string): Promise<any[]> {
  const { body } = await ask({ method: "GET", path: `${DEFAULT}/events?fieldSelector=involvedObject.name=${name}` });
  const events = body.items.map(({ type, reason, message, source }: any) => ({ type, reason, message, source }));
  return events.filter(
    (event: object, index: number) => index === 0 || JSON.stringify(event) !== JSON.stringify(events[0]),
  );
}
