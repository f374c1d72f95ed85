/** Fields that the server knows and drops, because their feature gates are off. */
import { beforeEach, describe, expect, test } from "vitest";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { DROPPED_OF_POD_SPEC, withoutDroppedFields } from "../../../../cluster/apiserver/strategies/dropped-fields.ts";
import { SERVED_VERSIONS, type ServedVersion } from "../../../../cluster/values/kubernetes-versions.ts";
import { Harness, jobs, pods } from "../harness.ts";

const KUBERNETES_1_37 = { gangScheduling: false, kubernetes: "1.37" } as const;

const probe = { httpGet: { path: "/", port: 80, protocol: "HTTP2" }, failureThreshold: 3 };
const grpcProbe = { grpc: { port: 80, mode: "TLS" }, failureThreshold: 3 };
const container = (name: string) => ({
  name,
  image: "i",
  volumeMounts: [{ name: "v", mountPath: "/v", bindMountOptions: ["noexec"] }],
});
const file = { key: "k", path: "p", user: 1 };
const podSpec = {
  restartPolicy: "Never",
  containers: [
    {
      ...container("c"),
      livenessProbe: probe,
      readinessProbe: grpcProbe,
      lifecycle: { preStop: { httpGet: { port: 80, protocol: "HTTP1" } } },
    },
  ],
  initContainers: [container("i")],
  evictionResponders: [{ name: "example.com/r", priority: 10_000 }],
  volumes: [
    { name: "v", emptyDir: { mode: 511 } },
    { name: "s", secret: { secretName: "s", defaultUser: 1, items: [file] } },
    { name: "m", configMap: { name: "m", defaultUser: 1, items: [file] } },
    { name: "d", downwardAPI: { defaultUser: 1, items: [{ path: "p", user: 1, fieldRef: { fieldPath: "spec" } }] } },
    {
      name: "p",
      projected: {
        defaultUser: 1,
        sources: [
          { serviceAccountToken: { path: "p", user: 1 } },
          { clusterTrustBundle: { path: "p", user: 1 } },
          { podCertificate: { user: 1 } },
          { secret: { name: "s", items: [file] } },
          { configMap: { name: "m", items: [file] } },
          { downwardAPI: { items: [{ path: "p", user: 1 }] } },
        ],
      },
    },
  ],
};
const NAMES = ["evictionResponders", "mode", "bindMountOptions", "protocol", "defaultUser", "user"];

/** The paths of fields with these names. */
function found(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(NAMES.includes(name) ? [`${path}.${name}`] : []),
    ...found(member, `${path}.${name}`),
  ]);
}

const lastNames = (paths: readonly string[]): Set<string> => new Set(paths.map((path) => path.split(".").at(-1)!));

test("all of the pod template go, and nothing else", () => {
  expect(lastNames(found(podSpec))).toEqual(new Set(NAMES));
  const left = withoutDroppedFields(DROPPED_OF_POD_SPEC, podSpec, undefined, KUBERNETES_1_37);
  expect(found(left)).toEqual([]);
  expect(left.containers[0]!.livenessProbe).toEqual({ httpGet: { path: "/", port: 80 }, failureThreshold: 3 });
  expect(left.volumes.map(({ name }) => name)).toEqual(["v", "s", "m", "d", "p"]);
  expect(lastNames(found(podSpec))).toEqual(new Set(NAMES));
});

test("an object without them stays as it is", () => {
  const plain = { containers: [{ name: "c", livenessProbe: { httpGet: { port: 80 } } }], volumes: [] };
  expect(withoutDroppedFields(DROPPED_OF_POD_SPEC, plain, undefined, KUBERNETES_1_37)).toBe(plain);
});

test("an update keeps the fields of a gate that the object has in use already, and no others", () => {
  const before = { containers: [], volumes: [{ name: "w", emptyDir: { mode: 1 } }] };
  const left = withoutDroppedFields(DROPPED_OF_POD_SPEC, podSpec as object, before, KUBERNETES_1_37);
  expect(found(left)).toEqual([".volumes.0.emptyDir.mode"]);
});

