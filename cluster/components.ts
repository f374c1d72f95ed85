/**
 * The components that make an API server a cluster on which pods run: scheduler, garbage collector, namespace
 * controller and one kubelet a node. All are clients of the API, so the same set serves every host and every clock.
 *
 * Leaves out the Job controller: the host provides it, with the engine.
 */
import type { Clock } from "../bindings/js/host.ts";
import { type ApiError, type ApiResource, POD_GROUPS, WORKLOADS } from "./client/client.ts";
import type { Part } from "./client/part.ts";
import type { BareCluster } from "./bare-cluster.ts";
import { DEFAULT_COLLECTED, GarbageCollector } from "./controllers/garbage-collector/garbage-collector.ts";
import { Kubelet, type KubeletOptions } from "./kubelet/kubelet.ts";
import { NamespaceController } from "./controllers/namespace-controller/namespace-controller.ts";
import { Scheduler, type SchedulerOptions } from "./scheduler/scheduler.ts";

/** A node and what runs its pods. */
export type NodeOptions = Pick<
  KubeletOptions,
  | "nodeName"
  | "runtime"
  | "hostIP"
  | "podCIDR"
  | "capacity"
  | "labels"
  | "taints"
  | "leaseRenewIntervalMs"
  | "followPod"
>;

export interface ComponentsOptions extends Pick<KubeletOptions, "onOutput" | "onUnsupported"> {
  readonly cluster: BareCluster;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Empty: no pod runs, unless another program drives it through the API. */
  readonly nodes: readonly NodeOptions[];
  /** Whether to bind pods to nodes, also those of another program. Default: if there are `nodes`. */
  readonly scheduler?: boolean;
  /** Whether to empty deleted namespaces. Default: true. */
  readonly emptiesNamespaces?: boolean;
  /** What the scheduler leaves to others. */
  readonly placing?: Pick<SchedulerOptions, "ignoresPlacement" | "fitsNowhere" | "heldBack" | "chooseNode">;
  /** Controllers beyond those that every cluster has: `moreControllers` of more-controllers.ts. */
  readonly moreControllers?: Readonly<Record<string, NewController>>;
  /** The resources to garbage-collect beyond those of every cluster: `moreCollected` of more-controllers.ts. */
  readonly moreCollected?: readonly ApiResource[];
  /** Called for a component's failed request that will be retried. */
  onProblem?(component: string, error: ApiError): void;
}

/** What a component gets. */
export interface ControllerOptions {
  readonly transport: BareCluster["transport"];
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  onProblem(error: ApiError): void;
}

export type NewController = (options: ControllerOptions) => Part;

export class ClusterComponents {
  readonly #parts: readonly Part[];
  readonly #kubelets = new Map<string, Part>();
  readonly #collector: GarbageCollector;
  readonly #newScheduler: () => Part;
  #scheduler: Part | undefined;

  constructor(options: ComponentsOptions) {
    const { cluster, clock, random, nodes, scheduler: schedules = nodes.length > 0 } = options;
    const { onOutput, onUnsupported, onProblem } = options;
    const shared = (component: string): ControllerOptions => ({
      transport: cluster.transport,
      clock,
      random,
      onProblem: (error) => onProblem?.(component, error),
    });
    const kubelets = nodes.map((node) => {
      const kubelet = new Kubelet({
        ...shared(`kubelet ${node.nodeName}`),
        kubernetes: cluster.kubernetes,
        ...node,
        ...(onOutput === undefined ? {} : { onOutput }),
        ...(onUnsupported === undefined ? {} : { onUnsupported }),
      });
      cluster.registerKubelet(node.nodeName, kubelet);
      this.#kubelets.set(node.nodeName, kubelet);
      return kubelet;
    });
    // Without nodes a scheduler would only report that no pod fits. A caller that drives the pods mostly binds them
    // too.
    const { gangScheduling } = cluster;
    this.#newScheduler = () => new Scheduler({ ...shared("scheduler"), gangScheduling, ...options.placing });
    const scheduler = schedules ? [{ start: () => this.startScheduler(), stop: () => this.stopScheduler() }] : [];
    const collected = [
      ...DEFAULT_COLLECTED,
      ...(options.moreCollected ?? []),
      ...(gangScheduling ? [WORKLOADS, POD_GROUPS] : []),
    ];
    this.#collector = new GarbageCollector({ ...shared("garbage collector"), resources: collected });
    const more = Object.entries(options.moreControllers ?? {}).map(([name, create]) => create(shared(name)));
    const { emptiesNamespaces = true } = options;
    const namespaces = emptiesNamespaces ? [new NamespaceController(shared("namespace controller"))] : [];
    this.#parts = [...kubelets, ...scheduler, this.#collector, ...namespaces, ...more];
  }

  start(): void {
    for (const part of this.#parts) part.start();
  }

  /** Collects objects of these custom resources too, and stops collecting those of earlier ones. */
  collectCustom(resources: readonly ApiResource[]): void {
    this.#collector.collectCustom(resources);
  }

  /** Starts a new scheduler, which lists everything; where one runs, this does nothing. */
  startScheduler(): void {
    if (this.#scheduler !== undefined) return;
    this.#scheduler = this.#newScheduler();
    this.#scheduler.start();
  }

  /** Pods that have no node stay without one. */
  stopScheduler(): void {
    this.#scheduler?.stop();
    this.#scheduler = undefined;
  }

  /** The machine is gone: its containers end at once, and their status is never written. Unknown name: no effect. */
  stopKubelet(nodeName: string): void {
    this.#kubelets.get(nodeName)?.stop();
  }

  /** Kubelets stop first and end their containers at once. */
  stop(): void {
    for (const part of this.#parts) part.stop();
  }
}
