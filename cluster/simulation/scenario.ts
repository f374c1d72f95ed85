/**
 * What determines a run, as plain data: the manifest, the seed, the nodes, and what the user did to the cluster, when.
 *
 * Invariant: two runs of equal scenarios write the same objects and make the same decisions, to the millisecond. A fork
 * of a run is its scenario with the inputs up to an instant, and one more. Leaves out how it is run (world.ts) and how
 * it is written into an address (host-browser/share/).
 */

import type { ServedVersion } from "../values/kubernetes-versions.ts";

/** Nodes that are alike. */
export interface NodeGroup {
  /** Nodes are named `<name>-1`, `<name>-2`…; as GROUP_NAME says. */
  readonly name: string;
  /** From 1 to MAX_NODES. */
  readonly count: number;
  /** Kubernetes quantities, as QUANTITY says: `8`, `32Gi`. */
  readonly cpu: string;
  readonly memory: string;
  /** The most pods on one node: from 1 to MAX_PODS_PER_NODE. */
  readonly pods: number;
}

/** The longest manifest: a user types no longer one, and it would keep the Worker busy for long. */
export const MAX_YAML_LENGTH = 1024 * 1024;
/** The most nodes of a scenario, over all groups. */
export const MAX_NODES = 1_000;
/** A node's name ends with the number of the node, and is a DNS label of at most 63 characters. */
export const GROUP_NAME = /^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$/;
/** CPU or memory of a node. */
export const QUANTITY = /^[0-9]{1,12}(\.[0-9]{1,9})?(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi|E|Ei)?$/;
/** Most pods of one node. Its addresses end at a thousand; further pods have the address of the node. */
export const MAX_PODS_PER_NODE = 100_000;
/** The most pods that a Job may want: its completions or, without these, its parallelism. */
export const MAX_PODS_OF_JOB = 100_000;
/** The most outcome rules: one for each index and attempt that a user would click. Each pod is matched against all. */
export const MAX_OUTCOMES = 1_000;
/** The longest time that anything lasts: a hundred years, more than any run. */
export const MAX_SPAN_MS = 100 * 366 * 86_400_000;
/** The most inputs of a scenario. */
export const MAX_INPUTS = 1_000;

/** A run ends here even if there is more to happen: ten years. Inputs come before that. */
export const MAX_RUN_MS = 10 * 365 * 86_400_000;

/** How the containers of some pods end. The first rule that matches wins; the pod's annotation wins over rules. */
export interface OutcomeRule {
  /** Fields of SimulationMatch (cluster/kubelet/simulated-runtime.ts). Absent: all main containers. */
  readonly match?: {
    readonly jobName?: string;
    readonly completionIndex?: number;
    readonly container?: string;
    /** 0 for the first attempt. */
    readonly attempt?: number;
  };
  /** Share of the containers that match, in (0, 1]; the next rule applies to the others. Absent: all. */
  readonly share?: number;
  /** An outcome of cluster/kubelet/simulation-outcome.ts. */
  readonly outcome: Readonly<Record<string, unknown>>;
  /** What happens to the pod as a whole, whatever its containers do; such a rule names no container. */
  readonly pod?: PodOutcome;
}

export type PodOutcome =
  /** No node ever takes it: it stays Pending. */
  | { readonly kind: "never-scheduled" }
  /** The eviction API evicts it this long after it began to run; drawn from between both. */
  | { readonly kind: "evicted"; readonly afterMs: readonly [fromMs: number, toMs: number] };

/** What the user does to the cluster or its controller. Names are those of API objects. */
export type Action =
  /** `kubectl apply` of this YAML. */
  | { readonly kind: "apply"; readonly yaml: string }
  | { readonly kind: "delete-job"; readonly namespace: string; readonly name: string }
  | { readonly kind: "delete-pod"; readonly namespace: string; readonly name: string }
  /** The eviction API: the pod gets the condition DisruptionTarget. */
  | { readonly kind: "evict-pod"; readonly namespace: string; readonly name: string }
  /**
   * No node ever takes this pod: the one of this name that is created at that millisecond or later. It counts for the
   * whole millisecond, so the user can ask for it at the instant of the pod's creation.
   */
  | { readonly kind: "never-schedule"; readonly namespace: string; readonly name: string }
  | { readonly kind: "suspend"; readonly namespace: string; readonly name: string }
  | { readonly kind: "resume"; readonly namespace: string; readonly name: string }
  | {
      readonly kind: "scale";
      readonly namespace: string;
      readonly name: string;
      readonly parallelism: number;
      /** For elastic Indexed Jobs. Absent: unchanged. */
      readonly completions?: number;
    }
  /** No new pods on the node. */
  | { readonly kind: "cordon"; readonly node: string }
  | { readonly kind: "uncordon"; readonly node: string }
  /** Cordon, then evict every pod of the node. */
  | { readonly kind: "drain"; readonly node: string }
  /**
   * The machine is gone: its kubelet stops reporting and the Node is deleted. The pod garbage collector fails and
   * removes its pods LOST_PODS_MS later.
   */
  | { readonly kind: "lose-node"; readonly node: string }
  /** The controller's process ends; another with an empty memory starts after `downMs`. */
  | { readonly kind: "restart-controller"; readonly downMs: number }
  /** The API server answers the controller's requests with this HTTP status for a while. */
  | { readonly kind: "api-errors"; readonly status: number; readonly forMs: number }
  /** The controller gets each answer of the API server this much later, for a while; each request is made at once. */
  | { readonly kind: "slow-api"; readonly delayMs: number; readonly forMs: number }
  /** Scheduling stops for a while: pods stay Pending. */
  | { readonly kind: "stop-scheduler"; readonly forMs: number };

/** Pods of a missing node are left alone for this time, as by kube-controller-manager's pod garbage collector. */
export const LOST_PODS_MS = 40_000;

/** An action at an instant: after everything that happens automatically at that millisecond. */
export interface Input {
  /** Whole milliseconds since the run began. */
  readonly atMs: number;
  readonly action: Action;
}

export interface Scenario {
  /** YAML of the initial objects. */
  readonly yaml: string;
  /** An unsigned 32-bit integer; the source of all random numbers. */
  readonly seed: number;
  readonly nodes: readonly NodeGroup[];
  readonly outcomes: readonly OutcomeRule[];
  /** In the order of their times; at equal times in the order of the list. */
  readonly inputs: readonly Input[];
  /** The version that the API server, its reviews and the kubelets behave as. Absent: the newest. */
  readonly kubernetes?: ServedVersion | undefined;
}

/** Capacity for three hundred small pods. */
export const DEFAULT_NODES: readonly NodeGroup[] = [{ name: "node", count: 3, cpu: "16", memory: "64Gi", pods: 110 }];
