/** Nodes that no longer report (test/kubernetes/disturbed-pods.test.ts compares with upstream's controller). */
import { beforeEach, describe, expect, test } from "vitest";
import { NodeLifecycleController } from "../../../../cluster/controllers/node-lifecycle-controller/node-lifecycle-controller.ts";
import { taintEvictionController } from "../../../../cluster/controllers/taint-eviction-controller/taint-eviction-controller.ts";
import { failure, Harness } from "../../component-harness.ts";

const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const SECOND_MS = 1_000;

let h: Harness;
beforeEach(() => {
  h = new Harness();
  const { clock, random, transport } = h;
  new NodeLifecycleController({ clock, random, transport }).start();
  h.clock.advance(0);
});

const iso = (): string => new Date(h.clock.now()).toISOString();
const micro = (): string => iso().replace("Z", "000Z");
function report(name: string, status = "True"): void {
  const heartbeat = { lastHeartbeatTime: iso().replace(/\.\d+/, ""), lastTransitionTime: "2026-01-01T00:00:00Z" };
  const conditions = [{ type: "Ready", status, reason: "R", message: "m", ...heartbeat }];
  h.api("PATCH", `/api/v1/nodes/${name}/status`, { status: { conditions } }, STRATEGIC);
}
function node(name: string, labels: object = {}): void {
  h.api("POST", "/api/v1/nodes", { metadata: { name, labels } });
  report(name);
}
function passSeconds(seconds: number, ...reporting: string[]): void {
  for (let second = 0; second < seconds; second++) {
    h.clock.advance(SECOND_MS);
    if (second % 10 === 9) for (const name of reporting) report(name);
  }
}
const read = (name: string): any => h.api("GET", `/api/v1/nodes/${name}`);
const taints = (name: string): string[] =>
  (read(name).spec.taints ?? []).map(({ key, effect }: any) => `${key}:${effect}`);
const ready = (name: string): string =>
  read(name).status.conditions.find(({ type }: { type: string }) => type === "Ready").status;
const UNREACHABLE = ["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"];

