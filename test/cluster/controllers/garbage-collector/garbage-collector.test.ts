/**
 * The garbage collector on the in-memory cluster (docs/spec/api.md 4.3): background, foreground, orphan, and faults.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { serveCustomResources } from "../../../../cluster/bootstrap/custom-resources.ts";
import { GarbageCollector } from "../../../../cluster/controllers/garbage-collector/garbage-collector.ts";
import { apiResourcesOf } from "../../../../cluster/more-controllers.ts";
import { crds, widget, widgetDefinition } from "../../../kubernetes/custom-resources/widgets.ts";
import { failure, Harness } from "../../component-harness.ts";

const PODS = "/api/v1/namespaces/default/pods";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

let h: Harness;
beforeEach(() => {
  h = new Harness();
});

function startCollector(): GarbageCollector {
  const collector = new GarbageCollector({ clock: h.clock, random: h.random, transport: h.transport });
  collector.start();
  h.clock.advance(10);
  return collector;
}

function createJob(name = "j"): any {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i:1" }] } };
  return h.api("POST", JOBS, { metadata: { name }, spec: { template } });
}

const reference = (owner: any, kind = "Job", apiVersion = "batch/v1", block = true) => ({
  apiVersion,
  kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  controller: kind === "Job",
  blockOwnerDeletion: block,
});
/** A pod without a node, which goes at once when it is deleted. */
const createPod = (name: string, ownerReferences: object[], finalizers: string[] = []) =>
  h.createPod(name, { nodeName: undefined }, { ownerReferences, ...(finalizers.length > 0 ? { finalizers } : {}) });
const job = (name = "j") => {
  const { status, body } = h.answer("GET", `${JOBS}/${name}`);
  return status === 404 ? undefined : JSON.parse(body);
};
const deleteJob = (propagationPolicy: string) => h.api("DELETE", `${JOBS}/j`, { propagationPolicy });
const removeFinalizers = (path: string) =>
  h.api("PATCH", path, { metadata: { finalizers: null } }, "application/merge-patch+json");

describe("background", () => {
  test("pods follow their Job, those of others stay", () => {
    const [a, b] = [createJob(), createJob("other")];
    createPod("p1", [reference(a)]);
    createPod("p2", [reference(a)]);
    createPod("q", [reference(b)]);
    createPod("free", []);
    startCollector();
    deleteJob("Background");
    h.clock.advance(10);
    expect(["p1", "p2", "q", "free"].map((name) => h.pod(name) !== undefined)).toEqual([false, false, true, true]);
    const { body } = h.sent("DELETE", "/pods/p1")[0]!;
    expect(JSON.parse(String(body))).toMatchObject({
      propagationPolicy: "Background",
      preconditions: { uid: expect.any(String), resourceVersion: expect.any(String) },
    });
  });

  test("what was orphaned before the collector started is found", () => {
    createPod("p", [reference({ metadata: { name: "j", uid: "gone" } })]);
    startCollector();
    expect(h.pod("p")).toBeUndefined();
  });

  test("an owner that was recreated under the same name is another one", () => {
    createJob();
    createPod("p", [reference({ metadata: { name: "j", uid: "older" } })]);
    startCollector();
    expect(h.pod("p")).toBeUndefined();
  });

  test("a dependent with another live owner loses the dangling reference only", () => {
    const owner = createJob();
    const configMap = h.api("POST", CONFIG_MAPS, { metadata: { name: "cm" } });
    createPod("p", [reference(owner), reference(configMap, "ConfigMap", "v1")]);
    startCollector();
    deleteJob("Background");
    h.clock.advance(10);
    expect(h.pod("p").metadata.ownerReferences.map(({ kind }: any) => kind)).toEqual(["ConfigMap"]);
  });

  test("chains are followed to their end", () => {
    const owner = createJob();
    const pod = createPod("p", [reference(owner)]);
    h.api("POST", CONFIG_MAPS, { metadata: { name: "cm", ownerReferences: [reference(pod, "Pod", "v1")] } });
    startCollector();
    deleteJob("Background");
    h.clock.advance(100);
    expect(h.pod("p")).toBeUndefined();
    expect(h.answer("GET", `${CONFIG_MAPS}/cm`).status).toBe(404);
  });

  test("owners of a kind that is not watched are looked up; those of a kind that does not exist protect", () => {
    const node = h.api("POST", "/api/v1/nodes", { metadata: { name: "n9" } });
    createPod("alive", [reference(node, "Node", "v1")]);
    createPod("dead", [reference({ metadata: { name: "n8", uid: "gone" } }, "Node", "v1")]);
    createPod("unknown", [reference({ metadata: { name: "x", uid: "x" } }, "Widget", "example.com/v1")]);
    startCollector();
    expect(["alive", "dead", "unknown"].map((name) => h.pod(name) !== undefined)).toEqual([true, false, true]);
  });
});

