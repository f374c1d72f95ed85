/**
 * The API classes of @kubernetes/client-node over a cluster in this process, without a port. They are the classes of
 * the test's own copy of that package, which only have to be given a configuration.
 *
 * Leaves out watches and other streams, for which that package opens a separate connection: they need a kubeconfig, and
 * without one the error says so.
 */
import { type RequestContext, ResponseContext, ServerConfiguration, wrapHttpLibrary } from "@kubernetes/client-node";
import type { ApiResponse, Method } from "../../bindings/js/host.ts";
import { textOf } from "../../cluster/values/text.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { ControlError } from "../control/control-error.ts";

const NO_CONNECTION =
  "the clients of `client` have no connection, which watches, informers, logs that are followed, exec and the like open; give those a KubeConfig: `const config = new KubeConfig(); config.loadFromString(await cluster.kubeconfig())`";
const ORIGIN = "https://stint.invalid";

/** A class such as BatchV1Api. Its configuration is that of another copy of the package, so it has no type here. */
export type ApiClass<Api> = new (configuration: any) => Api;

/** @throws ControlError 400 for a class that opens connections, at once or on use */
export function inProcessClient<Api>(cluster: Cluster, ofClass: ApiClass<Api>): Api {
  if ("getCurrentCluster" in ofClass.prototype) refuse(); // KubeConfig itself.
  const httpApi = wrapHttpLibrary({ send: (request) => answer(cluster, request) });
  const baseServer = new ServerConfiguration(ORIGIN, {});
  // Watch, Log, Exec and others take a KubeConfig, and ask it for its cluster before they connect to that.
  return new ofClass({ baseServer, httpApi, middleware: [], authMethods: {}, getCurrentCluster: refuse });
}

function refuse(): never {
  throw new ControlError(400, NO_CONNECTION);
}

async function answer(cluster: Cluster, request: RequestContext): Promise<ResponseContext> {
  request.getSignal?.()?.throwIfAborted();
  const url = new URL(request.getUrl());
  if (/^(true|1)$/.test(url.searchParams.get("watch") ?? "")) refuse();
  const { promise, resolve } = Promise.withResolvers<ApiResponse>();
  const body: unknown = request.getBody();
  cluster.transport.send(
    {
      method: request.getHttpMethod() as Method,
      path: url.pathname + url.search,
      headers: lowerCase({ "user-agent": "stint-testing", ...request.getHeaders() }),
      ...(typeof body === "string" ? { body } : {}),
    },
    resolve,
  );
  const { status, headers, body: bytes } = await promise;
  const text = textOf(bytes);
  return new ResponseContext(status, lowerCase(headers), {
    text: () => Promise.resolve(text),
    binary: () => Promise.resolve(Buffer.from(text)),
    stream: () => null,
  });
}

function lowerCase(headers: ApiResponse["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === "string" ? value : value.join(", "),
    ]),
  );
}
