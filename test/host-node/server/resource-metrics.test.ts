/** metrics.k8s.io: which pods are in an answer, and in which form. */
import { expect, test } from "vitest";
import { metricsResources } from "../../../cluster/apiserver/registry/more-resources/metrics.ts";
import { failure } from "../../../cluster/apiserver/contract/status-errors.ts";
import type { ApiResponse } from "../../../bindings/js/host.ts";
import type { ClusterOptions } from "../../../cluster/index.ts";
import type { Usage } from "../../../host-node/runtime/usage.ts";
import { withResourceMetrics } from "../../../host-node/server/resource-metrics.ts";
import { Harness } from "../../cluster/apiserver/harness.ts";

const ROOT = "/apis/metrics.k8s.io/v1beta1";
const usage: Usage = {
  nanoCores: 1_500_000_000,
  bytes: 3_000_001,
  atMs: Date.parse("2026-01-02T03:04:05.678Z"),
  windowMs: 15_003,
};
const measured = { timestamp: "2026-01-02T03:04:05Z", window: "15.003s" };
const quantities = { cpu: "1500000000n", memory: "2930Ki" };

/** Pods `a` and `b`, of which only `a` runs, and a node. */
function served(options: Partial<ClusterOptions> = {}): (path: string) => { status: number; body: any } {
  const harness = new Harness(options);
  harness.cluster.serve(metricsResources);
  const uids = ["a", "b"].map((name) => {
    const pod = { metadata: { name, labels: { app: name } }, spec: { containers: [{ name: "main", image: "none" }] } };
    return harness.post("/api/v1/namespaces/default/pods", pod).body.metadata.uid as string;
  });
  harness.post("/api/v1/nodes", { metadata: { name: "n" } });
  const handler = withResourceMetrics(harness.cluster, {
    usages: () => new Map([[uids[0]!, new Map([["main", usage]])]]),
    usageOfMachine: () => usage,
  });
  return (path) => {
    const { status, body } = handler.handle({ method: "GET", path, headers: {} }) as ApiResponse;
    return { status, body: JSON.parse(String(body)) };
  };
}

test("the discovery has them", () => {
  expect(served()(ROOT).body.resources).toEqual([
    { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
    { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
  ]);
});

test("a pod that runs has metrics for each container", () => {
  const { status, body } = served()(`${ROOT}/namespaces/default/pods/a`);
  expect(status).toBe(200);
  expect(body).toEqual({
    kind: "PodMetrics",
    apiVersion: "metrics.k8s.io/v1beta1",
    ...measured,
    metadata: { name: "a", namespace: "default", creationTimestamp: measured.timestamp, labels: { app: "a" } },
    containers: [{ name: "main", usage: quantities }],
  });
});

test("a list has the pods that run and are chosen", () => {
  const get = served();
  const namesIn = (path: string): string[] =>
    get(path).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  expect(namesIn(`${ROOT}/pods`)).toEqual(["a"]);
  expect(namesIn(`${ROOT}/namespaces/default/pods?labelSelector=app%3Da&limit=500`)).toEqual(["a"]);
  expect(namesIn(`${ROOT}/namespaces/default/pods?labelSelector=app%3Db`)).toEqual([]);
  expect(namesIn(`${ROOT}/namespaces/other/pods`)).toEqual([]);
  expect(get(`${ROOT}/pods`).body).toMatchObject({ kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1beta1" });
});

test("a node has those of the machine", () => {
  const get = served();
  expect(get(`${ROOT}/nodes/n`).body).toMatchObject({
    kind: "NodeMetrics",
    metadata: { name: "n" },
    usage: quantities,
  });
  expect(get(`${ROOT}/nodes`).body).toMatchObject({ kind: "NodeMetricsList", items: [{ usage: quantities }] });
});

test.each(["b", "none"])("pod %s, of which nothing runs, is not found", (name) => {
  expect(served()(`${ROOT}/namespaces/default/pods/${name}`)).toMatchObject({
    status: 404,
    body: { message: `pods.metrics.k8s.io "${name}" not found` },
  });
});

test("who may not read them is refused", () => {
  const authorize: ClusterOptions["authorize"] = (request) => {
    if (request.path.startsWith(ROOT)) throw failure({ code: 403, reason: "Forbidden", message: "not you" });
    return request;
  };
  expect(served({ authorize })(`${ROOT}/pods`).status).toBe(403);
});
