/**
 * A small client of the Kubernetes API for the cluster's own components: JSON objects in and out over a Transport.
 *
 * Invariant: every request gets exactly one callback, and a failure is a value (ApiError), never an exception. At most
 * `maxInFlight` requests are under way; the rest wait in the order in which they were made. Leaves out retries: whether
 * a second try is right depends on the request, so the caller decides (`isRetryable`).
 */
import type { ApiResponse, Method, StreamSink, Transport } from "../../bindings/js/host.ts";
import type { ServerRequest } from "../apiserver/contract/context.ts";
import { textOf } from "../values/text.ts";
import type { WatchEventType } from "../apiserver/verbs/watch.ts";
import { isLocal, type ObjectSink } from "./in-memory-transport.ts";
import { LineSplitter } from "../values/line-splitter.ts";
import { memoize } from "../values/memoize.ts";
import type * as kinds from "../values/kinds.ts";
import type { JsonObject, KubeObject, TypedObject } from "../values/types.ts";

/** The most requests in flight from one client. A real API server's share for one client is of this order. */
export const DEFAULT_MAX_IN_FLIGHT = 64;

/** Gives a value the type of the objects behind it, which only the compiler knows. */
declare const objects: unique symbol;

/** A kind of object, where the API serves it, and the type of what it serves there. */
export interface ApiResource<T extends TypedObject = KubeObject> {
  readonly [objects]?: T;
  /** `v1`, `batch/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export const PODS: ApiResource<kinds.Pod> = { apiVersion: "v1", kind: "Pod", plural: "pods", namespaced: true };
export const NODES: ApiResource<kinds.Node> = { apiVersion: "v1", kind: "Node", plural: "nodes", namespaced: false };
export const EVENTS: ApiResource<kinds.Event> = { apiVersion: "v1", kind: "Event", plural: "events", namespaced: true };
export const CONFIG_MAPS: ApiResource<kinds.ConfigMap> = {
  apiVersion: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};
export const SECRETS: ApiResource<kinds.Secret> = {
  apiVersion: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
};
export const RESOURCE_QUOTAS: ApiResource<kinds.ResourceQuota> = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  namespaced: true,
};
export const NAMESPACES: ApiResource<kinds.Namespace> = {
  apiVersion: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};
export const SERVICE_ACCOUNTS: ApiResource<kinds.ServiceAccount> = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  namespaced: true,
};
export const DISRUPTION_BUDGETS: ApiResource<kinds.PodDisruptionBudget> = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
};
export const REPLICATION_CONTROLLERS: ApiResource<kinds.ReplicationController> = {
  apiVersion: "v1",
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  namespaced: true,
};
export const DEPLOYMENTS: ApiResource<kinds.Deployment> = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};
export const REPLICA_SETS: ApiResource<kinds.ReplicaSet> = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  plural: "replicasets",
  namespaced: true,
};
export const STATEFUL_SETS: ApiResource<kinds.StatefulSet> = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  plural: "statefulsets",
  namespaced: true,
};
export const CLAIMS: ApiResource<kinds.PersistentVolumeClaim> = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  namespaced: true,
};
export const VOLUMES: ApiResource<kinds.PersistentVolume> = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  namespaced: false,
};
export const STORAGE_CLASSES: ApiResource<kinds.StorageClass> = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  plural: "storageclasses",
  namespaced: false,
};
export const SERVICES: ApiResource<kinds.Service> = {
  apiVersion: "v1",
  kind: "Service",
  plural: "services",
  namespaced: true,
};
export const ENDPOINTS: ApiResource<kinds.Endpoints> = {
  apiVersion: "v1",
  kind: "Endpoints",
  plural: "endpoints",
  namespaced: true,
};
export const ENDPOINT_SLICES: ApiResource<kinds.EndpointSlice> = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  namespaced: true,
};
export const LEASES: ApiResource<kinds.Lease> = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};
export const WORKLOADS: ApiResource<kinds.Workload> = {
  apiVersion: "scheduling.k8s.io/v1beta1",
  kind: "Workload",
  plural: "workloads",
  namespaced: true,
};
export const POD_GROUPS: ApiResource<kinds.PodGroup> = {
  apiVersion: "scheduling.k8s.io/v1beta1",
  kind: "PodGroup",
  plural: "podgroups",
  namespaced: true,
};
export const CRON_JOBS: ApiResource<kinds.CronJob> = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  plural: "cronjobs",
  namespaced: true,
};
export const JOBS: ApiResource<kinds.Job> = { apiVersion: "batch/v1", kind: "Job", plural: "jobs", namespaced: true };

/** The type of the objects of a resource. */
export type ObjectOf<Resource> = Resource extends ApiResource<infer T> ? T : never;

/** A path, with the type of the objects at it. A path that is only a string has objects of any kind. */
export type PathOf<T> = string & { readonly [objects]?: T };

/** Path of a collection, an object or a subresource: `/apis/batch/v1/namespaces/default/jobs/pi/status`. */
export function resourcePath<Resource extends ApiResource>(
  resource: Resource,
  namespace?: string,
  name?: string,
  subresource?: string,
): PathOf<ObjectOf<Resource>> {
  let path = collectionPath(resource, namespace);
  if (name !== undefined) path += `/${needsNoEscape.test(name) ? name : encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

const collectionPath = memoize(
  ({ apiVersion, plural, namespaced }: ApiResource, namespace: string | undefined): string => {
    const root = apiVersion.includes("/") ? "/apis/" : "/api/";
    const inNamespace = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
    return `${root}${apiVersion}${inNamespace}/${plural}`;
  },
);

/** Nearly all names match this. */
const needsNoEscape = /^[-.a-z0-9]*$/;

/** A path with its query; parameters that are undefined are left out. */
export function withQuery<Path extends string>(
  path: Path,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): Path {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? path : (`${path}?${pairs.join("&")}` as Path);
}

/** A request that did not succeed. */
export interface ApiError {
  /** HTTP status; 0: no answer was read and the outcome is unknown. */
  readonly status: number;
  /** `reason` of the Status: `NotFound`, `Conflict`, `AlreadyExists`, `Expired`…; "" if the answer had none. */
  readonly reason: string;
  readonly message: string;
  /** The server's Retry-After; 0: none. */
  readonly retryAfterMs: number;
}

/** Outcome of a request whose answer is read. */
export type ApiResult<T = KubeObject> = { readonly ok: true; readonly value: T } | ApiFailure;

/** Outcome of a write. The answer is not read, because the watch shows the result anyway. */
export type WriteResult = { readonly ok: true } | ApiFailure;

export interface ApiFailure {
  readonly ok: false;
  readonly error: ApiError;
}

export interface KubeList<T = KubeObject> {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

export type PatchType =
  | "application/merge-patch+json"
  | "application/strategic-merge-patch+json"
  | "application/json-patch+json";

/** A DeleteOptions body. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Whether the same request may succeed later: no answer, a conflict, throttled, or a fault of the server. */
export function isRetryable(error: ApiError): boolean {
  return error.status === 0 || error.status === 409 || error.status === 429 || error.status >= 500;
}

export interface ApiClientOptions {
  /** Sent as User-Agent; its part before `/` becomes the field manager. */
  readonly userAgent: string;
  /** See DEFAULT_MAX_IN_FLIGHT. */
  readonly maxInFlight?: number;
}

/** Where the events of a watch go. */
export interface WatchSink extends ObjectSink {
  /** The stream had a line that is no event. What followed the last good event is unknown. */
  broken(message: string): void;
}

/** The client of one component. */
export class ApiClient {
  readonly #transport: Transport;
  readonly #userAgent: string;
  readonly #maxInFlight: number;
  #inFlight = 0;
  /**
   * The callers limit its length: each component has at most one request for a pod, node or key at a time. Sent ones
   * are undefined.
   */
  readonly #waiting: ((() => void) | undefined)[] = [];
  #waitingHead = 0;

  constructor(transport: Transport, options: ApiClientOptions) {
    this.#transport = transport;
    this.#userAgent = options.userAgent;
    this.#maxInFlight = options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT;
  }

  get<T = KubeObject>(path: PathOf<T>, done: (result: ApiResult<T>) => void): void {
    this.#send("GET", path, undefined, undefined, (response) => done(resultOf<T>(response)));
  }

  list<T = KubeObject>(path: PathOf<T>, done: (result: ApiResult<KubeList<T>>) => void, accept?: string): void {
    this.#send("GET", path, undefined, undefined, (response) => done(resultOf<KubeList<T>>(response)), accept);
  }

  create(path: string, body: object, done: (result: WriteResult) => void): void {
    this.#send("POST", path, body, "application/json", (response) => done(writeResultOf(response)));
  }

  /** As `create`, and returns the object as it was stored. */
  createAndGet<T = KubeObject>(path: PathOf<T>, body: object, done: (result: ApiResult<T>) => void): void {
    this.#send("POST", path, body, "application/json", (response) => done(resultOf<T>(response)));
  }

  /** As `create`, with a body in written form (ServerRequest.isWritten). */
  createWritten(path: string, body: object, done: (result: WriteResult) => void): void {
    const request = this.#request("POST", path, body, "application/json", "application/json", true);
    this.#sendInTurn(request, (response) => done(writeResultOf(response)));
  }

  update(path: string, body: object, done: (result: WriteResult) => void): void {
    this.#send("PUT", path, body, "application/json", (response) => done(writeResultOf(response)));
  }

  patch(path: string, type: PatchType, patch: object, done: (result: WriteResult) => void): void {
    this.#send("PATCH", path, patch, type, (response) => done(writeResultOf(response)));
  }

  /** As `patch`, a strategic merge patch whose parts are in written form (ServerRequest.isWritten). */
  patchWritten(path: string, patch: object, done: (result: WriteResult) => void): void {
    const type: PatchType = "application/strategic-merge-patch+json";
    const request = this.#request("PATCH", path, patch, type, "application/json", true);
    this.#sendInTurn(request, (response) => done(writeResultOf(response)));
  }

  delete(path: string, options: DeleteOptions, done: (result: WriteResult) => void): void {
    this.#send("DELETE", path, options, "application/json", (response) => done(writeResultOf(response)));
  }

  /** Opens a stream; see Transport.stream. Streams do not count as requests in flight. */
  stream(path: string, sink: StreamSink, accept = "application/json"): () => void {
    return this.#transport.stream(this.#request("GET", path, undefined, undefined, accept), sink);
  }

  /**
   * Opens a watch. The transport passes objects if it can; otherwise lines are parsed here. Call the result to close
   * it.
   */
  watch(path: string, sink: WatchSink, accept = "application/json"): () => void {
    const request = this.#request("GET", path, undefined, undefined, accept);
    if (isLocal(this.#transport)) return this.#transport.watchObjects(request, sink);
    const lines = new LineSplitter((line) => readEvent(line, sink));
    return this.#transport.stream(request, {
      open: () => {},
      data: (chunk) => lines.push(chunk),
      end: (error) => sink.end(error),
    });
  }

  #send(
    method: Method,
    path: string,
    body: object | undefined,
    contentType: string | undefined,
    done: (response: ApiResponse) => void,
    accept = "application/json",
  ): void {
    this.#sendInTurn(this.#request(method, path, body, contentType, accept), done);
  }

  #sendInTurn(request: ServerRequest, done: (response: ApiResponse) => void): void {
    if (this.#inFlight < this.#maxInFlight) this.#start(request, done);
    else this.#waiting.push(() => this.#start(request, done));
  }

  #start(request: ServerRequest, done: (response: ApiResponse) => void): void {
    this.#inFlight++;
    this.#transport.send(request, (response) => {
      this.#inFlight--;
      this.#startWaiting();
      done(response);
    });
  }

  #startWaiting(): void {
    const next = this.#waiting[this.#waitingHead];
    if (next === undefined) return;
    this.#waiting[this.#waitingHead++] = undefined;
    if (this.#waitingHead === this.#waiting.length || this.#waitingHead === 4096) {
      this.#waiting.splice(0, this.#waitingHead);
      this.#waitingHead = 0;
    }
    next();
  }

  #request(
    method: Method,
    path: string,
    body: object | undefined,
    contentType: string | undefined,
    accept: string,
    isWritten = false,
  ): ServerRequest {
    const headers = this.#headers(accept, contentType);
    if (body === undefined) return { method, path, headers, omitsOwners: true };
    return new ObjectRequest(method, path, headers, body as JsonObject, isWritten);
  }

  /** Returns the same object for the same arguments: the headers of a request must not be changed. */
  readonly #headers = memoize((accept: string, contentType: string | undefined): Readonly<Record<string, string>> => ({
    accept,
    "user-agent": this.#userAgent,
    ...(contentType !== undefined && { "content-type": contentType }),
  }));
}

/** A request whose body becomes text only if a transport needs it. */
class ObjectRequest implements ServerRequest {
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: JsonObject;
  readonly isWritten: boolean;
  readonly omitsOwners = true;

  constructor(
    method: Method,
    path: string,
    headers: Readonly<Record<string, string>>,
    content: JsonObject,
    isWritten: boolean,
  ) {
    this.method = method;
    this.path = path;
    this.headers = headers;
    this.content = content;
    this.isWritten = isWritten;
  }

  get body(): string {
    return JSON.stringify(this.content);
  }
}

function readEvent(line: string, sink: WatchSink): void {
  if (line === "") return;
  let event: { type: WatchEventType; object: KubeObject };
  try {
    event = JSON.parse(line);
  } catch (error) {
    sink.broken(`a line of the watch is not JSON: ${String(error)}`);
    return;
  }
  sink.event(event.type, event.object);
}

const written: WriteResult = { ok: true };

function writeResultOf(response: ApiResponse): WriteResult {
  return response.status >= 200 && response.status <= 299 ? written : { ok: false, error: errorOf(response) };
}

function resultOf<T>(response: ApiResponse): ApiResult<T> {
  const outcome = writeResultOf(response);
  if (!outcome.ok) return outcome;
  try {
    return { ok: true, value: JSON.parse(textOf(response.body)) as T };
  } catch (error) {
    return {
      ok: false,
      error: { status: 0, reason: "", message: `the answer is not JSON: ${String(error)}`, retryAfterMs: 0 },
    };
  }
}

/** The error in an error answer. If the body is no Status, as proxies answer, its text becomes the message. */
export function errorOf(response: ApiResponse): ApiError {
  const status = answeredObject(response);
  // A gateway may have added its own header. The first counts, as in client-go.
  const [retryAfter = "0"] = [response.headers["retry-after"]].flat();
  const retryAfterSeconds = Number(retryAfter);
  return {
    status: response.status,
    reason: typeof status.reason === "string" ? status.reason : "",
    message:
      typeof status.message === "string"
        ? status.message
        : textOf(response.body).slice(0, 1024) || `no answer (status ${response.status})`,
    retryAfterMs: retryAfterSeconds > 0 ? retryAfterSeconds * 1000 : 0,
  };
}

/** The JSON object in an answer; empty if there is none. */
export function answeredObject({ body }: ApiResponse): Record<string, any> {
  try {
    const value: unknown = JSON.parse(textOf(body));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
