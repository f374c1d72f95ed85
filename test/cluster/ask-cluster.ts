/** Asks an in-memory cluster as a client of a real API server does, for tests that compare the two. */
import type { Method } from "../../bindings/js/host.ts";
import type { Cluster } from "../../cluster/cluster.ts";

/** As the client of a real server has it: test/kubernetes/api-client.ts. */
export interface ClusterAnswer<Body> {
  readonly status: number;
  readonly body: Body;
  readonly warnings: readonly string[];
}

/**
 * One request.
 * @param body an object to be sent as JSON, or the text itself
 * @throws Error for a request that is answered with a stream
 */
export function askCluster<Body>(
  cluster: Pick<Cluster, "handle">,
  method: Method,
  path: string,
  body?: object | string,
  contentType = "application/json",
  accept = "application/json",
): ClusterAnswer<Body> {
  const headers = { "content-type": contentType, accept };
  const text = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = cluster.handle({ method, path, headers, ...text });
  if (!("body" in response)) throw new Error(`${method} ${path} is answered with a stream`);
  const warnings = [response.headers["warning"] ?? []].flat() as readonly string[];
  return { status: response.status, body: JSON.parse(String(response.body)) as Body, warnings };
}
