/** Pods wait for their claims, and say so in the words of upstream's scheduler. */
import { beforeEach, expect, test } from "vitest";
import { Scheduler } from "../../../../cluster/scheduler/scheduler.ts";
import { ClaimGate } from "../../../../cluster/controllers/volume-controller/claim-gate.ts";
import { Harness } from "../../component-harness.ts";

const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const MERGE = "application/merge-patch+json";

let h: Harness;
beforeEach(() => {
  h = new Harness();
  const { clock, random, transport } = h;
  h.api("POST", "/api/v1/nodes", { metadata: { name: "n1" } });
  new Scheduler({ clock, random, transport, heldBack: new ClaimGate(h.cluster, clock).heldBack }).start();
  settle();
});

const settle = (): void => h.clock.advance(100);

function pod(name: string, ...claims: string[]): void {
  const volumes = claims.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } }));
  h.createPod(name, { nodeName: "", volumes: [{ name: "own", emptyDir: {} }, ...volumes] });
  settle();
}
function claim(name: string, spec: object = {}, metadata: object = {}): void {
  const wanted = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  h.api("POST", CLAIMS, { metadata: { name, ...metadata }, spec: { ...wanted, ...spec } });
  settle();
}
function setPhase(name: string, phase: string): void {
  h.api("PATCH", `${CLAIMS}/${name}/status`, { status: { phase } }, MERGE);
  settle();
}
const nodeOf = (name: string): string => h.pod(name).spec.nodeName ?? "";
const failures = (name: string): string[] => h.events(name).filter((text) => text.includes("FailedScheduling"));
const waitsFor = (reason: string): string => `Warning FailedScheduling: 0/1 nodes are available: ${reason}.`;

test("a pod waits for a claim that is not there, then until it is bound", () => {
  pod("p", "data");
  expect(failures("p")).toEqual([waitsFor('persistentvolumeclaim "data" not found')]);
  expect(h.pod("p").status.conditions).toMatchObject([
    {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message: '0/1 nodes are available: persistentvolumeclaim "data" not found.',
    },
  ]);
  claim("data");
  expect(failures("p")).toContain(waitsFor("pod has unbound immediate PersistentVolumeClaims"));
  expect(nodeOf("p")).toBe("");
  setPhase("data", "Bound");
  expect(nodeOf("p")).toBe("n1");
});

test("all of its claims must be bound", () => {
  claim("first");
  claim("second");
  pod("p", "first", "second");
  setPhase("second", "Bound");
  expect(nodeOf("p")).toBe("");
  setPhase("first", "Bound");
  expect(nodeOf("p")).toBe("n1");
});

test("a pod with claims that are bound, and one without any, do not wait", () => {
  claim("data");
  setPhase("data", "Bound");
  pod("with", "data");
  pod("without");
  expect([nodeOf("with"), nodeOf("without")]).toEqual(["n1", "n1"]);
});

test("a claim that has lost its volume, and one that is being deleted, hold pods back", () => {
  claim("lost", { volumeName: "v" });
  setPhase("lost", "Lost");
  claim("going", {}, { finalizers: ["example.com/seen"] });
  setPhase("going", "Bound");
  h.api("DELETE", `${CLAIMS}/going`);
  pod("p", "lost");
  pod("q", "going");
  expect(failures("p")).toEqual([waitsFor('persistentvolumeclaim "lost" bound to non-existent persistentvolume "v"')]);
  expect(failures("q")).toEqual([waitsFor('persistentvolumeclaim "going" is being deleted')]);
});

test("a pod that has gone meanwhile is not bound", () => {
  pod("p", "data");
  h.api("DELETE", "/api/v1/namespaces/default/pods/p");
  settle();
  claim("data");
  setPhase("data", "Bound");
  expect(h.sent("POST", "/binding")).toEqual([]);
});

test("a pod that no node takes once its claim is bound says that, and no longer what it waited for", () => {
  h.createPod("first", { nodeName: "", nodeSelector: { disk: "ssd" } });
  h.createPod("p", {
    nodeName: "",
    nodeSelector: { disk: "ssd" },
    volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
  });
  claim("data");
  setPhase("data", "Bound");
  expect(h.pod("p").status.conditions[0].message).toBe(
    "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
  );
});
