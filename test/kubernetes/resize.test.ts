/**
 * pods/resize on a real API server and on the in-memory one: the same discovery entry, pods and refusals. What a
 * kubelet makes of it is left out.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAhead } from "../../cluster/values/kubernetes-changes.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { BothServers, type Request } from "./both-servers.ts";
import { TESTED_VERSION } from "./tested-version.ts";

const PODS = "/api/v1/namespaces/default/pods";
const STRATEGIC = "application/strategic-merge-patch+json";
const MERGE = "application/merge-patch+json";
const RESTARTED = [{ resourceName: "memory", restartPolicy: "RestartContainer" }];

/** The pods that are resized, by name. */
const SPECS: Readonly<Record<string, object>> = {
  burstable: {
    containers: [
      { name: "a", image: "i", resources: { requests: { cpu: "100m", memory: "1Gi" } }, resizePolicy: RESTARTED },
      { name: "b", image: "i" },
    ],
    initContainers: [
      { name: "init", image: "i", resources: { requests: { cpu: "10m" } } },
      { name: "side", image: "i", restartPolicy: "Always" },
    ],
  },
  guaranteed: { containers: [{ name: "a", image: "i", resources: { limits: { cpu: "1", memory: "1Gi" } } }] },
  poor: { containers: [{ name: "a", image: "i" }] },
  bound: { nodeName: "n", containers: [{ name: "a", image: "i", resources: { requests: { cpu: "100m" } } }] },
  nowhere: { nodeName: "none", containers: [{ name: "a", image: "i", resources: { requests: { cpu: "100m" } } }] },
  elsewhere: { nodeName: "w", containers: [{ name: "a", image: "i", resources: { requests: { cpu: "100m" } } }] },
  windows: { os: { name: "windows" }, containers: [{ name: "a", image: "i" }] },
  whole: {
    resources: { requests: { cpu: "1", memory: "1Gi" } },
    containers: [{ name: "a", image: "i", resources: { requests: { cpu: "100m" } } }],
  },
  disk: { containers: [{ name: "a", image: "i", resources: { limits: { cpu: "1", "ephemeral-storage": "1Gi" } } }] },
};

const NODES = { n: "linux", w: "windows" };

