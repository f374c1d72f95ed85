/**
 * A kubelet's own Node and Lease: registers the node, reports that it is ready, and renews the lease to show that it
 * still is.
 *
 * Invariant: every step is safe to repeat, and is repeated until it succeeds or `stop` is called.
 * Source: pkg/kubelet/kubelet_node_status.go, pkg/kubelet/nodestatus, component-helpers/apimachinery/lease.
 */
import type { Clock, Timer } from "../../bindings/js/host.ts";
import { formatTime } from "../values/times.ts";
import { LEASES, NODES, resourcePath } from "../client/client.ts";
import type { ApiClient, ApiError, WriteResult } from "../client/client.ts";
import { formatMicroTime } from "../values/kube-time.ts";
import { livedTimeMs } from "../time/lived-time.ts";
import { RetryBackoff } from "../client/retry-backoff.ts";
import type { Node } from "../values/kinds.ts";
import { RELEASES, type ServedVersion } from "../values/kubernetes-versions.ts";

/** How long a lease is valid. Some time after that the control plane treats the node as lost. */
export const NODE_LEASE_DURATION_SECONDS = 40;
/** Half the duration: one renewal may be lost. */
export const DEFAULT_LEASE_RENEW_INTERVAL_MS = 20_000;
const LEASE_NAMESPACE = "kube-node-lease";
const RETRY_INITIAL_MS = 200;
const RETRY_MAX_MS = 7_000;

export interface NodeDescription {
  readonly name: string;
  readonly hostIP: string;
  /** Quantities by resource: cpu, memory, pods and extended resources. Capacity and allocatable are the same. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  /** `simulated`, `process`. */
  readonly runtimeName: string;
}

export interface NodeRegistrationOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly node: NodeDescription;
  readonly kubernetes: ServedVersion;
  /** See DEFAULT_LEASE_RENEW_INTERVAL_MS. */
  readonly leaseRenewIntervalMs?: number;
  onProblem?(error: ApiError): void;
}

export class NodeRegistration {
  readonly #options: NodeRegistrationOptions;
  readonly #backoff: RetryBackoff;
  #timer: Timer | undefined;
  /** In lived time. */
  #renewedMs = 0;
  #stopped = false;

  constructor(options: NodeRegistrationOptions) {
    this.#options = options;
    this.#backoff = new RetryBackoff({ initialMs: RETRY_INITIAL_MS, maxMs: RETRY_MAX_MS, random: options.random });
  }

  /** @param done is called once, when the node is registered and ready. */
  start(done: () => void): void {
    const { client, node } = this.#options;
    const manifest = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: node.name, labels: nodeLabels(this.#options.node) },
      ...(node.taints.length === 0 ? {} : { spec: { taints: node.taints } }),
    };
    client.create(resourcePath(NODES), manifest, (result) => {
      if (this.#stopped) return;
      if (result.ok) this.#postStatus(done);
      // The node of an earlier process. The kubelet takes it over as it is, as after a restart.
      else if (result.error.status === 409) this.#takeOver(done);
      else this.#retry(result.error, () => this.start(done));
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #takeOver(done: () => void): void {
    const { client, node } = this.#options;
    const labels = { metadata: { labels: nodeLabels(this.#options.node) } };
    client.patch(resourcePath(NODES, undefined, node.name), "application/merge-patch+json", labels, (result) => {
      if (this.#stopped) return;
      if (result.ok) this.#postStatus(done);
      // 404: the node was deleted in between, so register it again.
      else this.#retry(result.error, () => this.start(done));
    });
  }

  #postStatus(done: () => void): void {
    const path = resourcePath(NODES, undefined, this.#options.node.name, "status");
    this.#options.client.patch(path, "application/strategic-merge-patch+json", { status: this.#status() }, (result) => {
      if (this.#stopped) return;
      if (!result.ok) {
        this.#retry(result.error, () => (result.error.status === 404 ? this.start(done) : this.#postStatus(done)));
        return;
      }
      this.#backoff.reset();
      done();
      this.#renewedMs = livedTimeMs(this.#options.clock);
      this.#renewLease();
    });
  }

  #renewLease(): void {
    const { client, clock, node } = this.#options;
    const change = { spec: { holderIdentity: node.name, renewTime: formatMicroTime(clock.now()) } };
    client.patch(resourcePath(LEASES, LEASE_NAMESPACE, node.name), "application/merge-patch+json", change, (result) => {
      if (!result.ok && result.error.status === 404) this.#createLease();
      else this.#leaseWritten(result);
    });
  }

  /** The lease names the node as its owner, so that it is deleted with the node. So the node's uid is read first. */
  #createLease(): void {
    const { client, node } = this.#options;
    client.get(resourcePath(NODES, undefined, node.name), (result) => {
      if (!result.ok) this.#leaseWritten(result);
      else
        client.create(resourcePath(LEASES, LEASE_NAMESPACE), this.#lease(result.value), (created) =>
          this.#leaseWritten(created),
        );
    });
  }

  #leaseWritten(result: WriteResult): void {
    if (this.#stopped) return;
    const { clock, leaseRenewIntervalMs = DEFAULT_LEASE_RENEW_INTERVAL_MS } = this.#options;
    if (!result.ok) {
      this.#retry(result.error, () => this.#renewLease());
      return;
    }
    this.#backoff.reset();
    const livedMs = livedTimeMs(clock);
    const isLate = livedMs - this.#renewedMs > NODE_LEASE_DURATION_SECONDS * 1000;
    this.#renewedMs = livedMs;
    // The node counts as lost by now, and only its own report ends that.
    if (isLate) this.#postStatus(() => {});
    else this.#timer = clock.setTimer(leaseRenewIntervalMs, () => this.#renewLease(), "heartbeat");
  }

  #retry(error: ApiError, again: () => void): void {
    this.#options.onProblem?.(error);
    this.#timer = this.#options.clock.setTimer(this.#backoff.nextMs(error.retryAfterMs), again);
  }

  #lease(node: Node): object {
    const { name, uid } = node.metadata;
    return {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace: LEASE_NAMESPACE, ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }] },
      spec: {
        holderIdentity: name,
        leaseDurationSeconds: NODE_LEASE_DURATION_SECONDS,
        renewTime: formatMicroTime(this.#options.clock.now()),
      },
    };
  }

  #status(): object {
    const { name, hostIP, capacity, runtimeName } = this.#options.node;
    const now = formatTime(this.#options.clock.now());
    const condition = (type: string, status: string, reason: string, message: string): object => ({
      type,
      status,
      lastHeartbeatTime: now,
      lastTransitionTime: now,
      reason,
      message,
    });
    return {
      capacity,
      allocatable: capacity,
      conditions: [
        condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
      ],
      addresses: [
        { type: "InternalIP", address: hostIP },
        { type: "Hostname", address: name },
      ],
      nodeInfo: {
        machineID: "",
        systemUUID: "",
        bootID: "",
        kernelVersion: "",
        osImage: "Stint",
        containerRuntimeVersion: `${runtimeName}://1`,
        kubeletVersion: RELEASES[this.#options.kubernetes],
        kubeProxyVersion: "",
        operatingSystem: "linux",
        architecture: "",
      },
    };
  }
}

/** The labels of a node when it registers. */
export function nodeLabels({
  name,
  labels,
}: Pick<NodeDescription, "name" | "labels">): Readonly<Record<string, string>> {
  return { "kubernetes.io/hostname": name, ...labels };
}
