/**
 * A pod that drives another one out: what upstream's scheduler makes of both, and what Stint's does. The pod that
 * leaves has a finalizer, so that its end can be seen. Leaves out why the other one waits in words.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Preemption } from "../../cluster/preemption/preemption.ts";
import { Scheduler } from "../../cluster/scheduler/scheduler.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { BothServers, type Side } from "./both-servers.ts";
import { startUpstreamScheduler } from "./upstream-scheduler.ts";

const PODS = "/api/v1/namespaces/default/pods";
const EVENTS = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=";

describe.skipIf(whyUnavailable() !== undefined)("preemption of both", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await BothServers.start();
    await startUpstreamScheduler(servers.controlPlane);
    const { clock, cluster } = servers;
    const options = { clock, random: Math.random, transport: cluster.transport };
    const preemption = new Preemption(options);
    preemption.start();
    new Scheduler({ ...options, gangScheduling: false, chooseNode: preemption.chooseNode }).start();
  });
  afterAll(() => servers?.stop());

  it("marks and deletes as few pods as are needed, nominates, and then binds", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      await node(side);
      const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
      const kinds = [
        { name: "middle", value: 5 },
        { name: "high", value: 10 },
        { name: "high-and-patient", value: 10, preemptionPolicy: "Never" },
      ];
      for (const { name, ...rest } of kinds)
        await side.ask({ method: "POST", path: classes, body: { metadata: { name }, ...rest } });
      await running(side, "kept", "1", "middle");
      await running(side, "older", "1");
      await running(side, "younger", "1");
      await pod(side, "modest", "2", { priorityClassName: "high-and-patient" });
      await pod(side, "urgent", "1", { priorityClassName: "high" });
      await side.until(async () => (await read(side, "younger")).metadata.deletionTimestamp !== undefined);
      await side.until(async () => (await read(side, "urgent")).status.nominatedNodeName !== undefined);
      const meanwhile = await Promise.all(["kept", "older", "younger"].map((name) => pictureOf(side, name)));
      await change(side, `${PODS}/younger`, { metadata: { finalizers: null } });
      await side.ask({ method: "DELETE", path: `${PODS}/younger`, body: { gracePeriodSeconds: 0 } });
      await side.until(async () => (await read(side, "urgent")).spec.nodeName !== undefined);
      const { spec, status } = await read(side, "urgent");
      return [...meanwhile, { priority: spec.priority, nodeName: spec.nodeName, status }];
    });
    expect(stint).toEqual(upstream);
    expect(JSON.stringify(upstream)).toContain("PreemptionByScheduler");
  });
});

/** With room for three pods of one CPU, and without the taint that a node has before it is ready. */
async function node(side: Side): Promise<void> {
  await side.ask({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name: "n1" } } });
  await change(side, "/api/v1/nodes/n1", { spec: { taints: null } });
  const amounts = { cpu: "3", pods: "110" };
  await change(side, "/api/v1/nodes/n1/status", { status: { capacity: amounts, allocatable: amounts } });
}

async function pod({ ask }: Side, name: string, cpu: string, spec: object): Promise<void> {
  const metadata = { name, finalizers: ["example.com/seen"] };
  const containers = [{ name: "c", image: "example.com/i:1", resources: { requests: { cpu } } }];
  expect((await ask({ method: "POST", path: PODS, body: { metadata, spec: { ...spec, containers } } })).status).toBe(
    201,
  );
}

let seconds = 0;
async function running(side: Side, name: string, cpu: string, priorityClassName?: string): Promise<void> {
  await pod(side, name, cpu, { nodeName: "n1", ...(priorityClassName && { priorityClassName }) });
  const startTime = new Date(Date.UTC(2026, 0, 1) + ++seconds * 1000).toISOString().replace(".000", "");
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: startTime }];
  await change(side, `${PODS}/${name}/status`, { status: { phase: "Running", startTime, conditions } });
}

async function change({ ask }: Side, path: string, body: object): Promise<void> {
  expect((await ask({ method: "PATCH", path, body })).status).toBe(200);
}

async function read({ ask }: Side, name: string): Promise<any> {
  return (await ask({ method: "GET", path: `${PODS}/${name}` })).body;
}

async function pictureOf(side: Side, name: string): Promise<unknown> {
  const { metadata, status } = await read(side, name);
  const { items } = (await side.ask({ method: "GET", path: `${EVENTS}${name}` })).body;
  return { metadata, status, events: items.map(({ type, reason, message }: any) => ({ type, reason, message })) };
}
