/**
 * A whole cluster in the process of a test: everything of controls.ts, manifests, clients, and its Jobs by name.
 *
 * Invariant: nothing listens on a port until a test asks for a kubeconfig, and rarely needed code is loaded lazily.
 */
import type { KubeObject } from "../../cluster/values/types.ts";
import { ClusterApi } from "../control/cluster-api.ts";
import type { ClusterCore } from "./cluster-core.ts";
import { ControlError } from "../control/control-error.ts";
import { ClusterControls, type Limit } from "../control/controls.ts";
import { type ApiClass, inProcessClient } from "./in-process-client.ts";
import { type PodControls, type PodFilter } from "../control/pods.ts";
import { findJob, jobName, type ObjectName } from "../control/targets.ts";
import type { ServedCluster } from "./served-cluster.ts";

export class TestCluster extends ClusterControls implements AsyncDisposable {
  readonly #core: ClusterCore;
  readonly #api: ClusterApi;
  #served: Promise<ServedCluster> | undefined;
  readonly #onStop: (cluster: TestCluster) => void;
  #isStopped = false;

  /** Use `startCluster` (start-cluster.ts). */
  constructor(core: ClusterCore, onStop: (cluster: TestCluster) => void) {
    super(core.options);
    this.#core = core;
    this.#onStop = onStop;
    this.#api = new ClusterApi(core.embedded.cluster);
  }

  /**
   * Applies YAML, or objects, as `kubectl apply --server-side` does, and runs everything that is due. @returns the
   * objects in their states after that. @throws InputError with the place of each mistake
   */
  async apply(manifests: string | object | readonly object[]): Promise<readonly KubeObject[]> {
    this.#checkLive();
    const text = typeof manifests === "string" ? manifests : textOf(manifests);
    const { applyManifests } = await import("./apply.ts");
    return applyManifests(this.#api, text, () => this.settle());
  }

  /** An API class of the package @kubernetes/client-node, such as BatchV1Api, over this cluster, without a port. */
  client<Api>(ofClass: ApiClass<Api>): Api {
    this.#checkLive();
    return inProcessClient(this.#core.embedded.cluster, ofClass);
  }

  /** Whether the cluster runs the Jobs. */
  get hasController(): boolean {
    return this.#core.embedded.hasController;
  }

  /** The object, or list, at a path of the API: `/api/v1/pods`. Undefined: there is none. @throws RefusedError */
  find(path: string): KubeObject | undefined {
    return this.#api.find(path);
  }

  /** A kubeconfig for clients of any kind. The first call opens a port of 127.0.0.1. @returns YAML */
  async kubeconfig(): Promise<string> {
    this.#checkLive();
    this.#served ??= import("./served-cluster.ts").then(({ serveCluster }) =>
      serveCluster(
        this.#core.embedded,
        () => this.now(),
        (error) => console.error(`stint: a request failed: ${error.stack ?? error.message}`),
      ),
    );
    return (await this.#served).kubeconfig;
  }

  /** `pi`, `team-a/pi`. The Job need not exist yet. @throws ControlError 400 */
  job(name: string): JobHandle {
    return new JobHandle(this, this.#api, jobName(name));
  }

  /** Ends everything at once. The recording stays. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#onStop(this);
    await (await this.#served)?.close();
    this.#core.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #checkLive(): void {
    if (this.#isStopped) throw new ControlError(409, "this cluster was stopped; start another one");
  }
}

/** A Job of a cluster, by its name. */
export class JobHandle implements ObjectName {
  readonly cluster: TestCluster;
  readonly namespace: string;
  readonly name: string;
  readonly #api: ClusterApi;

  constructor(cluster: TestCluster, api: ClusterApi, { namespace, name }: ObjectName) {
    this.cluster = cluster;
    this.#api = api;
    this.namespace = namespace;
    this.name = name;
  }

  /** The present object. @throws ControlError 404 */
  get(): KubeObject {
    return findJob(this.#api, this);
  }

  /** @throws ControlError 404 */
  why(): string {
    return this.cluster.why(`${this.namespace}/job/${this.name}`);
  }

  pods(filter?: PodFilter): PodControls {
    return this.cluster.pods(`${this.namespace}/job/${this.name}`, filter);
  }

  /** Moves time until the condition is true. @throws ControlError when the limit comes first, or it cannot come */
  until(condition: string, limit?: Limit): Promise<number> {
    return this.cluster.until({ job: `${this.namespace}/job/${this.name}`, condition }, limit);
  }
}

function textOf(objects: object | readonly object[]): string {
  return (Array.isArray(objects) ? objects : [objects]).map((object) => JSON.stringify(object)).join("\n---\n");
}