describe.skipIf(whyUnavailable() !== undefined)("the resize of pods on both API servers", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await BothServers.start({ withoutAdmissionPlugins: ["ServiceAccount"] });
    const make = async (path: string, body: object): Promise<void> => {
      const { upstream, stint } = await servers.ask({ method: "POST", path, body });
      expect([upstream.status, stint.status], JSON.stringify(upstream.body)).toEqual([201, 201]);
    };
    for (const [name, os] of Object.entries(NODES)) {
      const metadata = { name, labels: { "kubernetes.io/os": os } };
      await make("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata });
      const status = { allocatable: { cpu: "2", memory: "4Gi" } };
      await servers.ask({
        method: "PATCH",
        path: `/api/v1/nodes/${name}/status`,
        contentType: MERGE,
        body: { status },
      });
    }
    const pod = (name: string, spec?: object, annotations: object = {}): object => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, annotations },
      spec: { serviceAccountName: "default", ...spec },
    });
    for (const [name, spec] of Object.entries(SPECS)) await make(PODS, pod(name, spec));
    await make(PODS, pod("static", SPECS["bound"], { "kubernetes.io/config.mirror": "x" }));
  });
  afterAll(() => servers?.stop());

  const same = async (request: Request, status: number): Promise<any> => {
    const { upstream, stint } = await servers.ask(request);
    expect(stint).toEqual(upstream);
    expect(upstream.status, JSON.stringify(upstream.body)).toBe(status);
    return upstream.body;
  };
  const resize = (name: string, spec: object, status: number, contentType = STRATEGIC): Promise<any> =>
    same({ method: "PATCH", path: `${PODS}/${name}/resize`, contentType, body: { spec } }, status);
  const sized = (name: string, resources: object, more: object = {}): object => ({
    containers: [{ name, resources, ...more }],
  });
  const asking = (requests: object): object => ({ requests });

  it("stands in the discovery", async () => {
    const { upstream, stint } = await servers.ask({ method: "GET", path: "/api/v1" });
    const entry = ({ body }: any): object => body.resources.find(({ name }: any) => name === "pods/resize");
    expect(entry(upstream)).toBeDefined();
    expect(entry(stint)).toEqual(entry(upstream));
  });

  it("changes cpu and memory, and makes a new generation", async () => {
    const pod = await resize("burstable", sized("a", asking({ cpu: "0.3", memory: "512Mi" })), 200);
    expect([pod.spec.containers[0].resources.requests, pod.metadata.generation]).toEqual([
      { cpu: "300m", memory: "512Mi" },
      2,
    ]);
    await resize("burstable", sized("b", { limits: { cpu: "2" } }), 200);
    await resize("burstable", { initContainers: [{ name: "side", resources: asking({ cpu: "1" }) }] }, 200);
    await resize("burstable", { initContainers: [{ name: "init", resources: asking({ cpu: "2" }) }] }, 200);
    await resize("guaranteed", sized("a", { limits: { cpu: "2" }, requests: { cpu: "2" } }), 200);
    await resize("whole", { resources: asking({ cpu: "2" }) }, 200);
    await resize("bound", sized("a", asking({ cpu: "2" })), 200);
    await resize("bound", sized("a", asking({ cpu: "2000m" })), 200);
    await same({ method: "GET", path: `${PODS}/burstable/resize` }, 200);
  });

  it("changes nothing else", async () => {
    const body = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "other" }] } };
    const path = `${PODS}/burstable/resize`;
    const pod = await same({ method: "PATCH", path, contentType: STRATEGIC, body }, 200);
    expect([pod.metadata.labels, pod.spec.containers[0].image]).toEqual([undefined, "i"]);
  });

  it.each<[string, string, object]>([
    ["another quality of service class", "poor", sized("a", asking({ cpu: "1" }))],
    ["a limit that makes another class", "guaranteed", sized("a", { limits: { cpu: "3" } })],
    ["a request beyond its limit", "guaranteed", sized("a", asking({ cpu: "8" }))],
    ["a request that vanishes", "burstable", sized("a", asking({ cpu: null }))],
    ["resources that vanish", "burstable", { containers: [{ name: "a", resources: null }] }],
    ["other resources", "burstable", sized("a", { requests: { "ephemeral-storage": "1Gi" } })],
    ["changed other resources", "disk", sized("a", { limits: { "ephemeral-storage": "2Gi" } })],
    ["an extended resource", "burstable", sized("a", { limits: { "example.com/gpu": "1" } })],
    ["a policy", "burstable", sized("b", {}, { resizePolicy: RESTARTED })],
    ["one container more", "burstable", { containers: [{ name: "c", image: "i" }] }],
    ["an amount that is none", "burstable", sized("a", asking({ cpu: "much" }))],
    ["a negative amount", "burstable", sized("a", asking({ cpu: "-1" }))],
    ["anything for Windows", "windows", sized("a", asking({ cpu: "1" }))],
    ["anything of the node's own pods", "static", sized("a", asking({ cpu: "1" }))],
    ["more than its node has", "bound", sized("a", asking({ cpu: "3", memory: "5Gi" }))],
    ["anything where its node is not there", "nowhere", sized("a", asking({ cpu: "1" }))],
    ["anything on a node with Windows", "elsewhere", sized("a", asking({ cpu: "1" }))],
  ])("refuses %s", async (_what, name, spec) => {
    const path = `${PODS}/${name}/resize`;
    const { upstream, stint } = await servers.ask({ method: "PATCH", path, contentType: STRATEGIC, body: { spec } });
    expect(stint).toEqual(upstream);
    expect(upstream.status).toBeGreaterThanOrEqual(400);
  });

  it.each<[string, object]>([
    ["resources of the pod that vanish", { resources: null }],
    ["a request of the pod that vanishes", { resources: asking({ cpu: null }) }],
  ])("refuses %s, or fills them in again since 1.37", async (_what, spec) => {
    const status = isAhead("defaults-of-whole-pods", TESTED_VERSION) ? 422 : 200;
    await resize("whole", spec, status);
  });

  it("refuses containers in another order", async () => {
    const read = await same({ method: "GET", path: `${PODS}/burstable` }, 200);
    for (const field of ["uid", "resourceVersion", "creationTimestamp", "managedFields"]) delete read.metadata[field];
    const { containers } = read.spec;
    const body = { ...read, spec: { ...read.spec, containers: containers.toReversed() } };
    await same({ method: "PUT", path: `${PODS}/burstable/resize`, body }, 422);
  });

  it("keeps the limits of its namespace", async () => {
    const limits = [{ type: "Container", max: { cpu: "1500m" } }];
    const body = { apiVersion: "v1", kind: "LimitRange", metadata: { name: "limits" }, spec: { limits } };
    await same({ method: "POST", path: "/api/v1/namespaces/default/limitranges", body }, 201);
    await resize("bound", sized("a", { requests: { cpu: "1600m" }, limits: { cpu: "1600m" } }), 403);
  });

  it("needs a kubelet that can resize", async () => {
    const told = (resources?: object): object => ({
      name: "a",
      image: "i",
      imageID: "",
      ready: true,
      restartCount: 0,
      state: { running: {} },
      ...(resources && { resources }),
    });
    const tell = (containerStatuses: object[]): Promise<any> =>
      same(
        { method: "PATCH", path: `${PODS}/disk/status`, contentType: MERGE, body: { status: { containerStatuses } } },
        200,
      );
    await tell([told()]);
    await resize("disk", sized("a", { limits: { cpu: "1200m" } }), 422);
    await tell([told({})]);
    await resize("disk", sized("a", { limits: { cpu: "1200m" } }), 200);
  });

  it("is no resource to create or delete", async () => {
    await resize("unknown", sized("a", {}), 404);
    await same({ method: "POST", path: `${PODS}/poor/resize`, body: {} }, 405);
    await same({ method: "DELETE", path: `${PODS}/poor/resize` }, 405);
  });
});
