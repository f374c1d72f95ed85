/**
 * pods/resize with the engine's admission. The texts are those of a real API server, with which
 * test/kubernetes/resize.test.ts compares more of them.
 */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { Engine } from "../../../../bindings/js/engine.ts";
import { builtInPlugins } from "../../../../cluster/apiserver/admission-plugins/built-in.ts";
import { chain } from "../../../../cluster/apiserver/admission-plugins/chain.ts";
import { withResize } from "../../../../cluster/apiserver/pods/resize.ts";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { resources } from "../../../../cluster/apiserver/registry/resources.ts";
import { loadEngineModule } from "../../../../host-node/engine-module.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { type Answer, Harness, pod, pods } from "../harness.ts";

let engine: Engine;
let harness: Harness;
beforeAll(async () => {
  await buildModule("engine");
  const { module, sha256 } = await loadEngineModule();
  engine = await Engine.create(module, sha256);
});
beforeEach(() => {
  harness = new Harness({
    admission: (review) => engine.review(review),
    moreResources,
    plugins: chain(builtInPlugins),
  });
  const plain = resources.filter(({ resource }) => resource === "pods");
  harness.cluster.withdraw(plain);
  harness.cluster.serve(plain.map(withResize));
  harness.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const node = harness.post("/api/v1/nodes", { metadata: { name: "n" } });
  expect(node.status).toBe(201);
  harness.merge("/api/v1/nodes/n/status", { status: { allocatable: { cpu: "2", memory: "4Gi" } } });
  expect(harness.post(pods, pod("p", SPEC)).status).toBe(201);
});

const SPEC = {
  nodeName: "n",
  containers: [{ name: "main", image: "none", resources: { requests: { cpu: "1", memory: "1Gi" } } }],
};
const resize = (resources: object, more: object = {}): Answer =>
  harness.strategic(`${pods}/p/resize`, { spec: { containers: [{ name: "main", resources, ...more }] } });

test("cpu and memory change, and make a new generation", () => {
  const { status, body } = resize({ requests: { cpu: "0.5" }, limits: { cpu: "2" } }, { image: "other" });
  expect([status, body.metadata.generation]).toEqual([200, 2]);
  const [{ image, resources: after }] = body.spec.containers;
  expect([image, after]).toEqual(["none", { requests: { cpu: "500m", memory: "1Gi" }, limits: { cpu: "2" } }]);
  expect(harness.get(`${pods}/p/resize`).body).toEqual(body);
});

test.each([
  ["spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed", { requests: null }],
  ["spec: Forbidden: only cpu and memory resources are mutable", { requests: { "ephemeral-storage": "1Gi" } }],
  [
    'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    { limits: { cpu: "1", memory: "1Gi" } },
  ],
])("%s", (complaint, change) => {
  const { status, body } = resize(change);
  expect([status, body.message]).toEqual([422, expect.stringContaining(complaint)]);
});

test("more than the node has is refused, with the reason as a cause", () => {
  const { status, body } = resize({ requests: { cpu: "3", memory: "5Gi" } });
  expect([status, body.message, body.details.causes]).toEqual([
    403,
    `pods "p" is forbidden: node didn't have enough allocatable resources: ` +
      "cpu, requested: 3000, allocatable: 2000; memory, requested: 5368709120, allocatable: 4294967296",
    [{ reason: "NodeCapacity" }],
  ]);
});

test("a node whose kubelet tells no resources of what runs cannot resize", () => {
  const told = { name: "main", image: "i", imageID: "", ready: true, restartCount: 0, state: { running: {} } };
  harness.merge(`${pods}/p/status`, { status: { containerStatuses: [told] } });
  const refused = resize({ requests: { cpu: "2" } });
  expect(refused.body.message).toBe(
    'Pod "p" is invalid: spec: Forbidden: Pod running on node without support for resize',
  );
});
