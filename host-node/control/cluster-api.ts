/**
 * The API of a test cluster, for its controls. Reads are immediate; webhooks review writes as they do those of any
 * client. A refusal becomes an error with the words of the API server.
 */
import type { ApiResponse, Method } from "../../bindings/js/host.ts";
import type { PathOf } from "../../cluster/client/client.ts";
import { textOf } from "../../cluster/values/text.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { KubeObject } from "../../cluster/values/types.ts";

/** The API server has refused a request. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  /** Status of HTTP. */
  readonly status: number;
  /** The answer. */
  readonly body: string;

  constructor(what: string, status: number, body: string) {
    super(`${what} was refused with status ${status}: ${messageOf(body)}`);
    this.status = status;
    this.body = body;
  }
}

export class ClusterApi {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** @throws RefusedError, also where there is no such object */
  get<T = KubeObject>(path: PathOf<T>): T {
    const answer = this.#read(path);
    if (answer.status !== 200) throw new RefusedError(`GET ${path}`, answer.status, textOf(answer.body));
    return JSON.parse(textOf(answer.body)) as T;
  }

  /** Undefined: there is no such object. @throws RefusedError */
  find<T = KubeObject>(path: PathOf<T>): T | undefined {
    return this.#read(path).status === 404 ? undefined : this.get(path);
  }

  /** @throws RefusedError */
  list<T = KubeObject>(path: PathOf<T>): T[] {
    return (this.get(path) as unknown as { items: T[] }).items;
  }

  /** @returns the answer. @throws RefusedError */
  async write(method: Method, path: string, body: object, contentType = "application/json"): Promise<KubeObject> {
    const { promise, resolve } = Promise.withResolvers<ApiResponse>();
    const headers = { "accept": "application/json", "content-type": contentType, "user-agent": "stint" };
    this.#cluster.transport.send({ method, path, headers, body: JSON.stringify(body) }, resolve);
    const { status, body: answer } = await promise;
    const text = textOf(answer);
    if (status < 200 || status > 299) throw new RefusedError(`${method} ${path}`, status, text);
    return JSON.parse(text) as KubeObject;
  }

  #read(path: string): ApiResponse {
    const answer = this.#cluster.handle({ method: "GET", path, headers: { accept: "application/json" } });
    if (!("body" in answer)) throw new Error(`GET ${path} is answered with a stream`);
    return answer;
  }
}

function messageOf(body: string): string {
  try {
    return (JSON.parse(body) as { readonly message: string }).message;
  } catch {
    return body;
  }
}
