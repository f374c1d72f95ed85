/** Services and where they lead (test/kubernetes/endpoints.test.ts compares with upstream's controllers). */
import { beforeEach, expect, test } from "vitest";
import { endpointsController } from "../../../../cluster/controllers/endpoints-controller/endpoints-controller.ts";
import { failure, Harness } from "../../component-harness.ts";

const NAMESPACE = "/api/v1/namespaces/default";
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const MERGE = "application/merge-patch+json";

let h: Harness;
beforeEach(() => {
  h = new Harness();
  const { clock, random, transport } = h;
  endpointsController({ clock, random, transport }).start();
  settle();
});

const settle = (): void => h.clock.advance(100);

function service(name: string, spec: object = {}, labels: object = {}): void {
  const wanted = { selector: { app: "a" }, ports: [{ port: 80, targetPort: 8080 }] };
  h.api("POST", `${NAMESPACE}/services`, { metadata: { name, labels }, spec: { ...wanted, ...spec } });
  settle();
}
function pod(name: string, ip: string, spec: object = {}, ready = "True"): void {
  h.createPod(name, spec, { labels: { app: "a" } });
  setStatus(name, { podIP: ip, podIPs: [{ ip }], phase: "Running", conditions: [{ type: "Ready", status: ready }] });
}
function setStatus(name: string, status: object): void {
  h.api("PATCH", `${NAMESPACE}/pods/${name}/status`, { status }, MERGE);
  settle();
}
const endpoints = (name: string): any => h.api("GET", `${NAMESPACE}/endpoints/${name}`);
const slices = (name: string): any[] =>
  h.api("GET", `${SLICES}?labelSelector=kubernetes.io%2Fservice-name%3D${name}`).items;
const addresses = (name: string): string[] =>
  slices(name).flatMap((slice) => slice.endpoints.flatMap((endpoint: any) => endpoint.addresses));

test("a Service has its pods that run, those that are ready apart", () => {
  service("s", {}, { team: "blue" });
  pod("ready", "10.0.0.1");
  pod("starting", "10.0.0.2", {}, "False");
  pod("over", "10.0.0.3");
  setStatus("over", { phase: "Succeeded" });
  h.createPod("without-address", {}, { labels: { app: "a" } });
  h.createPod("other", {}, { labels: { app: "b" } });
  settle();
  const ref = (name: string): object => ({ kind: "Pod", namespace: "default", name, uid: h.pod(name).metadata.uid });
  expect(endpoints("s").metadata.labels).toEqual({
    "team": "blue",
    "endpoints.kubernetes.io/managed-by": "endpoint-controller",
  });
  expect(endpoints("s").subsets).toEqual([
    {
      addresses: [{ ip: "10.0.0.1", nodeName: "n1", targetRef: ref("ready") }],
      notReadyAddresses: [{ ip: "10.0.0.2", nodeName: "n1", targetRef: ref("starting") }],
      ports: [{ port: 8080, protocol: "TCP" }],
    },
  ]);
  expect(slices("s")).toMatchObject([
    {
      metadata: {
        labels: {
          "team": "blue",
          "kubernetes.io/service-name": "s",
          "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        },
        ownerReferences: [{ kind: "Service", name: "s", controller: true }],
      },
      addressType: "IPv4",
      ports: [{ name: "", port: 8080, protocol: "TCP" }],
      endpoints: [
        { addresses: ["10.0.0.1"], conditions: { ready: true, serving: true, terminating: false } },
        { addresses: ["10.0.0.2"], conditions: { ready: false, serving: false, terminating: false } },
      ],
    },
  ]);
});

test("a Service follows its pods and its own selector", () => {
  service("s");
  expect(slices("s")).toMatchObject([{ endpoints: [], ports: [] }]);
  pod("p", "10.0.0.1");
  expect(addresses("s")).toEqual(["10.0.0.1"]);
  h.api("PATCH", `${NAMESPACE}/pods/p`, { metadata: { labels: { app: "b" } } }, MERGE);
  settle();
  expect(addresses("s")).toEqual([]);
  h.api("PATCH", `${NAMESPACE}/services/s`, { spec: { selector: { app: "b" } } }, MERGE);
  settle();
  expect(addresses("s")).toEqual(["10.0.0.1"]);
});

test("ports by name are those of each pod", () => {
  service("s", {
    ports: [
      { name: "web", port: 80, targetPort: "http" },
      { name: "raw", port: 9, targetPort: 9 },
    ],
  });
  const named = (containerPort: number): object => ({
    containers: [{ name: "c", image: "i", ports: [{ name: "http", containerPort, protocol: "TCP" }] }],
  });
  pod("one", "10.0.0.1", named(8001));
  pod("two", "10.0.0.2", named(8002));
  pod("without", "10.0.0.3");
  const shape = (port: any): string => `${port.name}:${port.port}`;
  expect(
    slices("s")
      .map(({ ports }) => ports.map(shape))
      .sort(),
  ).toEqual([["raw:9"], ["web:8001", "raw:9"], ["web:8002", "raw:9"]]);
  expect(
    endpoints("s").subsets.map(({ addresses: list, ports }: any) => [list.map(({ ip }: any) => ip), ports.map(shape)]),
  ).toEqual([
    [["10.0.0.1"], ["web:8001"]],
    [["10.0.0.1", "10.0.0.2", "10.0.0.3"], ["raw:9"]],
    [["10.0.0.2"], ["web:8002"]],
  ]);
});

test("a headless Service may have no ports, names its pods, and can list those that are not ready", () => {
  service("s", { clusterIP: "None", ports: undefined, publishNotReadyAddresses: true });
  pod("p", "10.0.0.1", { hostname: "first", subdomain: "s" }, "False");
  expect(endpoints("s")).toMatchObject({
    metadata: { labels: { "service.kubernetes.io/headless": "" } },
    subsets: [{ addresses: [{ ip: "10.0.0.1", hostname: "first" }] }],
  });
  expect(slices("s")).toMatchObject([
    { ports: [], endpoints: [{ hostname: "first", conditions: { ready: true, serving: false } }] },
  ]);
});

test("a slice has a hundred endpoints at most", () => {
  service("s");
  for (let index = 0; index < 101; index++) pod(`p-${index}`, `10.0.1.${index}`);
  expect(
    slices("s")
      .map((slice) => slice.endpoints.length)
      .sort(),
  ).toEqual([1, 100]);
  h.api("DELETE", `${NAMESPACE}/pods/p-7`, { gracePeriodSeconds: 0 });
  settle();
  expect(slices("s").map((slice) => slice.endpoints.length)).toEqual([100]);
});

test("Endpoints go with their Service, and those of others stay", () => {
  service("s");
  h.api("POST", `${NAMESPACE}/endpoints`, { metadata: { name: "mine" } });
  service("mine", { selector: undefined });
  h.api("DELETE", `${NAMESPACE}/services/s`);
  h.api("DELETE", `${NAMESPACE}/services/mine`);
  settle();
  expect(h.answer("GET", `${NAMESPACE}/endpoints/s`).status).toBe(404);
  expect(h.answer("GET", `${NAMESPACE}/endpoints/mine`).status).toBe(200);
  expect(slices("mine")).toEqual([]);
});

test("what the server refuses at first is written later", () => {
  h.fault = ({ method }) => (method === "POST" ? failure(500, "InternalError") : undefined);
  service("s");
  h.fault = () => undefined;
  h.clock.advance(60_000);
  expect(slices("s")).toHaveLength(1);
});