describe("a node that no longer reports", () => {
  beforeEach(() => ["n1", "n2"].forEach((name) => node(name)));

  test("is Unknown after 50 seconds, in upstream's words, and gets both taints", () => {
    passSeconds(50, "n2");
    expect([ready("n1"), taints("n1")]).toEqual(["True", []]);
    passSeconds(6, "n2");
    const { conditions } = read("n1").status;
    const never = { status: "Unknown", reason: "NodeStatusNeverUpdated", message: "Kubelet never posted node status." };
    expect(conditions).toMatchObject([
      {
        type: "Ready",
        status: "Unknown",
        reason: "NodeStatusUnknown",
        message: "Kubelet stopped posting node status.",
      },
      ...["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({ type, ...never })),
    ]);
    expect(conditions[0].lastTransitionTime).not.toBe("2026-01-01T00:00:00Z");
    expect(taints("n1")).toEqual(UNREACHABLE);
    expect(taints("n2")).toEqual([]);
    expect(h.events("n1")).toEqual([
      "Normal NodeNotReady: Node n1 status is now: NodeNotReady",
      "Normal RegisteredNode: Node n1 event: Registered Node n1 in Controller",
    ]);
  });

  test("is not lost while its Lease is renewed", () => {
    h.api("POST", LEASES, { metadata: { name: "n1" }, spec: { renewTime: micro() } });
    for (let i = 0; i < 6; i++) {
      passSeconds(20, "n2");
      h.api("PATCH", `${LEASES}/n1`, { spec: { renewTime: micro() } }, MERGE);
    }
    expect(ready("n1")).toBe("True");
    passSeconds(60, "n2");
    expect(ready("n1")).toBe("Unknown");
  });

  test("makes its pods unready, once", () => {
    h.createPod("p");
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
    h.api("PATCH", "/api/v1/namespaces/default/pods/p/status", { status: { conditions } }, STRATEGIC);
    passSeconds(70, "n2");
    expect(h.pod("p").status.conditions).toMatchObject([{ type: "Ready", status: "False" }]);
    expect(h.events("p")).toEqual(["Warning NodeNotReady: Node is not ready"]);
  });

  test("loses the taints when it reports again", () => {
    passSeconds(60, "n2");
    expect(taints("n1")).toEqual(UNREACHABLE);
    report("n1");
    h.clock.advance(100);
    expect(taints("n1")).toEqual([]);
  });

  test("is found also when the server fails for a time", () => {
    h.fault = ({ method }) => (method === "PATCH" ? failure(500, "x") : undefined);
    passSeconds(60, "n2");
    expect(ready("n1")).toBe("True");
    h.fault = () => undefined;
    passSeconds(10, "n2");
    expect([ready("n1"), taints("n1")]).toEqual(["Unknown", UNREACHABLE]);
  });

  test("loses its pods five minutes later, with their default tolerations", () => {
    const { clock, random, transport } = h;
    taintEvictionController({ clock, random, transport }).start();
    h.createPod("p", {}, { finalizers: ["example.com/seen"] });
    passSeconds(60, "n2");
    passSeconds(290, "n2");
    expect(h.pod("p").metadata.deletionTimestamp).toBeUndefined();
    passSeconds(10, "n2");
    expect(h.pod("p").metadata.deletionTimestamp).toBeDefined();
    expect(h.pod("p").status.conditions).toMatchObject([{ reason: "DeletionByTaintManager" }]);
  });
});

test("a node that never reported is lost after a minute, but for its Lease", () => {
  node("well");
  for (const name of ["silent", "leased"]) h.api("POST", "/api/v1/nodes", { metadata: { name } });
  passSeconds(50, "well");
  h.api("POST", LEASES, { metadata: { name: "leased" }, spec: { renewTime: micro() } });
  passSeconds(9, "well");
  expect(read("silent").status.conditions).toBeUndefined();
  passSeconds(7, "well");
  expect(ready("silent")).toBe("Unknown");
  expect(read("leased").status.conditions).toBeUndefined();
});

test("conditions and cordons become taints, and one NoExecute taint takes the place of the other", () => {
  node("n1");
  node("n2");
  report("n1", "False");
  h.clock.advance(100);
  expect(taints("n1")).toEqual(["node.kubernetes.io/not-ready:NoSchedule", "node.kubernetes.io/not-ready:NoExecute"]);
  passSeconds(60, "n2");
  expect(taints("n1")).toEqual(UNREACHABLE);
  const pressure = { type: "DiskPressure", status: "True" };
  h.api("PATCH", "/api/v1/nodes/n2/status", { status: { conditions: [pressure] } }, STRATEGIC);
  h.api("PATCH", "/api/v1/nodes/n2", { spec: { unschedulable: true } }, MERGE);
  h.clock.advance(100);
  expect(taints("n2")).toEqual([
    "node.kubernetes.io/disk-pressure:NoSchedule",
    "node.kubernetes.io/unschedulable:NoSchedule",
  ]);
});

test("taints of others stay on the node", () => {
  node("n1");
  node("n2");
  const own = { key: "own", effect: "NoExecute" };
  h.api("PATCH", "/api/v1/nodes/n1", { spec: { taints: [own] } }, MERGE);
  passSeconds(60, "n2");
  report("n1");
  h.clock.advance(100);
  expect(taints("n1")).toEqual(["own:NoExecute"]);
});

describe("many nodes that no longer report", () => {
  const drivenNodes = (names: readonly string[]): number =>
    names.filter((name) => taints(name).some((taint) => taint.endsWith("NoExecute"))).length;

  test("are driven empty one every ten seconds", () => {
    ["a", "b", "c", "d"].forEach((name) => node(name));
    passSeconds(56, "c", "d");
    expect(drivenNodes(["a", "b"])).toBe(1);
    passSeconds(10, "c", "d");
    expect(drivenNodes(["a", "b"])).toBe(2);
  });

  test("keep their pods when they are most of a small zone", () => {
    ["a", "b", "c", "d"].forEach((name) => node(name));
    passSeconds(120, "d");
    expect(["a", "b", "c"].map(ready)).toEqual(["Unknown", "Unknown", "Unknown"]);
    expect(drivenNodes(["a", "b", "c"])).toBe(0);
  });

  test("count by zone", () => {
    for (const name of ["a", "b", "c"]) node(name, { "topology.kubernetes.io/zone": "z1" });
    node("d", { "topology.kubernetes.io/zone": "z2" });
    passSeconds(120, "d");
    expect(drivenNodes(["a", "b", "c"])).toBe(3);
  });

  test("keep their pods when they are all, and get their time again when one reports", () => {
    ["a", "b"].forEach((name) => node(name));
    passSeconds(120);
    expect(["a", "b"].map(ready)).toEqual(["Unknown", "Unknown"]);
    expect(drivenNodes(["a", "b"])).toBe(0);
    report("a");
    passSeconds(20, "a");
    expect(taints("a")).toEqual([]);
    expect(taints("b")).toEqual(UNREACHABLE);
  });
});

test("a deleted node is forgotten, and a new one of its name starts afresh", () => {
  node("n1");
  node("n2");
  passSeconds(10, "n2");
  h.api("DELETE", "/api/v1/nodes/n1");
  passSeconds(60, "n2");
  expect(h.events("n1")).toContain("Normal RemovingNode: Node n1 event: Removing Node n1 from Controller");
  node("n1");
  passSeconds(40, "n2");
  expect(ready("n1")).toBe("True");
});
