/**
 * The embedded cluster with a simulated runtime on a virtual clock, and a client that a test is: manifests in, objects
 * out.
 */
import { parseAllDocuments } from "yaml";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { SimulatedRuntime } from "../../cluster/kubelet/simulated-runtime.ts";
import type { VolumeFolders } from "../../cluster/controllers/volume-controller/volume-folders.ts";
import type { DataFolder } from "../../host-node/data/data-folder.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { nodeFor } from "../../host-node/runtime/node.ts";
import { seeded } from "../cluster/component-harness.ts";

const START_MS = Date.UTC(2026, 0, 1);
const KINDS: Readonly<
  Record<string, { readonly prefix: string; readonly plural: string; readonly isNamespaced: boolean }>
> = {
  Job: { prefix: "/apis/batch/v1", plural: "jobs", isNamespaced: true },
  Namespace: { prefix: "/api/v1", plural: "namespaces", isNamespaced: false },
  PriorityClass: { prefix: "/apis/scheduling.k8s.io/v1", plural: "priorityclasses", isNamespaced: false },
  ResourceQuota: { prefix: "/api/v1", plural: "resourcequotas", isNamespaced: true },
  Service: { prefix: "/api/v1", plural: "services", isNamespaced: true },
};

interface VirtualClusterOptions {
  readonly servesClients?: boolean;
  readonly data?: DataFolder;
  readonly volumeFolders?: VolumeFolders;
  readonly seed?: number;
  readonly startMs?: number;
}

export class VirtualCluster {
  readonly clock: VirtualClock;
  readonly #embedded: EmbeddedCluster;

  private constructor(clock: VirtualClock, embedded: EmbeddedCluster) {
    this.clock = clock;
    this.#embedded = embedded;
  }

  /** @param data where it was kept; then give it another seed than the one before, and the time at which that ended */
  static async start(options: VirtualClusterOptions = {}): Promise<VirtualCluster> {
    const { servesClients = false, data, volumeFolders, seed = 1, startMs = START_MS } = options;
    const clock = new VirtualClock(startMs);
    const random = seeded(seed);
    const fail = (error: Error): never => {
      throw error;
    };
    const embedded = await EmbeddedCluster.create({
      clock,
      random,
      servesClients,
      data,
      volumeFolders,
      nodes: [nodeFor(new SimulatedRuntime({ clock, random }), true)],
      onFatal: fail,
      onProblem: (problem) => fail(new Error(problem)),
    });
    embedded.start();
    return new VirtualCluster(clock, embedded);
  }

  whoseToken(token: string): unknown {
    return this.#embedded.authenticate(token);
  }

  stop(): void {
    this.#embedded.stop();
  }

  /** @throws Error with the answer when it is no success */
  api(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): any {
    return JSON.parse(this.#answer(method, path, body, headers));
  }

  /** What is no JSON, such as a log. @throws Error with the answer when it is no success */
  text(path: string): string {
    return this.#answer("GET", path);
  }

  #answer(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): string {
    const response = this.#embedded.cluster.handle({
      method,
      path,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!("body" in response)) throw new Error(`${method} ${path} answers with a stream`);
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.body}`);
    return String(response.body);
  }

  /** Creates the objects of a manifest, in order. @returns the Jobs as stored */
  create(manifest: string): any[] {
    const stored = parseAllDocuments(manifest).map((document) => {
      const object = document.toJS();
      const { prefix, plural, isNamespaced } = KINDS[object.kind]!;
      return this.api(
        "POST",
        `${prefix}/${isNamespaced ? `namespaces/${object.metadata.namespace ?? "default"}/` : ""}${plural}`,
        object,
      );
    });
    return stored.filter(({ kind }) => kind === "Job");
  }

  list(path: string): any[] {
    return this.api("GET", path).items;
  }

  /** Pods of `default`, oldest first. */
  pods(): any[] {
    return this.list("/api/v1/namespaces/default/pods").sort(
      (a, b) => Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp),
    );
  }

  /** Seconds since the start of the cluster. */
  get seconds(): number {
    return (this.clock.now() - START_MS) / 1000;
  }

  /** Lets time pass from timer to timer until `isOver`, or until `limitMs` have passed. */
  runUntil(isOver: () => boolean, limitMs: number): boolean {
    const end = this.clock.now() + limitMs;
    this.clock.runDeferred();
    while (!isOver()) {
      if (this.clock.nextTimerAt() > end || !this.clock.step()) return false;
    }
    return true;
  }
}
