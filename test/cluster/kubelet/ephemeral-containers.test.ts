/** A kubelet with ephemeral containers: they start in a pod that runs, once, and change nothing else of it. */
import { beforeEach, expect, test } from "vitest";
import { withEphemeralContainers } from "../../../cluster/apiserver/pods/ephemeral-containers.ts";
import { resources } from "../../../cluster/apiserver/registry/resources.ts";
import { runEphemeral } from "../../../cluster/kubelet/ephemeral-containers.ts";
import { Harness } from "../component-harness.ts";

const FOREVER = { runMs: "forever" };

let h: Harness;
beforeEach(() => {
  h = new Harness();
  const plain = resources.filter(({ resource }) => resource === "pods");
  h.cluster.withdraw(plain);
  h.cluster.serve(plain.map(withEphemeralContainers));
});

function create(byContainer: object, spec: object = {}): void {
  h.createPod("p", spec, { annotations: { "stint.dev/simulate": JSON.stringify({ ...FOREVER, byContainer }) } });
  h.clock.advance(1_000);
}

function add(...ephemeralContainers: object[]): void {
  const path = "/api/v1/namespaces/default/pods/p/ephemeralcontainers";
  h.api("PATCH", path, { spec: { ephemeralContainers } }, "application/strategic-merge-patch+json");
  h.clock.advance(1_000);
}

const states = (): object =>
  Object.fromEntries(
    (h.pod("p").status.ephemeralContainerStatuses ?? []).map(({ name, state }: any) => [name, Object.keys(state)[0]]),
  );

test("an ephemeral container starts once, has a status by name, and is not restarted when it fails", () => {
  h.startKubelet("n1", [], { followPod: runEphemeral });
  create({ debug: { exitCode: 3, logs: ["found it"] }, another: FOREVER }, { restartPolicy: "Always" });
  add({ name: "debug", image: "busybox" });
  h.clock.advance(100_000);
  add({ name: "another", image: "busybox" });
  const { status, metadata } = h.pod("p");
  expect([status.phase, status.observedGeneration, metadata.generation]).toEqual(["Running", 3, 3]);
  expect(status.containerStatuses).toHaveLength(1);
  expect(status.ephemeralContainerStatuses).toEqual([
    {
      name: "another",
      state: { running: expect.anything() },
      lastState: {},
      ready: false,
      restartCount: 0,
      image: "busybox",
      imageID: "busybox",
      containerID: expect.stringMatching(/^simulated:\/\/.*_another_0$/),
    },
    expect.objectContaining({
      name: "debug",
      ready: false,
      restartCount: 0,
      state: { terminated: expect.objectContaining({ exitCode: 3, reason: "Error" }) },
    }),
  ]);
  const log = h.follow("/api/v1/namespaces/default/pods/p/log?container=debug");
  h.clock.advance(0);
  expect(log.text).toBe("found it\n");
  expect(h.events("p")).toContain("Normal Started: Started container debug");
  const { items } = h.api("GET", "/api/v1/namespaces/default/events");
  expect(items.map(({ involvedObject }: any) => involvedObject.fieldPath)).toContain("spec.ephemeralContainers{debug}");
});

test("an ephemeral container starts while init containers run", () => {
  h.startKubelet("n1", [], { followPod: runEphemeral });
  create({ init: FOREVER, debug: FOREVER }, { initContainers: [{ name: "init", image: "busybox" }] });
  add({ name: "debug", image: "busybox" });
  expect([h.pod("p").status.phase, states()]).toEqual(["Pending", { debug: "running" }]);
});

test("a running ephemeral container does not keep its pod from ending, and ends with it", () => {
  h.startKubelet("n1", [], { followPod: runEphemeral });
  create({ c: { runMs: 10_000 }, debug: FOREVER });
  add({ name: "debug", image: "busybox" });
  h.clock.advance(60_000);
  expect([h.pod("p").status.phase, states()]).toEqual(["Succeeded", { debug: "terminated" }]);
});

test("an ephemeral container ends with a pod that is deleted", () => {
  h.startKubelet("n1", [], { followPod: runEphemeral });
  create({ debug: FOREVER });
  add({ name: "debug", image: "busybox" });
  h.api("DELETE", "/api/v1/namespaces/default/pods/p");
  h.clock.advance(60_000);
  expect(h.pod("p")).toBeUndefined();
});

test("an ephemeral container that cannot start yet is tried again", () => {
  h.startKubelet("n1", [], { followPod: runEphemeral });
  create({ debug: FOREVER });
  const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }];
  add({ name: "debug", image: "busybox", env });
  expect(h.pod("p").status.ephemeralContainerStatuses[0].state.waiting).toEqual({
    reason: "CreateContainerConfigError",
    message: 'configmap "settings" not found',
  });
  h.api("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "settings" }, data: { a: "1" } });
  h.clock.advance(20_000);
  expect(states()).toEqual({ debug: "running" });
});

test("a kubelet that starts again runs none of them again", () => {
  const kubelet = h.startKubelet("n1", [], { followPod: runEphemeral });
  create({ debug: { runMs: 100 } }, { restartPolicy: "Always" });
  add({ name: "debug", image: "busybox" });
  kubelet.stop();
  const [before] = h.pod("p").status.ephemeralContainerStatuses;
  h.startKubelet("n1", [], { followPod: runEphemeral });
  h.clock.advance(60_000);
  expect(h.pod("p").status.ephemeralContainerStatuses).toEqual([before]);
  expect(states()).toEqual({ debug: "terminated" });
});

test("ephemeral containers do not start without a runtime that can run them", () => {
  h.startKubelet("n1");
  create({ debug: FOREVER });
  add({ name: "debug", image: "busybox" });
  expect([h.pod("p").status.phase, states()]).toEqual(["Running", {}]);
});
