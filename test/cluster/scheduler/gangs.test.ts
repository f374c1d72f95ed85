/** Gangs on the in-memory cluster (docs/spec/api.md 5.11): the pods of a PodGroup are bound together or not at all. */
import { beforeEach, expect, test } from "vitest";
import { formatTime } from "../../../cluster/values/times.ts";
import { failure, Harness } from "../component-harness.ts";

const POD_GROUPS = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";

let h: Harness;
beforeEach(() => {
  h = new Harness({ gangScheduling: true });
});

function createNode(name: string, pods: number): void {
  h.api("POST", "/api/v1/nodes", { metadata: { name } });
  h.api(
    "PATCH",
    `/api/v1/nodes/${name}/status`,
    { status: { allocatable: { cpu: "64", memory: "64Gi", pods: String(pods) } } },
    "application/merge-patch+json",
  );
}

function createGroup(name: string, minCount: number): void {
  h.api("POST", POD_GROUPS, { metadata: { name }, spec: { schedulingPolicy: { gang: { minCount } } } });
}

function createPods(names: readonly string[], podGroupName: string, spec: object = {}): void {
  for (const name of names) h.createPod(name, { nodeName: undefined, schedulingGroup: { podGroupName }, ...spec });
}

const nodesOf = (...names: string[]) => names.map((name) => h.pod(name).spec.nodeName);
const condition = (name: string) => h.pod(name).status.conditions?.find(({ type }: any) => type === "PodScheduled");

test("no pod is bound before minCount of them are there, and then all at once", () => {
  createNode("n", 10);
  createGroup("g", 3);
  h.startScheduler();
  createPods(["a", "b"], "g");
  h.clock.advance(10_000);
  expect(nodesOf("a", "b")).toEqual([undefined, undefined]);
  // As upstream: a pod is not told that the others are missing.
  expect(condition("a")).toBeUndefined();
  createPods(["c"], "g");
  h.clock.advance(10);
  expect(nodesOf("a", "b", "c")).toEqual(["n", "n", "n"]);
  expect(h.events("c")).toEqual(["Normal Scheduled: Successfully assigned default/c to n"]);
});

test("a gang that does not fit whole is not bound, each pod gets an Event, and single pods get the nodes", () => {
  createNode("n", 2);
  createGroup("g", 3);
  h.startScheduler();
  createPods(["a", "b", "c"], "g");
  h.clock.advance(10);
  expect(nodesOf("a", "b", "c")).toEqual([undefined, undefined, undefined]);
  for (const name of ["a", "b", "c"]) {
    expect(condition(name)).toMatchObject({
      status: "False",
      reason: "Unschedulable",
      message:
        "3 pods of PodGroup default/g are scheduled together, and there is room for 2: 0/1 nodes are available: 1 Too many pods.",
    });
  }
  h.createPod("single", { nodeName: undefined });
  h.clock.advance(10);
  expect(nodesOf("single")).toEqual(["n"]);
  createNode("m", 2);
  h.clock.advance(10);
  expect(nodesOf("a", "b", "c").toSorted()).toEqual(["m", "m", "n"]);
});

test("the first that fit start the gang when they are enough; a pod that comes later does not wait for others", () => {
  createNode("n", 3);
  createGroup("g", 2);
  h.startScheduler();
  createPods(["a", "b", "c", "d"], "g");
  h.clock.advance(10);
  expect(nodesOf("a", "b", "c", "d")).toEqual(["n", "n", "n", undefined]);
  expect(condition("d").message).toBe("0/1 nodes are available: 1 Too many pods.");
  for (const name of ["a", "b", "c"])
    h.api(
      "PATCH",
      `/api/v1/namespaces/default/pods/${name}/status`,
      { status: { phase: "Failed" } },
      "application/merge-patch+json",
    );
  h.clock.advance(10);
  expect(nodesOf("d")).toEqual(["n"]);
  createPods(["e"], "g");
  h.clock.advance(10);
  expect(nodesOf("e")).toEqual(["n"]);
});

test("pods wait for a PodGroup that is not there, and again when it is recreated", () => {
  createNode("n", 10);
  h.startScheduler();
  createPods(["a", "b"], "g");
  h.clock.advance(10);
  expect(nodesOf("a", "b")).toEqual([undefined, undefined]);
  createGroup("g", 2);
  h.clock.advance(10);
  expect(nodesOf("a", "b")).toEqual(["n", "n"]);
  h.api("DELETE", `${POD_GROUPS}/g`);
  h.clock.advance(10);
  createPods(["c"], "g");
  h.clock.advance(10);
  expect(nodesOf("c")).toEqual([undefined]);
});

const told = (name: string) => h.api("GET", `${POD_GROUPS}/${name}`).status?.conditions;