describe("foreground", () => {
  test("the owner goes after the dependents that block it", () => {
    const owner = createJob();
    createPod("p", [reference(owner)], ["a/b"]);
    createPod("q", [reference(owner)]);
    startCollector();
    deleteJob("Foreground");
    h.clock.advance(1000);
    expect(h.pod("q")).toBeUndefined();
    expect(h.pod("p").metadata.deletionTimestamp).toBeDefined();
    expect(job().metadata.finalizers).toEqual(["foregroundDeletion"]);
    removeFinalizers(`${PODS}/p`);
    h.clock.advance(10);
    expect(h.pod("p")).toBeUndefined();
    expect(job()).toBeUndefined();
  });

  test("a dependent that does not block does not hold the owner", () => {
    const owner = createJob();
    createPod("p", [reference(owner, "Job", "batch/v1", false)], ["a/b"]);
    startCollector();
    deleteJob("Foreground");
    h.clock.advance(100);
    expect(job()).toBeUndefined();
    expect(h.pod("p").metadata.deletionTimestamp).toBeDefined();
  });

  test("a Job without dependents goes at once", () => {
    createJob();
    startCollector();
    deleteJob("Foreground");
    h.clock.advance(10);
    expect(job()).toBeUndefined();
  });

  test("a dependent that has dependents is deleted in the foreground", () => {
    const owner = createJob();
    const pod = createPod("p", [reference(owner)]);
    h.api("POST", CONFIG_MAPS, {
      metadata: { name: "cm", finalizers: ["a/b"], ownerReferences: [reference(pod, "Pod", "v1")] },
    });
    startCollector();
    deleteJob("Foreground");
    h.clock.advance(100);
    expect(h.pod("p").metadata.finalizers).toEqual(["foregroundDeletion"]);
    removeFinalizers(`${CONFIG_MAPS}/cm`);
    h.clock.advance(100);
    expect(h.pod("p")).toBeUndefined();
    expect(job()).toBeUndefined();
  });
});

describe("orphan", () => {
  test("pods lose the reference and live on", () => {
    const owner = createJob();
    createPod("p", [reference(owner)]);
    createPod("q", [reference(owner)]);
    startCollector();
    deleteJob("Orphan");
    h.clock.advance(100);
    expect(job()).toBeUndefined();
    for (const name of ["p", "q"]) {
      expect(h.pod(name).metadata.ownerReferences).toBeUndefined();
      expect(h.pod(name).metadata.deletionTimestamp).toBeUndefined();
    }
    expect(JSON.parse(String(h.sent("PATCH", "/pods/p")[0]!.body))).toEqual({
      metadata: { ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }], uid: h.pod("p").metadata.uid },
    });
  });
});

