/**
 * `metrics.k8s.io/v1beta1`, which `kubectl top` reads: the resource use of the containers and of the machine, in front
 * of the other handlers. Served only where containers are real.
 *
 * Invariant: the API server is asked first, with the request as it is, so that it refuses what it would refuse. Then it
 * is asked for the selected pods or nodes, so that names and selectors mean the same as there. Only those that were
 * measured are in the answer. Leaves out tables, which clients make themselves.
 */
import type { ApiRequest, ApiResponse } from "../../bindings/js/host.ts";
import { METRICS_API_VERSION } from "../../cluster/apiserver/registry/more-resources/metrics.ts";
import type { ObjectMeta, TypedObject } from "../../cluster/values/types.ts";
import type { Usage } from "../runtime/usage.ts";
import type { RequestHandler } from "./https-server.ts";

const PATH = new RegExp(`^/apis/${METRICS_API_VERSION}(/(?:namespaces/[^/?]+/)?(pods|nodes)(?:/([^/?]+))?)(\\?.*)?$`);

/** Measured values. */
export interface Usages {
  /** By the uids of pods and the names of their containers. */
  usages(): ReadonlyMap<string, ReadonlyMap<string, Usage>>;
  /** Of the one node. */
  usageOfMachine(): Usage | undefined;
}

/** Adds these resources to a handler. */
export function withResourceMetrics(handler: RequestHandler, usages: Usages): RequestHandler {
  return {
    handle: (request) => {
      const [, path, resource, name, query = ""] = PATH.exec(request.path) ?? [];
      if (path === undefined || request.method !== "GET") return handler.handle(request);
      const allowed = handler.handle(request);
      const isEmpty = allowed.status === 200 || (allowed.status === 404 && name !== undefined);
      if (!isEmpty || !("body" in allowed)) return allowed;
      const listed = handler.handle(plainGet(`/api/v1${path}${selectorsOf(query)}`)) as ApiResponse;
      if (listed.status !== 200) return name === undefined ? listed : allowed;
      const found = JSON.parse(Buffer.from(listed.body as string).toString()) as TypedObject & {
        readonly items: readonly TypedObject[];
      };
      const objects = name === undefined ? found.items : [found];
      const items = resource === "nodes" ? nodeMetrics(objects, usages) : podMetrics(objects, usages);
      if (name !== undefined) return items[0] === undefined ? allowed : answer(items[0]);
      const kind = resource === "nodes" ? "NodeMetricsList" : "PodMetricsList";
      return answer({ kind, apiVersion: METRICS_API_VERSION, metadata: {}, items });
    },
  };
}

function podMetrics(pods: readonly TypedObject[], usages: Usages): object[] {
  const measured = usages.usages();
  return pods.flatMap(({ metadata }) => {
    const containers = [...(measured.get(metadata.uid) ?? [])];
    const [first] = containers;
    if (first === undefined) return [];
    return [{ ...head("PodMetrics", metadata, first[1]), containers: containers.map(containerMetrics) }];
  });
}

function containerMetrics([name, usage]: [string, Usage]): object {
  return { name, usage: quantities(usage) };
}

function nodeMetrics(nodes: readonly TypedObject[], usages: Usages): object[] {
  const usage = usages.usageOfMachine();
  return usage === undefined
    ? []
    : nodes.map(({ metadata }) => ({ ...head("NodeMetrics", metadata, usage), usage: quantities(usage) }));
}

function head(kind: string, { name, namespace, labels }: ObjectMeta, { atMs, windowMs }: Usage): object {
  const time = new Date(atMs).toISOString().replace(/\.\d+/, "");
  const metadata = { name, ...(namespace && { namespace }), creationTimestamp: time, ...(labels && { labels }) };
  return { kind, apiVersion: METRICS_API_VERSION, metadata, timestamp: time, window: `${windowMs / 1000}s` };
}

function quantities({ nanoCores, bytes }: Usage): object {
  return { cpu: `${nanoCores}n`, memory: `${Math.ceil(bytes / 1024)}Ki` };
}

/** Only the selectors: a limit would cut the list before the running ones are known. */
function selectorsOf(query: string): string {
  const given = new URLSearchParams(query);
  const kept = new URLSearchParams();
  for (const name of ["labelSelector", "fieldSelector"]) for (const text of given.getAll(name)) kept.append(name, text);
  return kept.size === 0 ? "" : `?${kept.toString()}`;
}

function plainGet(path: string): ApiRequest {
  return { method: "GET", path, headers: { accept: "application/json" } };
}

function answer(object: object): ApiResponse {
  const headers = { "content-type": "application/json", "cache-control": "no-cache, private" };
  return { status: 200, headers, body: `${JSON.stringify(object)}\n` };
}