test("a PodGroup says whether it could be scheduled, and what is True once stays so", () => {
  createNode("n", 2);
  createGroup("g", 4);
  h.startScheduler();
  createPods(["a", "b", "c", "d"], "g");
  h.clock.advance(10);
  const since = formatTime(h.clock.now());
  expect(told("g")).toEqual([
    {
      type: "PodGroupInitiallyScheduled",
      status: "False",
      lastTransitionTime: since,
      reason: "Unschedulable",
      message: "minCount (4) cannot be satisfied: 2 scheduled, 1 remaining",
    },
  ]);
  h.clock.advance(60_000);
  createNode("m", 1);
  h.clock.advance(10);
  expect(told("g")).toMatchObject([
    { lastTransitionTime: since, message: "minCount (4) cannot be satisfied: 3 scheduled, 0 remaining" },
  ]);
  createNode("o", 1);
  h.clock.advance(10);
  const scheduled = {
    type: "PodGroupInitiallyScheduled",
    status: "True",
    lastTransitionTime: formatTime(h.clock.now()),
    reason: "Scheduled",
    message: "",
  };
  expect(told("g")).toEqual([scheduled]);
  h.clock.advance(60_000);
  h.api("DELETE", "/api/v1/namespaces/default/pods/a?gracePeriodSeconds=0");
  for (const node of ["n", "m", "o"]) h.api("DELETE", `/api/v1/nodes/${node}`);
  createPods(["e"], "g");
  h.clock.advance(10);
  expect(nodesOf("e")).toEqual([undefined]);
  expect(told("g")).toEqual([scheduled]);
});

test("a PodGroup without a gang policy is scheduled once one of its pods is", () => {
  h.api("POST", POD_GROUPS, { metadata: { name: "g" }, spec: { schedulingPolicy: { basic: {} } } });
  h.startScheduler();
  createPods(["a", "b"], "g");
  h.clock.advance(10);
  expect(told("g")).toMatchObject([
    { status: "False", message: "minCount (1) cannot be satisfied: 0 scheduled, 0 remaining" },
  ]);
  createNode("n", 1);
  h.clock.advance(10);
  expect(told("g")).toMatchObject([{ status: "True", reason: "Scheduled" }]);
});

test("a condition that could not be written is written with the next try", () => {
  createGroup("g", 1);
  let failures = 1;
  h.fault = ({ path }) =>
    path.endsWith("/podgroups/g/status") && failures-- > 0 ? failure(500, "InternalError") : undefined;
  h.startScheduler();
  createPods(["a"], "g");
  h.clock.advance(10);
  expect(told("g")).toBeUndefined();
  createNode("n", 0);
  h.clock.advance(10);
  expect(told("g")).toMatchObject([{ status: "False" }]);
});

test("a scheduler that starts again sees by the condition that a gang has started", () => {
  createNode("n", 10);
  createGroup("g", 2);
  const scheduler = h.startScheduler();
  createPods(["a", "b"], "g");
  h.clock.advance(10);
  scheduler.stop();
  for (const name of ["a", "b"]) h.api("DELETE", `/api/v1/namespaces/default/pods/${name}?gracePeriodSeconds=0`);
  h.startScheduler();
  createPods(["c"], "g");
  h.clock.advance(10);
  expect(nodesOf("c")).toEqual(["n"]);
});

test("a PodGroup without a gang policy binds its pods one by one", () => {
  createNode("n", 1);
  h.api("POST", POD_GROUPS, { metadata: { name: "g" }, spec: { schedulingPolicy: { basic: {} } } });
  h.startScheduler();
  createPods(["a", "b"], "g");
  h.clock.advance(10);
  expect(nodesOf("a", "b")).toEqual(["n", undefined]);
});

test("a pod that is deleted while it waits does not count", () => {
  createNode("n", 10);
  createGroup("g", 2);
  h.startScheduler();
  createPods(["a"], "g");
  h.clock.advance(10);
  h.api("DELETE", "/api/v1/namespaces/default/pods/a?gracePeriodSeconds=0");
  createPods(["b"], "g");
  h.clock.advance(10);
  expect(nodesOf("b")).toEqual([undefined]);
  createPods(["c"], "g");
  h.clock.advance(10);
  expect(nodesOf("b", "c")).toEqual(["n", "n"]);
});

test("the gang of the higher priority is bound where only one of two fits", () => {
  createNode("n", 2);
  createGroup("low", 2);
  createGroup("high", 2);
  createPods(["a", "b"], "low");
  createPods(["c", "d"], "high", { priority: 9 });
  h.startScheduler();
  h.clock.advance(10);
  expect(nodesOf("a", "b", "c", "d")).toEqual([undefined, undefined, "n", "n"]);
});

test("a binding that fails is tried again on its own, and a scheduler that starts again sees that the gang has started", () => {
  createNode("n", 10);
  createGroup("g", 2);
  let failures = 1;
  h.fault = ({ path }) => (path.endsWith("/b/binding") && failures-- > 0 ? failure(500, "InternalError") : undefined);
  const scheduler = h.startScheduler();
  createPods(["a", "b"], "g");
  h.clock.advance(10);
  expect(nodesOf("a", "b")).toEqual(["n", undefined]);
  scheduler.stop();
  h.startScheduler();
  h.clock.advance(10);
  expect(nodesOf("a", "b")).toEqual(["n", "n"]);
});

test("without gang scheduling the field is dropped with a warning, and pods are bound one by one", () => {
  h = new Harness();
  createNode("n", 1);
  h.startScheduler();
  createPods(["a", "b"], "g");
  h.clock.advance(10);
  expect(h.pod("a").spec.schedulingGroup).toBeUndefined();
  expect(nodesOf("a", "b")).toEqual(["n", undefined]);
  expect(h.answer("GET", POD_GROUPS).status).toBe(404);
});
