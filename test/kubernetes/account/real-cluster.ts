/**
 * A real API server on which pods of Jobs end in known ways: with upstream's controllers and scheduler, and kubelets of
 * cluster/ that play what the annotation of a pod says. A run has its namespace, and its pods are on a pool of
 * nodes, which it may have for itself. What is seen from outside is kept: the last state of each Job and pod.
 *
 * Leaves out which ways there are (test/account/ways.ts).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Kubelet } from "../../../cluster/kubelet/kubelet.ts";
import { ProbedSimulation } from "../../../cluster/kubelet/probed-simulation.ts";
import type { KubeObject } from "../../../cluster/values/types.ts";
import { RealClock } from "../../../host-node/clock.ts";
import { connect } from "../../../host-node/transport/connect.ts";
import { PRIORITY_CLASSES, URGENT } from "../../account/way.ts";
import type { ApiClient } from "../api-client.ts";
import { hasCondition } from "../conditions.ts";
import { ADMIN, type ControlPlane, startControlPlane } from "../control-plane.ts";
import { startUpstreamController } from "../upstream-controller.ts";
import { startUpstreamScheduler } from "../upstream-scheduler.ts";

const CONTROLLERS = [
  "job-controller",
  "garbage-collector-controller",
  "pod-garbage-collector-controller",
  "node-lifecycle-controller",
  "taint-eviction-controller",
];
/** A node that is silent for this time is lost; one that is lost gets its taint at once. */
const FLAGS = ["--node-monitor-period=1s", "--node-monitor-grace-period=20s", "--node-eviction-rate=100"];
const LEASE_RENEW_INTERVAL_MS = 5000;
const POOL_LABEL = "example.com/pool";
/** By the admission plugin PodNodeSelector all pods of a namespace get these labels to look for. */
const NAMESPACE_SELECTOR = "scheduler.alpha.kubernetes.io/node-selector";
const POLL_MS = 100;
const READY_TIMEOUT_MS = 60_000;
/** 404 and 409 are the daily bread of whoever works beside others. */
const EXPECTED: ReadonlySet<number> = new Set([404, 409]);

interface Node extends KubeObject {
  readonly spec: { readonly taints?: readonly object[] };
}

export class RealCluster {
  readonly controlPlane: ControlPlane;
  readonly client: ApiClient;
  /** Of the admin. kubectl may read it at any time, so nothing writes it once the cluster has started. */
  readonly kubeconfig: string;
  readonly #clock = new RealClock();
  readonly #connection: ReturnType<typeof connect>;
  readonly #kubelets = new Map<string, Kubelet>();
  readonly #watches = new AbortController();
  /** By resource and UID. */
  readonly #last = { jobs: new Map<string, KubeObject>(), pods: new Map<string, KubeObject>() };
  readonly #gone = new Set<string>();
  readonly #changedMs = new Map<string, number>();
  #problem: Error | undefined;

