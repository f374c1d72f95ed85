/**
 * The requests that a user makes with kubectl, as calls: the API server of a world answers them synchronously. A
 * refusal is a value, in the server's own words.
 */
import type { Method } from "../../bindings/js/host.ts";
import { textOf } from "../values/text.ts";
import { errorOf, type PathOf } from "../client/client.ts";
import type { BareCluster } from "../bare-cluster.ts";
import type { KubeObject } from "../values/types.ts";

const USER_AGENT = "kubectl/v1.37.0 (linux/amd64) kubernetes";

/** Of an object, or of a list of such objects. */
export type Answer<T = KubeObject> =
  | { readonly ok: true; readonly object: T & { readonly items?: readonly T[] } }
  | { readonly ok: false; readonly status: number; readonly message: string; readonly body: string };

export class Api {
  readonly cluster: BareCluster;

  constructor(cluster: BareCluster) {
    this.cluster = cluster;
  }

  get<T = KubeObject>(path: PathOf<T>): Answer<T> {
    return this.#send("GET", path) as Answer<T>;
  }

  create(path: string, body: object): Answer {
    return this.#send("POST", path, body);
  }

  mergePatch(path: string, body: object): Answer {
    return this.#send("PATCH", path, body, "application/merge-patch+json");
  }

  /** As kubectl deletes: dependents follow in the background. */
  delete(path: string, options: object = {}): Answer {
    return this.#send("DELETE", path, { propagationPolicy: "Background", ...options });
  }

  #send(method: Method, path: string, body?: object, contentType = "application/json"): Answer {
    const headers: Record<string, string> = { accept: "application/json", "user-agent": USER_AGENT };
    if (body !== undefined) headers["content-type"] = contentType;
    const response = this.cluster.handle({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!("body" in response)) throw new Error(`the answer to ${method} ${path} is a stream`);
    const { status } = response;
    const text = textOf(response.body);
    if (status >= 200 && status <= 299) return { ok: true, object: JSON.parse(text) as KubeObject };
    return { ok: false, status, message: errorOf(response).message, body: text };
  }
}
