/** Pods that make room for themselves (test/kubernetes/preemption.test.ts compares with upstream's scheduler). */
import { beforeEach, expect, test } from "vitest";
import { Preemption } from "../../../cluster/preemption/preemption.ts";
import { Scheduler } from "../../../cluster/scheduler/scheduler.ts";
import { failure, Harness } from "../component-harness.ts";

const MERGE = "application/merge-patch+json";
const PODS = "/api/v1/namespaces/default/pods";

let h: Harness;
beforeEach(() => {
  h = new Harness();
  const { clock, random, transport } = h;
  const preemption = new Preemption({ clock, random, transport });
  const { chooseNode } = preemption;
  preemption.start();
  new Scheduler({ clock, random, transport, gangScheduling: false, chooseNode }).start();
  h.clock.advance(0);
});

function node(name: string, cpu = "4"): void {
  h.api("POST", "/api/v1/nodes", { metadata: { name } });
  h.api("PATCH", `/api/v1/nodes/${name}/status`, { status: { allocatable: { cpu, pods: "110" } } }, MERGE);
  h.clock.advance(10);
}
function pod(name: string, cpu: string, priority: number, { spec = {}, metadata = {} } = {}): void {
  const containers = [{ name: "c", image: "i:1", resources: { requests: { cpu } } }];
  h.api("POST", PODS, { metadata: { name, ...metadata }, spec: { containers, priority, ...spec } });
  h.clock.advance(10);
}
/** A pod that runs, from the given second of the year on. */
function running(name: string, nodeName: string, cpu: string, priority: number, second = 0, metadata = {}): void {
  pod(name, cpu, priority, { spec: { nodeName }, metadata: { finalizers: ["example.com/seen"], ...metadata } });
  const startTime = new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString().replace(".000", "");
  h.api("PATCH", `${PODS}/${name}/status`, { status: { phase: "Running", startTime } }, MERGE);
  h.clock.advance(10);
}
const isLeaving = (name: string): boolean => h.pod(name).metadata.deletionTimestamp !== undefined;
const leaving = (...names: readonly string[]): string[] => names.filter(isLeaving);
const nodeOf = (name: string): string | undefined => h.pod(name).spec.nodeName;
const nominated = (name: string): string | undefined => h.pod(name).status.nominatedNodeName;
/** As a kubelet does when the containers have ended. */
function end(name: string): void {
  h.api("PATCH", `${PODS}/${name}`, { metadata: { finalizers: null } }, MERGE);
  h.api("DELETE", `${PODS}/${name}`, { gracePeriodSeconds: 0 });
  h.clock.advance(10);
}

test("a pod of a lower priority leaves, as disrupted, and the other gets its room", () => {
  node("n1");
  running("low", "n1", "3", 1);
  pod("high", "2", 10);
  h.clock.advance(100);
  expect(isLeaving("low")).toBe(true);
  expect(h.pod("low").status.conditions).toMatchObject([
    {
      type: "DisruptionTarget",
      status: "True",
      reason: "PreemptionByScheduler",
      message: "default-scheduler: preempting to accommodate a higher priority pod",
    },
  ]);
  expect(h.events("low")).toEqual([`Normal Preempted: Preempted by pod ${h.pod("high").metadata.uid} on node n1`]);
  expect(h.relatedOf("low")).toMatchObject([{ kind: "Pod", name: "high", uid: h.pod("high").metadata.uid }]);
  expect([nominated("high"), nodeOf("high")]).toEqual(["n1", undefined]);
  end("low");
  expect([nominated("high"), nodeOf("high")]).toEqual([undefined, "n1"]);
});

test("no pod is preempted by an equal, by one that never preempts, or where it does not help", () => {
  node("n1");
  running("low", "n1", "3", 1);
  running("high", "n1", "1", 10);
  pod("equal", "2", 1);
  pod("modest", "2", 10, { spec: { preemptionPolicy: "Never" } });
  pod("huge", "4", 10);
  h.clock.advance(5_000);
  expect(leaving("low", "high")).toEqual([]);
  expect(nominated("huge")).toBeUndefined();
});

