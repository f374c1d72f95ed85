/**
 * Endpoints and EndpointSlices of a real API server with upstream's controllers, and of the in-memory one with Stint's.
 * Nothing runs the pods: the test says where they are and that they are ready.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpointsController } from "../../cluster/controllers/endpoints-controller/endpoints-controller.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { BothServers, type Side } from "./both-servers.ts";
import { startUpstreamController } from "./upstream-controller.ts";

const DEFAULT = "/api/v1/namespaces/default";
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

describe.skipIf(whyUnavailable() !== undefined)("endpoints of both", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await BothServers.start();
    await startUpstreamController(servers.controlPlane, {
      controllers: ["endpoints-controller", "endpointslice-controller", "garbage-collector-controller"],
    });
    const { clock, cluster } = servers;
    endpointsController({ clock, random: Math.random, transport: cluster.transport }).start();
    // Upstream leaves out pods whose node is not there.
    await servers.both(({ ask }) => ask({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name: "n1" } } }));
  });
  afterAll(() => servers?.stop());

  it("have the pods that run, with numbered ports", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      await service(side, "plain", { ports: [{ port: 80, targetPort: 8080 }] });
      await pod(side, "plain-0", "plain", "10.0.0.1");
      await pod(side, "plain-1", "plain", "10.0.0.2", { ready: "False" });
      await pod(side, "plain-2", "plain", "10.0.0.3", { phase: "Succeeded" });
      return settled(side, "plain", 2);
    });
    expect(stint).toEqual(upstream);
  });

  it("have the ports that each pod gives a name", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      const named = { name: "web", port: 80, targetPort: "http", appProtocol: "example.com/p" };
      await service(side, "named", { ports: [named, { name: "raw", port: 9, protocol: "UDP" }] });
      const withPort = (containerPort: number): object => ({ ports: [{ name: "http", containerPort }] });
      await pod(side, "named-0", "named", "10.0.1.1", { container: withPort(8001) });
      await pod(side, "named-1", "named", "10.0.1.2", { container: withPort(8002) });
      await pod(side, "named-2", "named", "10.0.1.3");
      return settled(side, "named", 3);
    });
    expect(stint).toEqual(upstream);
  });

  it("of a headless Service have host names, and pods that are not ready if they may", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      await service(side, "headless", { clusterIP: "None", publishNotReadyAddresses: true });
      const more = { ready: "False", spec: { hostname: "first", subdomain: "headless" } };
      await pod(side, "headless-0", "headless", "10.0.2.1", more);
      await pod(side, "headless-1", "headless", "10.0.2.2");
      return settled(side, "headless", 2);
    });
    expect(stint).toEqual(upstream);
  });

  it("are there when no pod is, and go with the Service", async () => {
    const { upstream, stint } = await servers.both(async (side) => {
      await service(side, "empty", { ports: [{ port: 80 }] });
      const seen = await settled(side, "empty", 0);
      await side.ask({ method: "DELETE", path: `${DEFAULT}/services/empty` });
      await side.until(
        async () => (await side.ask({ method: "GET", path: `${DEFAULT}/endpoints/empty` })).status === 404,
      );
      return seen;
    });
    expect(stint).toEqual(upstream);
  });
});

async function service({ ask }: Side, name: string, spec: object): Promise<void> {
  const body = { metadata: { name, labels: { team: "blue" } }, spec: { selector: { app: name }, ...spec } };
  expect((await ask({ method: "POST", path: `${DEFAULT}/services`, body })).status).toBe(201);
}

async function pod(
  { ask }: Side,
  name: string,
  app: string,
  ip: string,
  { ready = "True", phase = "Running", spec = {}, container = {} } = {},
): Promise<void> {
  const containers = [{ name: "c", image: "example.com/i:1", ...container }];
  const body = { metadata: { name, labels: { app } }, spec: { nodeName: "n1", containers, ...spec } };
  expect((await ask({ method: "POST", path: `${DEFAULT}/pods`, body })).status).toBe(201);
  const conditions = [{ type: "Ready", status: ready }];
  const status = { podIP: ip, podIPs: [{ ip }], phase, conditions };
  const answer = await ask({ method: "PATCH", path: `${DEFAULT}/pods/${name}/status`, body: { status } });
  expect(answer.status).toBe(200);
}

/** What both kinds say once they have this many addresses, in an order that is the same each time. */
async function settled(side: Side, name: string, count: number): Promise<unknown> {
  await side.until(async () => {
    const { endpoints, slices } = await read(side, name);
    const listed = new Set(
      (endpoints?.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [] }: any) =>
        [...addresses, ...notReadyAddresses].map(({ ip }: any) => ip),
      ),
    );
    const sliced = slices.flatMap((slice: any) => slice.endpoints ?? []);
    return endpoints !== undefined && slices.length > 0 && listed.size === count && sliced.length === count;
  });
  const { endpoints, slices } = await read(side, name);
  return {
    endpoints: { labels: endpoints.metadata.labels, subsets: ordered(endpoints.subsets ?? []) },
    slices: ordered(
      slices.map(({ metadata, addressType, ports, endpoints: list }: any) => ({
        labels: metadata.labels,
        owners: metadata.ownerReferences,
        addressType,
        ports: ordered(ports ?? []),
        endpoints: ordered(list ?? []),
      })),
    ),
  };
}

async function read({ ask }: Side, name: string): Promise<{ endpoints: any; slices: any[] }> {
  const endpoints = await ask({ method: "GET", path: `${DEFAULT}/endpoints/${name}` });
  const slices = await ask({ method: "GET", path: `${SLICES}?labelSelector=kubernetes.io/service-name=${name}` });
  return { endpoints: endpoints.status === 200 ? endpoints.body : undefined, slices: slices.body.items };
}

/** Lists of addresses and ports have no order of their own. */
function ordered(list: readonly any[]): any[] {
  const withParts = list.map((item) =>
    Object.fromEntries(
      Object.entries(item).map(([key, value]) => [
        key,
        Array.isArray(value) && typeof value[0] === "object" ? ordered(value) : value,
      ]),
    ),
  );
  return withParts.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

/** With members in one order, and without what is drawn. */
function textOf(value: object): string {
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))).replaceAll(/"uid":"[^"]*"/g, "");
}