  private constructor(controlPlane: ControlPlane) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.kubeconfig = controlPlane.kubeconfig(ADMIN);
    this.#connection = connect({ clock: this.#clock, kubeconfig: this.kubeconfig, environment: {} });
  }

  /** @throws Error when a part does not start; nothing is left running then */
  static async start(): Promise<RealCluster> {
    const controlPlane = await startControlPlane({ admissionPlugins: ["PodNodeSelector"] });
    const cluster = new RealCluster(controlPlane);
    try {
      void cluster.#watch("pods", "/api/v1/pods");
      void cluster.#watch("jobs", "/apis/batch/v1/jobs");
      await cluster.client.succeed("POST", PRIORITY_CLASSES, URGENT);
      await Promise.all([
        startUpstreamController(controlPlane, { controllers: CONTROLLERS, clientQps: -1, flags: FLAGS }),
        startUpstreamScheduler(controlPlane),
      ]);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Makes nodes for the namespaces of a pool, and waits until they take pods. */
  async addNodes(pool: string, cpu: string): Promise<void> {
    const names = [`${pool}-n1`, `${pool}-n2`];
    for (const nodeName of names) {
      const kubelet = new Kubelet({
        transport: this.#connection.transport,
        clock: this.#clock,
        random: Math.random,
        runtime: new ProbedSimulation({ clock: this.#clock, random: Math.random }),
        nodeName,
        labels: { [POOL_LABEL]: pool },
        capacity: { cpu, pods: "1000" },
        leaseRenewIntervalMs: LEASE_RENEW_INTERVAL_MS,
        onProblem: ({ status, message }) => {
          if (!EXPECTED.has(status)) console.error(`note: kubelet ${nodeName}: ${message}`);
        },
      });
      this.#kubelets.set(nodeName, kubelet);
      kubelet.start();
    }
    await Promise.all(
      names.map((name) =>
        this.client.waitFor<Node>(
          `/api/v1/nodes?fieldSelector=metadata.name%3D${name}`,
          (node) => hasCondition({ status: node["status"] }, "Ready") && node.spec.taints === undefined,
          READY_TIMEOUT_MS,
        ),
      ),
    );
  }

  async addNamespace(name: string, pool: string): Promise<void> {
    const annotations = { [NAMESPACE_SELECTOR]: `${POOL_LABEL}=${pool}` };
    await this.client.succeed("POST", "/api/v1/namespaces", { metadata: { name, annotations } });
  }

  /** The machine is gone: its containers end at once, and nothing reports it. */
  loseNode(name: string): void {
    this.#kubelets.get(name)!.stop();
    this.#kubelets.delete(name);
  }

  isLost(node: string): boolean {
    return !this.#kubelets.has(node);
  }

  /** The objects of a namespace as they were last, and those that are gone, in the order of their names. */
  seen(resource: "jobs" | "pods", namespace: string): KubeObject[] {
    if (this.#problem !== undefined) throw this.#problem;
    return [...this.#last[resource].values()]
      .filter(({ metadata }) => metadata.namespace === namespace)
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  isGone({ metadata }: KubeObject): boolean {
    return this.#gone.has(metadata.uid);
  }

  /** For how long no Job and no pod of a namespace has changed. */
  quietMs(namespace: string): number {
    return Date.now() - (this.#changedMs.get(namespace) ?? 0);
  }

  async eventsOf(namespace: string): Promise<KubeObject[]> {
    const { items } = await this.client.succeed<{ items: KubeObject[] }>(
      "GET",
      `/api/v1/namespaces/${namespace}/events`,
    );
    return items;
  }

  /** @returns whether the predicate has come to hold before that time */
  async until(holds: () => boolean, endMs: number): Promise<boolean> {
    while (Date.now() < endMs) {
      if (holds()) return true;
      await sleep(POLL_MS);
    }
    return holds();
  }

  async stop(): Promise<void> {
    this.#watches.abort();
    for (const kubelet of this.#kubelets.values()) kubelet.stop();
    await this.controlPlane.stop();
    await this.#connection.close();
    this.client.close();
    this.#clock.stop();
  }

  /** The API server ends a watch whose reader is slow, as this one may be; the next goes on where that one was. */
  async #watch(resource: "jobs" | "pods", path: string): Promise<void> {
    const { signal } = this.#watches;
    let version = 0;
    try {
      while (!signal.aborted) {
        const from = version === 0 ? path : `${path}?resourceVersion=${version}`;
        for await (const { type, object } of this.client.watch<KubeObject>(from, signal)) {
          if (type === "ERROR") throw new Error(`the watch of ${resource} was lost: ${JSON.stringify(object)}`);
          version = Math.max(version, Number(object.metadata.resourceVersion));
          this.#last[resource].set(object.metadata.uid, object);
          if (type === "DELETED") this.#gone.add(object.metadata.uid);
          this.#changedMs.set(object.metadata.namespace!, Date.now());
        }
      }
    } catch (error) {
      if (!signal.aborted) this.#problem = error as Error;
    }
  }
}
