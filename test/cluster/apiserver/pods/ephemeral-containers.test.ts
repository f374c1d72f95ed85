/**
 * pods/ephemeralcontainers with the engine's admission. The texts are those of a real API server, with which
 * test/kubernetes/ephemeral-containers.test.ts compares more of them.
 */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { Engine } from "../../../../bindings/js/engine.ts";
import { withEphemeralContainers } from "../../../../cluster/apiserver/pods/ephemeral-containers.ts";
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
  harness = new Harness({ admission: (review) => engine.review(review) });
  const plain = resources.filter(({ resource }) => resource === "pods");
  harness.cluster.withdraw(plain);
  harness.cluster.serve(plain.map(withEphemeralContainers));
  expect(harness.post(pods, pod("p", SPEC)).status).toBe(201);
});

const SPEC = { containers: [{ name: "main", image: "none" }], initContainers: [{ name: "init", image: "none" }] };
const PATH = `${pods}/p/ephemeralcontainers`;
const add = (...ephemeralContainers: object[]): Answer => harness.strategic(PATH, { spec: { ephemeralContainers } });

test("a container is added with its defaults, and makes a new generation", () => {
  const { status, body } = add({ name: "debug", image: "busybox", targetContainerName: "main" });
  expect([status, body.metadata.generation, body.spec.ephemeralContainers]).toEqual([
    200,
    2,
    [
      {
        name: "debug",
        image: "busybox",
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "Always",
        targetContainerName: "main",
      },
    ],
  ]);
  expect(harness.get(PATH).body).toEqual(body);
});

test("a write of ephemeral containers changes no other field, and no container that is there", () => {
  add({ name: "debug", image: "busybox" });
  const changed = harness.strategic(PATH, { metadata: { labels: { a: "b" } }, spec: { restartPolicy: "Never" } });
  expect([changed.status, changed.body.metadata.labels, changed.body.spec.restartPolicy]).toEqual([
    ...[200, undefined, "Always"],
  ]);
  const may = 'existing ephemeral containers "debug" may not be';
  expect(add({ name: "debug", image: "other" }).body.message).toContain(
    `spec.ephemeralContainers: Forbidden: ${may} changed\n`,
  );
  expect(harness.merge(PATH, { spec: { ephemeralContainers: null } }).body.message).toBe(
    `Pod "p" is invalid: spec.ephemeralContainers: Forbidden: ${may} removed\n`,
  );
});

test.each([
  [{ image: "busybox" }, ["name: Required value"]],
  [{ name: "main", image: "busybox" }, ['name: Duplicate value: "main"']],
  [{ name: "init", image: "busybox" }, ['name: Duplicate value: "init"']],
  [{ name: "d", image: "i", targetContainerName: "d" }, ['targetContainerName: Not found: "d"']],
  [
    { name: "d", image: "i", ports: [{ containerPort: 1 }], readinessProbe: {}, lifecycle: { preStop: {} } },
    ["ports", "readinessProbe", "lifecycle"].map(
      (field) => `${field}: Forbidden: cannot be set for an Ephemeral Container`,
    ),
  ],
  [{ name: "d", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] }, ['volumeMounts[0].name: Not found: "v"']],
])("%j is refused", (container, complaints) => {
  const { status, body } = harness.merge(PATH, { spec: { ephemeralContainers: [container] } });
  expect(status).toBe(422);
  expect(body.details.causes.map(({ field, message }: Record<string, string>) => `${field}: ${message}`)).toEqual(
    complaints.map((complaint) => `spec.ephemeralContainers[0].${complaint}`),
  );
});

test("a container loses the fields that the server drops", () => {
  const mount = { name: "v", mountPath: "/v" };
  const spec = { ...SPEC, volumes: [{ name: "v", emptyDir: {} }] };
  expect(harness.post(pods, pod("q", spec)).status).toBe(201);
  const container = { name: "debug", image: "busybox", volumeMounts: [{ ...mount, bindMountOptions: ["noexec"] }] };
  const { body } = harness.strategic(`${pods}/q/ephemeralcontainers`, { spec: { ephemeralContainers: [container] } });
  expect(body.spec.ephemeralContainers[0].volumeMounts).toEqual([mount]);
});

test("a new pod cannot have one, and a pod of a file of the node never", () => {
  const spec = { ...SPEC, ephemeralContainers: [{ name: "debug", image: "busybox" }] };
  expect(harness.post(pods, pod("new", spec)).body.message).toBe(
    'Pod "new" is invalid: spec.ephemeralContainers: Forbidden: cannot be set on create',
  );
  harness.merge(`${pods}/p`, { metadata: { annotations: { "kubernetes.io/config.mirror": "x" } } });
  expect(add({ name: "debug", image: "busybox" }).body.message).toBe(
    'Pod "p" is invalid: []: Forbidden: static pods do not support ephemeral containers',
  );
});
