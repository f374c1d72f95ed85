/**
 * Pods whose node is tainted or goes away: what upstream's taint eviction and garbage collection make of them, and what
 * Stint's do. The pods have a finalizer, so that their end can be seen.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PodGCController } from "../../cluster/pod-gc-controller/pod-gc-controller.ts";
import { TaintEvictionController } from "../../cluster/taint-eviction-controller/taint-eviction-controller.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { BothServers, type Side } from "./both-servers.ts";
import { startUpstreamController } from "./upstream-controller.ts";

const PODS = "/api/v1/namespaces/default/pods";
const EVENTS = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=";

describe.skipIf(whyUnavailable() !== undefined)("disturbed pods of both", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await BothServers.start();
    const controllers = ["taint-eviction-controller", "pod-garbage-collector-controller"];
    await startUpstreamController(servers.controlPlane, { controllers });
    const options = { clock: servers.clock, random: Math.random, transport: servers.cluster.transport };
    new TaintEvictionController(options).start();
    new PodGCController(options).start();
  });
  afterAll(() => servers?.stop());

  it("leave a node with a taint that they do not tolerate, or no longer", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      await side.ask({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name: "tainted" } } });
      await pod(side, "intolerant", "tainted");
      const toleration = { key: "sick", operator: "Exists", effect: "NoExecute" };
      await pod(side, "patient", "tainted", [{ ...toleration, tolerationSeconds: 2 }]);
      await pod(side, "stoic", "tainted", [toleration]);
      const taints = [{ key: "sick", value: "yes", effect: "NoExecute" }];
      await side.ask({ method: "PATCH", path: "/api/v1/nodes/tainted", body: { spec: { taints } } });
      for (const name of ["intolerant", "patient"])
        await side.until(async () => (await read(side, name)).metadata.deletionTimestamp !== undefined);
      return Promise.all(["intolerant", "patient", "stoic"].map((name) => pictureOf(side, name)));
    });
    expect(stint).toEqual(upstream);
    expect(JSON.stringify(upstream)).toContain("DeletionByTaintManager");
  });

  it("fail and go when their node is gone for a time", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      await pod(side, "orphan", "gone");
      await side.until(async () => (await read(side, "orphan")).metadata.deletionTimestamp !== undefined);
      return pictureOf(side, "orphan");
    });
    expect(stint).toEqual(upstream);
    expect(JSON.stringify(upstream)).toContain("PodGC: node no longer exists");
  });

  it("fail and go when they are deleted before they have a node", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      await pod(side, "nowhere", undefined);
      await side.ask({ method: "DELETE", path: `${PODS}/nowhere` });
      await side.until(async () => (await read(side, "nowhere")).status.phase === "Failed");
      return pictureOf(side, "nowhere");
    });
    expect(stint).toEqual(upstream);
  });
});

async function pod({ ask }: Side, name: string, nodeName?: string, tolerations: object[] = []): Promise<void> {
  const metadata = { name, finalizers: ["example.com/seen"] };
  const spec = { ...(nodeName && { nodeName }), tolerations, containers: [{ name: "c", image: "example.com/i:1" }] };
  expect((await ask({ method: "POST", path: PODS, body: { metadata, spec } })).status).toBe(201);
}

async function read({ ask }: Side, name: string): Promise<any> {
  return (await ask({ method: "GET", path: `${PODS}/${name}` })).body;
}

/** What became of the pod, and its events, once each. */
async function pictureOf(side: Side, name: string): Promise<unknown> {
  const { metadata, status } = await read(side, name);
  const { items } = (await side.ask({ method: "GET", path: `${EVENTS}${name}` })).body;
  const events = items.map(({ type, reason, message, source }: any) => ({ type, reason, message, source }));
  return { metadata, status, events };
}