describe("faults", () => {
  test.each([
    ["409", failure(409, "Conflict")],
    ["500", failure(500, "InternalError")],
    ["a lost answer", "lost" as const],
  ])("%s on writes delays and changes nothing", (_name, fault) => {
    const owner = createJob();
    for (const name of ["p", "q", "r"]) createPod(name, [reference(owner)]);
    let left = 6;
    h.fault = ({ method }) => (method !== "GET" && left-- > 0 ? fault : undefined);
    startCollector();
    deleteJob("Foreground");
    h.clock.advance(60_000);
    expect(["p", "q", "r"].map(h.pod.bind(h))).toEqual([undefined, undefined, undefined]);
    expect(job()).toBeUndefined();
  });

  test("nothing is deleted while the API cannot say whether the owner lives", () => {
    const owner = createJob();
    startCollector();
    let isDown = true;
    h.fault = ({ method, path }) =>
      isDown && method === "GET" && path.endsWith("/jobs/late") ? failure(500, "InternalError") : undefined;
    h.breakStreams("/jobs", failure(410, "Expired"));
    const late = createJob("late");
    createPod("p", [reference(late)]);
    createPod("q", [reference(owner)]);
    h.clock.advance(100);
    expect(h.pod("p")).toBeDefined();
    isDown = false;
    h.clock.advance(120_000);
    expect(h.pod("p")).toBeDefined();
    expect(h.sent("DELETE", "/pods/")).toEqual([]);
  });

  test("deletions that happened while the watch was down are noticed", () => {
    const owner = createJob();
    createPod("p", [reference(owner)]);
    startCollector();
    h.breakStreams("/jobs", failure(410, "Expired"));
    deleteJob("Background");
    h.clock.advance(5000);
    expect(h.pod("p")).toBeUndefined();
  });
});

describe("custom resources", () => {
  const group = "example.com";
  const WIDGETS = `/apis/${group}/v1/namespaces/default/widgets`;
  const owned = (name: string, owners: object[]): any => {
    const object = widget(group, name) as any;
    return h.api("POST", WIDGETS, { ...object, metadata: { name, ownerReferences: owners } });
  };
  const isThere = (path: string): boolean => h.answer("GET", path).status === 200;
  let collector: GarbageCollector;
  beforeEach(() => {
    collector = startCollector();
    serveCustomResources({
      cluster: h.cluster,
      clock: h.clock,
      onChange: (served) => collector.collectCustom(apiResourcesOf(served)),
    });
    h.api("POST", crds, widgetDefinition(group) as object);
    h.clock.advance(10);
  });

  test("they go with their owners, and what they own goes with them", () => {
    const owner = createJob();
    const w = owned("w", [reference(owner)]);
    createPod("p", [reference(w, "Widget", `${group}/v1`)]);
    h.clock.advance(10);
    deleteJob("Background");
    h.clock.advance(100);
    expect([isThere(`${WIDGETS}/w`), h.pod("p")]).toEqual([false, undefined]);
  });

  test("orphaning takes the owner off", () => {
    owned("w", [reference(createJob())]);
    h.clock.advance(10);
    deleteJob("Orphan");
    h.clock.advance(100);
    expect(JSON.parse(h.answer("GET", `${WIDGETS}/w`).body).metadata.ownerReferences).toBeUndefined();
    expect(job()).toBeUndefined();
  });

  test("a definition that goes takes its objects along, and other kinds are still collected", () => {
    const w = owned("w", []);
    createPod("p", [reference(w, "Widget", `${group}/v1`)]);
    h.clock.advance(10);
    h.api("DELETE", `${crds}/widgets.${group}`);
    h.clock.advance(100);
    expect([isThere(`${crds}/widgets.${group}`), h.pod("p")]).toEqual([false, undefined]);
    createPod("q", [reference(createJob())]);
    h.clock.advance(10);
    deleteJob("Background");
    h.clock.advance(100);
    expect(h.pod("q")).toBeUndefined();
  });

  test("a further definition makes it list nothing but the objects of that", () => {
    const before = h.requests.length;
    h.api("POST", crds, widgetDefinition("example.org") as object);
    h.clock.advance(10);
    const listed = h.requests.slice(before).filter(({ method, path }) => method === "GET" && !path.includes("watch="));
    expect(listed.map(({ path }) => path.replace(/\?.*/, ""))).toEqual(["/apis/example.org/v1/widgets"]);
  });
});