test("preemption evicts as few pods as needed: the least important, and among equals the youngest", () => {
  node("n1", "4");
  running("better", "n1", "1", 2, 9);
  running("old", "n1", "1", 1, 1);
  running("young", "n1", "1", 1, 5);
  running("best", "n1", "1", 3, 9);
  pod("high", "1", 10);
  h.clock.advance(100);
  expect(leaving("better", "old", "young", "best")).toEqual(["young"]);
});

/** Priority, and the second of its start. */
type Running = readonly [priority: number, second: number];
const choices: readonly (readonly [title: string, pods: Readonly<Record<string, readonly Running[]>>, best: string])[] =
  [
    [
      "the lowest highest priority",
      {
        a: [[5, 0]],
        b: [
          [4, 0],
          [4, 0],
        ],
      },
      "b",
    ],
    [
      "the smallest sum of priorities",
      {
        a: [
          [5, 0],
          [4, 0],
        ],
        b: [
          [5, 0],
          [1, 0],
        ],
      },
      "b",
    ],
    [
      "the fewest pods",
      {
        a: [
          [5, 0],
          [-5, 0],
        ],
        b: [[5, 0]],
      },
      "b",
    ],
    ["the latest start", { a: [[5, 1]], b: [[5, 7]] }, "b"],
  ];
test.each(choices)("the node is that with %s", (_title, nodes, chosen) => {
  for (const [name, pods] of Object.entries(nodes)) {
    node(name, "2");
    pods.forEach(([priority, second], i) => running(`${name}${i}`, name, String(2 / pods.length), priority, second));
  }
  pod("high", "2", 10);
  h.clock.advance(100);
  expect(nominated("high")).toBe(chosen);
});

test("a budget is kept where there is a choice, and broken where there is none", () => {
  const budget = { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } } };
  h.api("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget);
  node("n1", "2");
  node("n2", "2");
  running("kept", "n1", "2", 1, 0, { labels: { app: "a" } });
  running("free", "n2", "2", 5);
  pod("first", "2", 10);
  h.clock.advance(100);
  expect(leaving("kept", "free")).toEqual(["free"]);
  pod("second", "1", 10);
  h.clock.advance(100);
  expect(leaving("kept", "free")).toEqual(["kept", "free"]);
});

test("pods of a lower priority do not take the place of a nominated pod", () => {
  node("n1", "2");
  running("one", "n1", "1", 1);
  running("two", "n1", "1", 1);
  pod("high", "2", 10);
  h.clock.advance(100);
  expect(leaving("one", "two")).toEqual(["one", "two"]);
  pod("replacement", "1", 1);
  end("one");
  expect(nodeOf("replacement")).toBeUndefined();
  end("two");
  expect([nodeOf("high"), nodeOf("replacement")]).toEqual(["n1", undefined]);
});

test("preemption waits for evicted pods before it evicts more", () => {
  for (const name of ["n1", "n2"]) {
    node(name, "2");
    running(`low-${name}`, name, "2", 1);
  }
  pod("high", "2", 10);
  h.clock.advance(20_000);
  expect(leaving("low-n1", "low-n2")).toHaveLength(1);
});

test("room that one waits for is not promised to another", () => {
  for (const name of ["n1", "n2"]) {
    node(name, "2");
    running(`low-${name}`, name, "2", 1);
  }
  pod("high", "2", 10);
  h.clock.advance(100);
  pod("other", "1500m", 10);
  h.clock.advance(100);
  expect(leaving("low-n1", "low-n2")).toHaveLength(2);
  expect(new Set([nominated("high"), nominated("other")])).toEqual(new Set(["n1", "n2"]));
});

test("preemption tries again when the server fails", () => {
  node("n1");
  running("low", "n1", "3", 1);
  h.fault = ({ method, path }) => (method === "PATCH" && path.includes("/low/") ? failure(500, "x") : undefined);
  pod("high", "2", 10);
  h.clock.advance(100);
  expect(isLeaving("low")).toBe(false);
  h.fault = () => undefined;
  h.clock.advance(20_000);
  expect(isLeaving("low")).toBe(true);
});
