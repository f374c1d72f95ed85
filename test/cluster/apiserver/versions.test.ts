/**
 * Requests that versions of Kubernetes answer in different ways. The answers are those of real API servers of 1.36.3
 * and 1.37.2 (docs/spec/api.md, 2.9). What the engine's reviews differ in is in test/vectors/admission/versions.json.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { Engine } from "../../../bindings/js/engine.ts";
import { builtInPlugins } from "../../../cluster/apiserver/admission-plugins/built-in.ts";
import { chain } from "../../../cluster/apiserver/admission-plugins/chain.ts";
import { trackFields } from "../../../cluster/apiserver/apply/tracking.ts";
import { moreResources } from "../../../cluster/apiserver/registry/more-resources.ts";
import type { ServedVersion } from "../../../cluster/values/kubernetes-versions.ts";
import { type EngineModule, loadEngineModule } from "../../../host-node/engine-module.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { configMap, Harness, job, jobs, pod, pods } from "./harness.ts";

let module: EngineModule;
beforeAll(async () => {
  await buildModule("engine");
  module = await loadEngineModule();
});

function serverOf(kubernetes: ServedVersion): Harness {
  const engine = Engine.createSync(module.module);
  engine.configure({ kubernetes });
  const harness = new Harness({
    kubernetes,
    admission: (review) => engine.review(review),
    moreResources,
    plugins: chain(builtInPlugins),
    fieldOwners: trackFields,
  });
  harness.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  return harness;
}

const causesOf = ({ body }: { body: any }): string[] =>
  body.details.causes.map(({ field, message }: any) => `${field}: ${message}`);

test.each([
  ["1.33", "v1.33.13"],
  ["1.36", "v1.36.3"],
  ["1.37", "v1.37.2"],
] as const)("%s says that it is %s", (kubernetes, gitVersion) => {
  expect(serverOf(kubernetes).get("/version").body).toMatchObject({ gitVersion, minor: kubernetes.slice(2) });
  expect(serverOf(kubernetes).get("/openapi/v2").body.info.version).toBe(gitVersion);
});

describe("owner references of any kind", () => {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "o1" };
  const owned = (wrong: object): object => configMap("c", { ownerReferences: [owner, { ...owner, ...wrong }] });
  const path = "/api/v1/namespaces/default/configmaps";
  const field = "metadata.ownerReferences";
  test.each([
    [
      { apiVersion: "" },
      `${field}.apiVersion: Invalid value: "": version must not be empty`,
      "apiVersion: Required value: must not be empty",
    ],
    [
      { apiVersion: "a/b/c" },
      `${field}.apiVersion: Invalid value: "a/b/c": version must not be empty`,
      'apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>',
    ],
    [{ name: "" }, `${field}.name: Invalid value: "": must not be empty`, "name: Required value: must not be empty"],
  ])("%j", (wrong, before, since) => {
    expect(causesOf(serverOf("1.36").post(path, owned(wrong)))).toEqual([before]);
    expect(causesOf(serverOf("1.37").post(path, owned(wrong)))).toEqual([`${field}[1].${since}`]);
  });
});

describe("a patch that cannot be read", () => {
  const answers = (kubernetes: ServedVersion, type: string, body: string, name = "c", query = ""): unknown[] => {
    const harness = serverOf(kubernetes);
    harness.post("/api/v1/namespaces/default/configmaps", configMap("c"));
    const path = `/api/v1/namespaces/default/configmaps/${name}${query}`;
    const { status, body: answer } = harness.send("PATCH", path, body, { "content-type": `application/${type}` });
    return [status, answer.message];
  };

  test.each(["json-patch+json", "merge-patch+json", "strategic-merge-patch+json"])("%s", (type) => {
    for (const body of ["{", "", "nonsense"]) {
      expect(answers("1.37", type, body)).toEqual([400, "invalid JSON patch"]);
      expect(answers("1.37", type, body, "missing")).toEqual([400, "invalid JSON patch"]);
    }
    const [status, message] = answers("1.36", type, "{");
    expect(status).toBe(400);
    expect(message).toContain("unexpected end of JSON input");
    expect(answers("1.36", type, "{", "missing")[0]).toBe(404);
    // JSON of another shape is answered alike.
    expect(answers("1.37", type, '"x"')).toEqual(answers("1.36", type, '"x"'));
  });

  test("apply", () => {
    const apply = (kubernetes: ServedVersion, body: string, query = ""): unknown =>
      answers(kubernetes, "apply-patch+yaml", body, "c", `?fieldManager=m${query}`)[1];
    expect(apply("1.36", "a: [")).toMatch(/^error decoding YAML: error converting YAML to JSON: yaml: /);
    expect(apply("1.37", "a: [")).toMatch(/^error encoding patch: yaml: /);
    expect(apply("1.36", "- a")).toMatch(/^error decoding YAML: error unmarshaling JSON: /);
    expect(apply("1.37", "- a")).toMatch(/^error decoding patch: error unmarshaling JSON: /);
    const twice = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a: b\n  a: c\n";
    expect(apply("1.36", twice, "&fieldValidation=Strict")).toMatch(/^error strict decoding YAML: /);
    expect(apply("1.37", twice, "&fieldValidation=Strict")).toMatch(/^error strict decoding patch: /);
  });
});

test("an apply with a field that the version does not know", () => {
  const apply = (kubernetes: ServedVersion): [number, string] => {
    const applied = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { hostnameOverride: "h" } };
    const path = `${pods}/p?fieldManager=m&fieldValidation=Ignore`;
    const headers = { "content-type": "application/apply-patch+yaml" };
    const { status, body } = serverOf(kubernetes).send("PATCH", path, applied, headers);
    return [status, body.message];
  };
  expect(apply("1.33")).toEqual([
    500,
    "failed to create typed patch object (/p; /v1, Kind=Pod): .spec.hostnameOverride: field not declared in schema",
  ]);
  expect(apply("1.34")[0]).toBe(422);
});

test("an object that is born by apply is not marked as deleted", () => {
  const body = { ...job("j"), metadata: { name: "j", deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const headers = { "content-type": "application/apply-patch+yaml" };
  const { status, body: made } = serverOf("1.37").send("PATCH", `${jobs}/j?fieldManager=m`, body, headers);
  expect([status, made.metadata.deletionTimestamp]).toEqual([201, undefined]);
});

test("a CronJob without a schedule", () => {
  const template = { spec: { containers: [{ name: "c", image: "busybox" }], restartPolicy: "Never" } };
  const spec = { schedule: "", failedJobsHistoryLimit: -1, jobTemplate: { spec: { template } } };
  const made = (kubernetes: ServedVersion): string[] =>
    causesOf(
      serverOf(kubernetes).post("/apis/batch/v1/namespaces/default/cronjobs", { metadata: { name: "c" }, spec }),
    );
  const limit = "spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0";
  expect(made("1.36")).toEqual(["spec.schedule: Required value", limit]);
  expect(made("1.37")).toEqual([limit, "spec.schedule: Required value"]);
});

describe("a rule that is declared with the types", () => {
  const runtimeClasses = "/apis/node.k8s.io/v1/runtimeclasses";
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  const immutable = "field is immutable";

  test("a field that may not change shows no value", () => {
    const refusal = (kubernetes: ServedVersion): string[] => {
      const harness = serverOf(kubernetes);
      harness.post(runtimeClasses, { metadata: { name: "r" }, handler: "one" });
      return causesOf(harness.merge(`${runtimeClasses}/r`, { handler: "other" }));
    };
    expect(refusal("1.36")).toEqual([`handler: Invalid value: "other": ${immutable}`]);
    expect(refusal("1.37")).toEqual([`handler: Invalid value: null: ${immutable}`]);
  });

  test("a required field has no sentence", () => {
    const role = { metadata: { name: "r" }, rules: [{ verbs: [], apiGroups: [""], resources: ["pods"] }] };
    const refusal = (kubernetes: ServedVersion): string[] => causesOf(serverOf(kubernetes).post(`${rbac}/roles`, role));
    expect(refusal("1.36")).toEqual(["rules[0].verbs: Required value: verbs must contain at least one value"]);
    expect(refusal("1.37")).toEqual(["rules[0].verbs: Required value"]);
  });

  test("a subject without a name comes last", () => {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };
    const binding = { metadata: { name: "b" }, roleRef, subjects: [{ kind: "User", name: "" }, { kind: "Robot" }] };
    const fields = (kubernetes: ServedVersion): string[] =>
      causesOf(serverOf(kubernetes).post(`${rbac}/rolebindings`, binding)).map((cause) => cause.split(":")[0]!);
    expect(fields("1.36")[0]).toBe("subjects[0].name");
    expect(fields("1.37")[0]).toBe("subjects[1].kind");
  });

  test("a providerID is set once", () => {
    const refusal = (kubernetes: ServedVersion): string[] => {
      const harness = serverOf(kubernetes);
      harness.post("/api/v1/nodes", { metadata: { name: "n" }, spec: { providerID: "a" } });
      return causesOf(harness.merge("/api/v1/nodes/n", { spec: { providerID: "b" } }));
    };
    const before = 'node updates may not change providerID except from "" to valid';
    expect(refusal("1.36")).toEqual([`spec.providerID: Forbidden: ${before}`]);
    expect(refusal("1.37")).toEqual(["spec.providerID: Invalid value: null: field cannot be modified once set"]);
  });

  test("the role of a binding", () => {
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };
    const refusal = (kubernetes: ServedVersion): string => {
      const harness = serverOf(kubernetes);
      harness.post(`${rbac}/rolebindings`, { metadata: { name: "b" }, roleRef });
      return causesOf(harness.merge(`${rbac}/rolebindings/b`, { roleRef: { ...roleRef, name: "s" } }))[0]!;
    };
    expect(refusal("1.36")).toMatch(/: cannot change roleRef$/);
    expect(refusal("1.37")).toMatch(/: field is immutable$/);
  });
});

test("more defaults", () => {
  const selector = { matchLabels: { a: "b" } };
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "none" }] } };
  const made = (kubernetes: ServedVersion): unknown => {
    const path = "/apis/apps/v1/namespaces/default/statefulsets";
    return serverOf(kubernetes).post(path, { metadata: { name: "s" }, spec: { selector, template } }).body.spec
      .updateStrategy.rollingUpdate;
  };
  expect(made("1.36")).toEqual({ partition: 0 });
  expect(made("1.37")).toEqual({ partition: 0, maxUnavailable: 1 });
});

describe("resources of a whole pod", () => {
  const limits = { cpu: "300m", memory: "64Mi" };
  const containers = ["a", "b"].map((name) => ({ name, image: "none", resources: { limits } }));
  const asking = pod("p", { containers, resources: { requests: { cpu: "1" } } });
  const filledIn = { requests: { cpu: "1", memory: "128Mi" }, limits: { cpu: "1", memory: "128Mi" } };
  const made = (kubernetes: ServedVersion, given: object): unknown[] => {
    const { body } = serverOf(kubernetes).post(pods, given);
    return [body.spec.resources, body.status.qosClass];
  };

  test("get limits", () => {
    expect(made("1.36", asking)).toEqual([{ requests: { cpu: "1" } }, "Burstable"]);
    expect(made("1.37", asking)).toEqual([filledIn, "Guaranteed"]);
  });

  test("do not count where they are empty", () => {
    const empty = pod("p", { containers, resources: {} });
    expect(made("1.36", empty)).toEqual([{}, "BestEffort"]);
    expect(made("1.37", empty)).toEqual([{}, "Guaranteed"]);
  });

  test("come from what a LimitRange gives to the containers", () => {
    const harness = serverOf("1.37");
    harness.post("/api/v1/namespaces/default/limitranges", {
      metadata: { name: "l" },
      spec: { limits: [{ type: "Container", default: limits }] },
    });
    const bare = containers.map(({ resources: _own, ...rest }) => rest);
    const { body } = harness.post(pods, pod("p", { containers: bare, resources: { requests: { cpu: "1" } } }));
    expect(body.spec.resources).toEqual(filledIn);
  });

  test("stay in an update that leaves them out", () => {
    const harness = serverOf("1.37");
    const { body: stored } = harness.post(pods, asking);
    const { resources: _left, ...spec } = stored.spec;
    const changed = { ...spec, activeDeadlineSeconds: 9 };
    const { status, body } = harness.put(`${pods}/p`, { ...stored, spec: changed });
    expect([status, body.spec.resources]).toEqual([200, filledIn]);
  });

  test("get no defaults in an update", () => {
    const harness = serverOf("1.37");
    const { body: stored } = harness.post(pods, asking);
    const spec = { ...stored.spec, resources: { requests: { cpu: "1" } } };
    expect(harness.put(`${pods}/p`, { ...stored, spec }).status).toBe(422);
  });
});

describe("fields of a Job that are newer than the server", () => {
  const made = (kubernetes: ServedVersion, spec: object, container: object = {}): any => {
    const { spec: pod } = job("j").spec.template;
    const containers = pod.containers.map((each: object) => ({ ...each, ...container }));
    const template = { spec: { ...pod, ...spec, containers } };
    const body = { ...job("j"), spec: { ...job("j").spec, template } };
    return serverOf(kubernetes).post(jobs, body);
  };

  test("are unknown, dropped and kept", () => {
    const answers = (["1.33", "1.34", "1.35"] as const).map((kubernetes) => {
      const { status, body, headers } = made(kubernetes, { hostnameOverride: "a" });
      return [status, body.spec.template.spec.hostnameOverride, headers["warning"]];
    });
    const warning = [`299 - ${JSON.stringify('unknown field "spec.template.spec.hostnameOverride"')}`];
    expect(answers).toEqual([
      [201, undefined, warning],
      [201, undefined, undefined],
      [201, "a", undefined],
    ]);
  });

  test("leave a variable without its source", () => {
    const env = [{ name: "A", valueFrom: { fileKeyRef: { volumeName: "v", path: "p", key: "A" } } }];
    const volumes = [{ name: "v", emptyDir: {} }];
    const field = "spec.template.spec.containers[0].env[0].valueFrom";
    const sources = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
    for (const kubernetes of ["1.33", "1.34"] as const)
      expect(causesOf(made(kubernetes, { volumes }, { env }))).toEqual([
        `${field}: Invalid value: "": must specify one of: ${sources}`,
      ]);
    expect(made("1.35", { volumes }, { env }).status).toBe(201);
  });

  test("make 1.33 refuse the policy of a container, and 1.34 drop it", () => {
    const policy = { restartPolicy: "Never" };
    const field = "spec.template.spec.containers[0].restartPolicy";
    expect(causesOf(made("1.33", {}, policy))).toEqual([`${field}: Forbidden: may not be set for non-init containers`]);
    expect(made("1.34", {}, policy).body.spec.template.spec.containers[0].restartPolicy).toBeUndefined();
    expect(made("1.35", {}, policy).body.spec.template.spec.containers[0].restartPolicy).toBe("Never");
  });

  test("take what mounts a volume from an image with them", () => {
    const volumes = [{ name: "v", image: { reference: "example.com/data" } }];
    const volumeMounts = [{ name: "v", mountPath: "/v" }];
    const podOf = (kubernetes: ServedVersion): any =>
      made(kubernetes, { volumes }, { volumeMounts }).body.spec.template.spec;
    const { volumes: left, containers } = podOf("1.34");
    expect([left, containers[0].volumeMounts]).toEqual([undefined, undefined]);
    expect(podOf("1.35").containers[0].volumeMounts).toEqual(volumeMounts);
  });

  test("leave a source of a projected volume empty", () => {
    const certificate = { signerName: "example.com/s", keyType: "ED25519", credentialBundlePath: "c" };
    const volumes = [{ name: "v", projected: { sources: [{ podCertificate: certificate }] } }];
    const sources = (kubernetes: ServedVersion): unknown =>
      made(kubernetes, { volumes }).body.spec.template.spec.volumes[0].projected.sources;
    expect(sources("1.36")).toEqual([{}]);
    expect(sources("1.37")).toEqual([{ podCertificate: certificate }]);
  });
});

describe("the status of a CSINode", () => {
  const path = "/apis/storage.k8s.io/v1/csinodes";
  const spec = { drivers: [{ name: "d", nodeID: "n", topologyKeys: null }] };
  const status = { storageHealth: [{ name: "d" }] };

  test("is a field and a subresource since 1.37, and empty", () => {
    const answers = (["1.36", "1.37"] as const).map((kubernetes) => {
      const harness = serverOf(kubernetes);
      const made = harness.post(path, { metadata: { name: "n" }, spec, status });
      const updated = harness.merge(`${path}/n`, { metadata: { labels: { a: "b" } }, status });
      const patched = harness.merge(`${path}/n/status`, { status });
      return [made.body.status, made.headers["warning"] !== undefined, updated.body.status, patched.status];
    });
    expect(answers).toEqual([
      [undefined, true, undefined, 404],
      [{}, false, {}, 200],
    ]);
  });
});

test("fields of 1.37 whose gates are off are dropped from Nodes, claims, slices and statuses", () => {
  const harness = serverOf("1.37");
  const podPreemptionPolicy = { disableResizePreemption: ["a"] };
  const node = harness.post("/api/v1/nodes", { metadata: { name: "n" }, spec: { podPreemptionPolicy } });
  expect([node.status, node.headers["warning"], node.body.spec]).toEqual([201, undefined, {}]);

  const claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
  const derivedAttributes = [{ name: "a/b", expression: "1" }];
  const exactly = { deviceClassName: "c", derivedAttributes };
  const firstAvailable = [{ name: "s", deviceClassName: "c", derivedAttributes }];
  const requests = [
    { name: "r", exactly },
    { name: "f", firstAvailable },
  ];
  const claim = harness.post(claims, { metadata: { name: "c" }, spec: { devices: { requests } } });
  expect([claim.status, claim.headers["warning"]]).toEqual([201, undefined]);
  expect(claim.text).not.toContain("derivedAttributes");
  const results = [{ request: "r", driver: "d", pool: "p", device: "x", skipNodeOperations: ["*"] }];
  const allocated = harness.merge(`${claims}/c/status`, { status: { allocation: { devices: { results } } } });
  expect([allocated.status, allocated.text.includes("skipNodeOperations")]).toEqual([200, false]);

  const volumes = "/api/v1/namespaces/default/persistentvolumeclaims";
  const resources = { requests: { storage: "1Gi" } };
  harness.post(volumes, { metadata: { name: "v" }, spec: { accessModes: ["ReadWriteOnce"], resources } });
  const healthStatus = { healthConditions: [{ status: "Degraded", reason: "Slow" }] };
  const bound = harness.merge(`${volumes}/v/status`, { status: { phase: "Bound", healthStatus } });
  expect([bound.status, bound.body.status]).toEqual([200, { phase: "Bound" }]);

  const device = {
    name: "d",
    nodeAllocatableResources: { cpu: { overhead: { perPod: "1" } } },
    consumesCounters: [{ counterSet: "c", compatibilityGroups: ["g"] }],
  };
  const pool = { name: "p", generation: 1, resourceSliceCount: 1 };
  const more = { partitionTypeAttribute: "a/b", skipNodeOperations: ["*"] };
  const spec = { driver: "d", nodeName: "n", pool, devices: [device], ...more };
  const slice = harness.post("/apis/resource.k8s.io/v1/resourceslices", { metadata: { name: "s" }, spec });
  expect([slice.status, slice.headers["warning"]]).toEqual([201, undefined]);
  expect(slice.body.spec.devices).toEqual([{ name: "d", consumesCounters: [{ counterSet: "c" }] }]);
  expect(Object.keys(slice.body.spec)).not.toContain("partitionTypeAttribute");
  expect(Object.keys(slice.body.spec)).not.toContain("skipNodeOperations");

  harness.post(pods, pod("p"));
  const volumeHealth = [{ name: "v", healthConditions: [{ status: "Degraded", reason: "Slow" }] }];
  const seen = harness.merge(`${pods}/p/status`, { status: { message: "m", volumeHealth } });
  expect([seen.status, seen.body.status.message, seen.body.status.volumeHealth]).toEqual([200, "m", undefined]);
});
