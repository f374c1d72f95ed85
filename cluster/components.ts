/**
 * The components that make an API server a cluster on which pods run: scheduler, garbage collector, namespace
 * controller and one kubelet a node. All are clients of the API, so the same set serves every host and every clock.
 *
 * Leaves out the Job controller: the host provides it, with the engine.
 */
import type { Clock } from "../bindings/js/host.ts";
import { type ApiError, POD_GROUPS, WORKLOADS } from "./client.ts";
import type { Cluster } from "./cluster.ts";
import { DEFAULT_COLLECTED, GarbageCollector } from "./garbage-collector/garbage-collector.ts";
import { Kubelet, type KubeletOptions } from "./kubelet/kubelet.ts";
import { NamespaceController } from "./namespace-controller/namespace-controller.ts";
import { Scheduler } from "./scheduler/scheduler.ts";

/** A node and what runs its pods. */
export type NodeOptions = Pick<
  KubeletOptions,
  "nodeName" | "runtime" | "hostIP" | "podCIDR" | "capacity" | "labels" | "taints"
>;

export interface ComponentsOptions extends Pick<KubeletOptions, "onOutput" | "onUnsupported"> {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Empty: no pod runs, unless another program drives it through the API. */
  readonly nodes: readonly NodeOptions[];
  /** Called for a request of a component that failed and will be tried again. */
  onProblem?(component: string, error: ApiError): void;
}

export class ClusterComponents {
  readonly #parts: readonly { start(): void; stop(): void }[];

  constructor({ cluster, clock, random, nodes, onOutput, onUnsupported, onProblem }: ComponentsOptions) {
    const shared = (
      component: string,
    ): {
      transport: Cluster["transport"];
      clock: Clock;
      random: () => number;
      onProblem: (error: ApiError) => void;
    } => ({
      transport: cluster.transport,
      clock,
      random,
      onProblem: (error) => onProblem?.(component, error),
    });
    const kubelets = nodes.map((node) => {
      const kubelet = new Kubelet({
        ...shared(`kubelet ${node.nodeName}`),
        ...node,
        ...(onOutput === undefined ? {} : { onOutput }),
        ...(onUnsupported === undefined ? {} : { onUnsupported }),
      });
      cluster.registerKubelet(node.nodeName, kubelet);
      return kubelet;
    });
    // Without nodes a scheduler would only report that no pod fits. The program that drives the pods binds them too.
    const scheduler =
      nodes.length === 0 ? [] : [new Scheduler({ ...shared("scheduler"), gangScheduling: cluster.gangScheduling })];
    const collected = cluster.gangScheduling ? [...DEFAULT_COLLECTED, WORKLOADS, POD_GROUPS] : DEFAULT_COLLECTED;
    const collector = new GarbageCollector({ ...shared("garbage collector"), resources: collected });
    this.#parts = [...kubelets, ...scheduler, collector, new NamespaceController(shared("namespace controller"))];
  }

  start(): void {
    for (const part of this.#parts) part.start();
  }

  /** Kubelets stop first and end their containers at once. */
  stop(): void {
    for (const part of this.#parts) part.stop();
  }
}
