/** A kubelet follows the resize of pods: at once, or by starting a container again where its policy says so. */
import { beforeEach, expect, test } from "vitest";
import { withResize } from "../../../cluster/apiserver/pods/resize.ts";
import { resources } from "../../../cluster/apiserver/registry/resources.ts";
import { followChanges } from "../../../cluster/kubelet/pod-changes.ts";
import { Harness } from "../component-harness.ts";

const PATH = "/api/v1/namespaces/default/pods/p";
const FOREVER = JSON.stringify({ runMs: "forever" });
const RESTARTED = [{ resourceName: "memory", restartPolicy: "RestartContainer" }];
const small = { requests: { cpu: "100m", memory: "1Gi" } };

let h: Harness;
beforeEach(() => {
  h = new Harness();
  const plain = resources.filter(({ resource }) => resource === "pods");
  h.cluster.withdraw(plain);
  h.cluster.serve(plain.map(withResize));
  h.startKubelet("n1", [], { followPod: followChanges });
});

function create(containers: object[], spec: object = {}, simulated = FOREVER): void {
  h.createPod("p", { containers, ...spec }, { annotations: { "stint.dev/simulate": simulated } });
  h.clock.advance(1_000);
}

function resize(spec: object): void {
  h.api("PATCH", `${PATH}/resize`, { spec }, "application/strategic-merge-patch+json");
}

const status = (): any => h.pod("p").status;
const conditions = (): string[] => status().conditions.map(({ type }: any) => type);

test("the status has the resources of each container, also of one without requests", () => {
  create(
    [
      { name: "a", image: "i", resources: small },
      { name: "b", image: "i" },
    ],
    {
      initContainers: [{ name: "side", image: "i", restartPolicy: "Always", resources: { requests: { cpu: "1" } } }],
    },
  );
  const { initContainerStatuses, containerStatuses } = status();
  expect([...initContainerStatuses, ...containerStatuses]).toMatchObject([
    { name: "side", allocatedResources: { cpu: "1" }, resources: { requests: { cpu: "1" } } },
    { name: "a", allocatedResources: small.requests, resources: small },
    { name: "b", resources: {} },
  ]);
  expect("allocatedResources" in containerStatuses[1]).toBe(false);
});

test("a container continues with its new resources, and events tell of it", () => {
  create([{ name: "a", image: "i", resources: small, resizePolicy: RESTARTED }]);
  resize({ containers: [{ name: "a", resources: { requests: { cpu: "2" } } }] });
  h.clock.advance(0);
  const after = { requests: { cpu: "2", memory: "1Gi" } };
  const [told] = status().containerStatuses;
  expect(told).toMatchObject({ restartCount: 0, allocatedResources: after.requests, resources: after });
  expect([status().observedGeneration, conditions().includes("PodResizeInProgress")]).toEqual([2, false]);
  const summary = JSON.stringify({ containers: [{ name: "a", resources: after }], generation: 2 });
  expect(h.events("p").filter((event) => event.includes("Pod resize"))).toEqual([
    `Normal ResizeCompleted: Pod resize completed: ${summary}`,
    `Normal ResizeStarted: Pod resize started: ${summary}`,
  ]);
});

test.each(["Always", "OnFailure"])(
  "a container is started again where its policy says so, with policy %s",
  (policy) => {
    const simulated = JSON.stringify({ runMs: "forever", sigterm: { exitCode: 0, afterMs: 5_000 } });
    create(
      [{ name: "a", image: "i", resources: small, resizePolicy: RESTARTED }],
      { restartPolicy: policy },
      simulated,
    );
    resize({ containers: [{ name: "a", resources: { requests: { memory: "2Gi" } } }] });
    h.clock.advance(0);
    expect(status().containerStatuses[0]).toMatchObject({ restartCount: 0, resources: small });
    expect(status().containerStatuses[0].allocatedResources.memory).toBe("2Gi");
    expect(status().conditions.at(-1)).toMatchObject({ type: "PodResizeInProgress", status: "True" });
    h.clock.advance(40_000);
    const [told] = status().containerStatuses;
    expect(told).toMatchObject({ restartCount: 1, resources: { requests: { cpu: "100m", memory: "2Gi" } } });
    expect([Object.keys(told.state), conditions().includes("PodResizeInProgress")]).toEqual([["running"], false]);
    expect(h.events("p")).toContain("Normal Killing: Container a resize requires restart");
    h.clock.advance(40_000);
    expect(status().containerStatuses[0].restartCount).toBe(1);
  },
);

test("a pod that is deleted while a container has to restart ends", () => {
  const simulated = JSON.stringify({ runMs: "forever", sigterm: { exitCode: 0, afterMs: 5_000 } });
  create([{ name: "a", image: "i", resources: small, resizePolicy: RESTARTED }], {}, simulated);
  resize({ containers: [{ name: "a", resources: { requests: { memory: "2Gi" } } }] });
  h.clock.advance(1_000);
  h.api("DELETE", PATH);
  h.clock.advance(60_000);
  expect(h.cluster.handle({ method: "GET", path: PATH, headers: {} }).status).toBe(404);
});