test("a version that has a gate on keeps its fields", () => {
  const left = withoutDroppedFields(DROPPED_OF_POD_SPEC, podSpec, undefined, {
    gangScheduling: false,
    kubernetes: "1.38",
  });
  expect(lastNames(found(left))).toEqual(new Set(["defaultUser", "user"]));
});

describe("the server drops them without a word, also under strict validation, from", () => {
  let h: Harness;
  beforeEach(() => {
    h = new Harness({ moreResources, kubernetes: "1.37" });
  });

  const template = { metadata: { labels: { a: "b" } }, spec: podSpec };
  const always = { ...template, spec: { ...podSpec, restartPolicy: "Always" } };
  const selector = { matchLabels: { a: "b" } };
  const jobSpec = { suspend: true, template, scheduling: { schedulingPolicy: { gang: {}, basic: {} } } };
  const apps = "/apis/apps/v1/namespaces/default";

  test.each<[string, string, object]>([
    ["pods", pods, { spec: podSpec }],
    ["Jobs", jobs, { spec: jobSpec }],
    [
      "CronJobs",
      "/apis/batch/v1/namespaces/default/cronjobs",
      { spec: { schedule: "* * * * *", jobTemplate: { spec: jobSpec } } },
    ],
    ["Deployments", `${apps}/deployments`, { spec: { selector, template: always } }],
    ["DaemonSets", `${apps}/daemonsets`, { spec: { selector, template: always } }],
    ["PodTemplates", "/api/v1/namespaces/default/podtemplates", { template }],
  ])("%s", (_, path, object) => {
    const created = h.post(`${path}?fieldValidation=Strict`, { metadata: { name: "x" }, ...object });
    expect([created.status, created.headers["warning"]]).toEqual([201, undefined]);
    expect(found(created.body.spec ?? created.body.template)).toEqual([]);
    expect(created.text).not.toContain('"scheduling"');
    const updated = h.merge(`${path}/x?fieldValidation=Strict`, object);
    expect([updated.status, updated.headers["warning"]]).toEqual([200, undefined]);
    expect(updated.text).toBe(created.text);
  });
});

test("a server of 1.36 does not know them", () => {
  const h = new Harness({ moreResources, kubernetes: "1.36" });
  const path = "/apis/batch/v1/namespaces/default/jobs";
  const template = { spec: { restartPolicy: "Never", containers: [container("c")] } };
  const object = { metadata: { name: "x" }, spec: { suspend: true, template, scheduling: {} } };
  const unknown = ["spec.template.spec.containers[0].volumeMounts[0].bindMountOptions", "spec.scheduling"].map(
    (field) => `unknown field "${field}"`,
  );
  const created = h.post(path, object);
  expect(created.headers["warning"]).toEqual(unknown.map((text) => `299 - ${JSON.stringify(text)}`));
  expect(found(created.body.spec)).toEqual([]);
  expect(created.text).not.toContain('"scheduling"');
  expect(h.post(`${path}?fieldValidation=Strict`, object).body.message).toContain(
    `strict decoding error: ${unknown.join(", ")}`,
  );
  const containers = [{ ...container("c"), livenessProbe: probe }];
  const patched = h.merge(`${path}/x`, { spec: { template: { spec: { containers } } } });
  expect(patched.headers["warning"]).toHaveLength(2);
});

test("spec.scheduling stays while gang scheduling is on", () => {
  const h = new Harness({ gangScheduling: true });
  const scheduling = { schedulingPolicy: { gang: { minCount: 1 } } };
  const spec = { suspend: true, template: { spec: { containers: [], restartPolicy: "Never" } }, scheduling };
  expect(h.post(jobs, { metadata: { name: "x" }, spec }).body.spec.scheduling).toEqual(scheduling);
});

