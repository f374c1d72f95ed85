/**
 * Pods whose node is tainted, goes away or no longer reports: what upstream's taint eviction, garbage collection and
 * node lifecycle controller make of them, and what Stint's do. The pods have a finalizer, so that their end can be
 * seen.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NodeLifecycleController } from "../../cluster/controllers/node-lifecycle-controller/node-lifecycle-controller.ts";
import { podGCController } from "../../cluster/controllers/pod-gc-controller/pod-gc-controller.ts";
import { taintEvictionController } from "../../cluster/controllers/taint-eviction-controller/taint-eviction-controller.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { BothServers, type Side } from "./both-servers.ts";
import { startUpstreamController } from "./upstream-controller.ts";

const PODS = "/api/v1/namespaces/default/pods";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const EVENTS = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=";

describe.skipIf(whyUnavailable() !== undefined)("disturbed pods of both", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await BothServers.start();
    const controllers = ["taint-eviction-controller", "pod-garbage-collector-controller", "node-lifecycle-controller"];
    // Upstream's own times, shortened: a node is lost after 4 seconds.
    const flags = ["--node-monitor-period=1s", "--node-monitor-grace-period=4s"];
    await startUpstreamController(servers.controlPlane, { controllers, flags });
    const options = { clock: servers.clock, random: Math.random, transport: servers.cluster.transport };
    taintEvictionController(options).start();
    podGCController(options).start();
    new NodeLifecycleController(options).start();
  });
  afterAll(() => servers?.stop());

  it("leave a node with a taint that they do not tolerate, or no longer", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      await side.ask({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name: "tainted" } } });
      await pod(side, "intolerant", "tainted");
      await setStatus(side, `${PODS}/intolerant`, { conditions: [{ type: "Ready", status: "True" }] });
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

  it("are unready, and are to go, when their node no longer reports", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      for (const name of ["well", "lost"])
        await side.ask({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name } } });
      await side.ask({ method: "POST", path: LEASES, body: { metadata: { name: "well" } } });
      await pod(side, "stranded", "lost");
      await setStatus(side, `${PODS}/stranded`, { conditions: [{ type: "Ready", status: "True" }] });
      // Pods are marked once, when their node is lost. So it may report only when its pod is ready: it has 4 seconds.
      for (const name of ["well", "lost"]) await report(side, name);
      let renewals = 0;
      await side.until(async () => {
        const renewTime = new Date(renewals++).toISOString().replace("Z", "000Z");
        await side.ask({ method: "PATCH", path: `${LEASES}/well`, body: { spec: { renewTime } } });
        const { body } = await side.ask({ method: "GET", path: "/api/v1/nodes/lost" });
        return (
          JSON.stringify(body.spec).includes("NoExecute") &&
          (await read(side, "stranded")).status.conditions[0].status === "False"
        );
      });
      const nodes = await Promise.all(["well", "lost"].map((name) => pictureOfNode(side, name)));
      return [...nodes, await pictureOf(side, "stranded")];
    });
    expect(stint).toEqual(upstream);
    expect(JSON.stringify(upstream)).toContain("Kubelet stopped posting node status.");
  });
});

/** What a kubelet says of a node that is well. */
async function report(side: Side, name: string): Promise<void> {
  const times = { lastHeartbeatTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z" };
  const well = { reason: "Fine", message: "all is well" };
  const ready = { type: "Ready", status: "True", ...times, ...well };
  await setStatus(side, `/api/v1/nodes/${name}`, {
    conditions: [ready, { type: "DiskPressure", status: "False", ...times, ...well }],
  });
}

async function setStatus({ ask }: Side, path: string, status: object): Promise<void> {
  expect((await ask({ method: "PATCH", path: `${path}/status`, body: { status } })).status).toBe(200);
}

/** Taints, conditions and events of a node, without what its registration gave it. */
async function pictureOfNode(side: Side, name: string): Promise<unknown> {
  const { spec, status } = (await side.ask({ method: "GET", path: `/api/v1/nodes/${name}` })).body;
  return { taints: spec.taints, conditions: status.conditions, events: await eventsOf(side, name) };
}

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
  return { metadata, status, events: await eventsOf(side, name) };
}

async function eventsOf({ ask }: Side, name: string): Promise<readonly object[]> {
  const { items } = (await ask({ method: "GET", path: `${EVENTS}${name}` })).body;
  const events = items.map(({ type, reason, message, source, involvedObject }: any) => {
    const { resourceVersion: _version, uid: _uid, ...about } = involvedObject;
    return { type, reason, message, source, about };
  });
  return events.sort((a: any, b: any) => (a.reason < b.reason ? -1 : 1));
}
