/**
 * The scheduler on the in-memory cluster (docs/spec/api.md 5.11): who gets which node, who waits and why, and when they
 * are tried again.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { failure, Harness } from "../component-harness.ts";

let h: Harness;
beforeEach(() => {
  h = new Harness();
});

interface NodeOptions {
  readonly labels?: Record<string, string>;
  readonly taints?: object[];
  readonly unschedulable?: boolean;
  readonly allocatable?: Record<string, string>;
}

function createNode(
  name: string,
  { labels = {}, taints, unschedulable, allocatable = { cpu: "4", memory: "8Gi", pods: "10" } }: NodeOptions = {},
): void {
  h.api("POST", "/api/v1/nodes", {
    metadata: { name, labels },
    spec: { ...(taints ? { taints } : {}), ...(unschedulable ? { unschedulable } : {}) },
  });
  h.api("PATCH", `/api/v1/nodes/${name}/status`, { status: { allocatable } }, "application/merge-patch+json");
  h.clock.advance(0);
}

/** Creates a pod without a node. */
function createPod(name: string, spec: object = {}, requests?: Record<string, string>): void {
  const containers = [{ name: "c", image: "i:1", ...(requests ? { resources: { requests } } : {}) }];
  h.api("POST", "/api/v1/namespaces/default/pods", {
    metadata: { name },
    spec: { restartPolicy: "Never", containers, ...spec },
  });
}

const nodeOf = (name: string): string | undefined => h.pod(name).spec.nodeName;
const scheduled = (name: string) => h.pod(name).status.conditions?.find(({ type }: any) => type === "PodScheduled");
const waitsBecause = (name: string): string => {
  const condition = scheduled(name);
  expect(condition).toMatchObject({ status: "False", reason: "Unschedulable" });
  return condition.message;
};

describe("binding", () => {
  test("sets the node, the condition and the event", () => {
    createNode("n1");
    h.startScheduler();
    createPod("p");
    h.clock.advance(10);
    expect(nodeOf("p")).toBe("n1");
    expect(scheduled("p")).toMatchObject({ status: "True" });
    expect(h.events("p")).toEqual(["Normal Scheduled: Successfully assigned default/p to n1"]);
  });

  test("pods spread over nodes: by used share where they ask for something, else by number", () => {
    createNode("big", { allocatable: { cpu: "8", memory: "8Gi", pods: "100" } });
    createNode("small", { allocatable: { cpu: "2", memory: "8Gi", pods: "100" } });
    h.startScheduler();
    for (let i = 0; i < 5; i++) createPod(`p${i}`, {}, { cpu: "1" });
    h.clock.advance(10);
    expect(["p0", "p1", "p2", "p3", "p4"].map(nodeOf)).toEqual(["big", "big", "big", "small", "big"]);
    for (let i = 0; i < 4; i++) createPod(`q${i}`);
    h.clock.advance(10);
    expect(["q0", "q1", "q2", "q3"].map(nodeOf).sort()).toEqual(["big", "small", "small", "small"]);
  });

  test("leaves pods of other schedulers, gated and deleting ones alone", () => {
    createNode("n1");
    h.startScheduler();
    createPod("other", { schedulerName: "mine" });
    createPod("gated", { schedulingGates: [{ name: "a/b" }] });
    h.clock.advance(10);
    expect(nodeOf("other")).toBeUndefined();
    expect(nodeOf("gated")).toBeUndefined();
    expect(scheduled("gated")).toMatchObject({ status: "False", reason: "SchedulingGated" });
    h.api(
      "PATCH",
      "/api/v1/namespaces/default/pods/gated",
      { spec: { schedulingGates: null } },
      "application/merge-patch+json",
    );
    h.clock.advance(10);
    expect(nodeOf("gated")).toBe("n1");
  });

  test("is in order of priority", () => {
    createNode("n1", { allocatable: { cpu: "1", memory: "1Gi", pods: "10" } });
    createPod("low", {}, { cpu: "1" });
    createPod("high", {}, { cpu: "1" });
    // The priority of a pod is what admission made of its class; here it is set as by that.
    createPod("urgent", { priority: 10 }, { cpu: "1" });
    h.startScheduler();
    h.clock.advance(10);
    expect([nodeOf("low"), nodeOf("high"), nodeOf("urgent")]).toEqual([undefined, undefined, "n1"]);
  });
});