describe("fields that the gates of an older version drop", () => {
  const rules = [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }];
  const claims = { resources: { claims: [{ name: "gpu" }] } };
  const image = { name: "image", image: { reference: "i" } };
  const mounts = [
    { name: "image", mountPath: "/i" },
    { name: "v", mountPath: "/v" },
  ];
  const fileKey = { name: "A", valueFrom: { fileKeyRef: { volumeName: "v", path: "p", key: "A" } } };
  const bundle = { clusterTrustBundle: { name: "b", path: "p" } };
  const certificate = { podCertificate: { signerName: "example.com/s", keyType: "ED25519", keyPath: "k" } };
  const projected = (...sources: object[]): object => ({ volumes: [{ name: "p", projected: { sources } }] });
  const containers = (...all: object[]): object => ({ containers: all });

  test.each<[string, ServedVersion, object, object]>([
    ["resources of the pod", "1.34", { resources: { limits: { cpu: "1" } } }, {}],
    ["claims of the pod", "1.34", { resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] }, {}],
    [
      "claims of containers",
      "1.34",
      { ...containers(claims), initContainers: [claims], ephemeralContainers: [claims] },
      {
        ...containers({ resources: {} }),
        initContainers: [{ resources: {} }],
        ephemeralContainers: [{ resources: {} }],
      },
    ],
    ["hostnameOverride", "1.35", { hostnameOverride: "a", hostname: "b" }, { hostname: "b" }],
    [
      "the policy of a container",
      "1.35",
      containers({ restartPolicy: "Never", restartPolicyRules: rules }),
      containers({}),
    ],
    [
      "policies of init containers that are no sidecars",
      "1.35",
      { initContainers: [{ restartPolicy: "Never", restartPolicyRules: rules }, { restartPolicy: "Always" }] },
      { initContainers: [{}, { restartPolicy: "Always" }] },
    ],
    [
      "variables from files",
      "1.35",
      containers({ env: [fileKey] }),
      containers({ env: [{ name: "A", valueFrom: {} }] }),
    ],
    [
      "volumes from images with their mounts",
      "1.35",
      {
        volumes: [image, { name: "v", emptyDir: {} }],
        ...containers({ volumeMounts: mounts }, { volumeMounts: mounts.slice(0, 1) }),
        initContainers: [{ volumeMounts: mounts }],
        ephemeralContainers: [{ volumeMounts: mounts }],
      },
      {
        volumes: [{ name: "v", emptyDir: {} }],
        ...containers({ volumeMounts: mounts.slice(1) }, {}),
        initContainers: [{ volumeMounts: mounts.slice(1) }],
        ephemeralContainers: [{ volumeMounts: mounts.slice(1) }],
      },
    ],
    ["the only volume, from an image", "1.35", { volumes: [image] }, {}],
    ["bundles of certificates", "1.37", projected(bundle), projected({})],
    ["certificates of pods", "1.37", projected(certificate), projected({})],
  ])("%s, until %s", (_, since, spec, left) => {
    const before = SERVED_VERSIONS[SERVED_VERSIONS.indexOf(since) - 1]!;
    const dropped = (kubernetes: ServedVersion, current?: object): object =>
      withoutDroppedFields(DROPPED_OF_POD_SPEC, spec, current, { gangScheduling: false, kubernetes });
    expect(dropped(before)).toEqual(left);
    expect(dropped(before, spec)).toBe(spec);
    expect(dropped(since)).toBe(spec);
  });

  test("1.33 does not know policies of containers that are no sidecars, and leaves them to the review", () => {
    const spec = containers({ restartPolicy: "Never" });
    expect(
      withoutDroppedFields(DROPPED_OF_POD_SPEC, spec, undefined, { gangScheduling: false, kubernetes: "1.33" }),
    ).toBe(spec);
  });
});