describe("a pod that fits nowhere", () => {
  test("has the reason in its condition, is counted by reason, and gets an Event", () => {
    createNode("full", { allocatable: { cpu: "500m", memory: "1Gi", pods: "10" } });
    createNode("tainted", { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] });
    createNode("cordoned", { unschedulable: true });
    createNode("other", { labels: { zone: "b" } });
    h.startScheduler();
    createPod("p", { nodeSelector: { zone: "a" } }, { cpu: "1" });
    createPod("q", {}, { cpu: "100", memory: "1Gi" });
    h.clock.advance(10);
    expect(waitsBecause("p")).toBe(
      "0/4 nodes are available: 1 node(s) had untolerated taint {k: v}, 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector.",
    );
    expect(waitsBecause("q")).toBe(
      "0/4 nodes are available: 1 node(s) had untolerated taint {k: v}, 1 node(s) were unschedulable, 2 Insufficient cpu.",
    );
    expect(h.events("q")).toEqual([`Warning FailedScheduling: ${waitsBecause("q")}`]);
  });

  test("without any node", () => {
    h.startScheduler();
    createPod("p");
    h.clock.advance(10);
    expect(waitsBecause("p")).toBe("no nodes available to schedule pods");
    createNode("n1");
    h.clock.advance(10);
    expect(nodeOf("p")).toBe("n1");
  });

  test("is tried again when room becomes free, and many alike cost one try", () => {
    createNode("n1", { allocatable: { cpu: "1", memory: "1Gi", pods: "3" } });
    h.startScheduler();
    for (let i = 0; i < 8; i++) createPod(`p${i}`);
    h.clock.advance(10);
    const names = Array.from({ length: 8 }, (_, i) => `p${i}`);
    expect(names.filter((name) => nodeOf(name) !== undefined)).toEqual(["p0", "p1", "p2"]);
    for (const name of names.slice(3)) expect(waitsBecause(name)).toBe("0/1 nodes are available: 1 Too many pods.");
    const before = h.requests.length;
    h.api(
      "PATCH",
      "/api/v1/namespaces/default/pods/p0/status",
      { status: { phase: "Succeeded" } },
      "application/merge-patch+json",
    );
    h.api("DELETE", "/api/v1/namespaces/default/pods/p1", { gracePeriodSeconds: 0 });
    h.clock.advance(10);
    expect(names.filter((name) => name !== "p1" && nodeOf(name) !== undefined)).toEqual(["p0", "p2", "p3", "p4"]);
    // Two bindings with their events, and no known fact is reported again.
    expect(
      h.requests.slice(before).filter(({ method, path }) => method !== "GET" && !path.includes("/events")),
    ).toHaveLength(2);
  });

  test("is tried again when a node changes, and gets an Event when the reason changes", () => {
    createNode("n1", { unschedulable: true });
    h.startScheduler();
    createPod("p", {}, { cpu: "1" });
    h.clock.advance(10);
    const since = scheduled("p").lastTransitionTime;
    h.clock.advance(5000);
    createNode("n2", { allocatable: { cpu: "100m" } });
    h.clock.advance(10);
    expect(waitsBecause("p")).toBe("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.");
    expect(scheduled("p").lastTransitionTime).toBe(since);
    h.api("PATCH", "/api/v1/nodes/n1", { spec: { unschedulable: null } }, "application/merge-patch+json");
    h.clock.advance(10);
    expect(nodeOf("p")).toBe("n1");
  });

  test("that comes while its kind waits has the reason at once", () => {
    createNode("n1", { allocatable: { pods: "0" } });
    h.startScheduler();
    createPod("p");
    h.clock.advance(10);
    createPod("q");
    h.clock.advance(10);
    expect(waitsBecause("q")).toBe(waitsBecause("p"));
  });
});

test("wishes that are not considered are named, once for pods alike", () => {
  createNode("n1");
  h.startScheduler();
  const spec = { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }] };
  createPod("p", spec);
  createPod("q", spec);
  h.clock.advance(10);
  expect(h.events("p")).toContain(
    "Warning UnsupportedField: spec.topologySpreadConstraints has no effect: this scheduler does not consider it",
  );
  expect(h.events("q")).toEqual(["Normal Scheduled: Successfully assigned default/q to n1"]);
});

describe("resources", () => {
  test("extended resources count; a node that does not name one has none of it", () => {
    createNode("plain");
    createNode("gpu", { allocatable: { cpu: "4", memory: "8Gi", pods: "10", "nvidia.com/gpu": "1" } });
    h.startScheduler();
    createPod("p", {}, { "nvidia.com/gpu": "1" });
    createPod("q", {}, { "nvidia.com/gpu": "1" });
    h.clock.advance(10);
    expect(nodeOf("p")).toBe("gpu");
    expect(waitsBecause("q")).toBe("0/2 nodes are available: 2 Insufficient nvidia.com/gpu.");
  });

  test("what was promised counts before the binding is stored", () => {
    createNode("n1", { allocatable: { cpu: "1", pods: "10" } });
    h.fault = ({ path }) => (path.endsWith("/p/binding") ? failure(500, "InternalError") : undefined);
    h.startScheduler();
    createPod("p", {}, { cpu: "1" });
    createPod("q", {}, { cpu: "1" });
    h.clock.advance(10);
    // The binding of p failed, so its room went to q.
    expect([nodeOf("p"), nodeOf("q")]).toEqual([undefined, "n1"]);
  });
});

describe("faults", () => {
  test.each([
    ["500", failure(500, "InternalError")],
    ["429", failure(429, "TooManyRequests")],
    ["a lost answer", "lost" as const],
  ])("a binding is tried again after %s", (_name, fault) => {
    createNode("n1");
    let left = 2;
    h.fault = ({ path }) => (path.endsWith("/binding") && left-- > 0 ? fault : undefined);
    h.startScheduler();
    createPod("p");
    h.clock.advance(30_000);
    expect(nodeOf("p")).toBe("n1");
  });

  test("after a lost watch it continues with the nodes and pods as they are", () => {
    createNode("n1", { allocatable: { pods: "1" } });
    h.startScheduler();
    createPod("p");
    h.clock.advance(10);
    h.breakStreams("/api/v1/", failure(410, "Expired"));
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", { gracePeriodSeconds: 0 });
    createPod("q");
    createPod("r");
    h.clock.advance(5000);
    expect(nodeOf("q")).toBe("n1");
    expect(waitsBecause("r")).toBe("0/1 nodes are available: 1 Too many pods.");
  });

  test("a pod that is gone before its binding arrives frees its room", () => {
    createNode("n1", { allocatable: { pods: "1" } });
    h.startScheduler();
    h.fault = ({ path }) => (path.endsWith("/p/binding") ? failure(404, "NotFound") : undefined);
    createPod("p");
    h.clock.advance(10);
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    createPod("q");
    h.clock.advance(10);
    expect(nodeOf("q")).toBe("n1");
  });
});
