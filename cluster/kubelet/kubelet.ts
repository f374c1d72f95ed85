/**
 * A kubelet: registers a node, watches the pods bound to it, and gives each a worker that runs it over a
 * ContainerRuntime.
 *
 * Invariant: it uses only the API, so the same class serves the in-memory cluster and a real API server. It identifies
 * pods by uid, never by name. It removes a deleted pod from the API only after the terminal status is stored, with
 * gracePeriodSeconds 0 and the uid as precondition. Leaves out admission by the node (every pod that is bound to it
 * runs, whether it fits or not), and node pressure. Source: pkg/kubelet/kubelet.go,
 * pkg/kubelet/status/status_manager.go; docs/spec/api.md 5.10.
 */
import type { Clock, Transport } from "../../bindings/js/host.ts";
import type { KubeletApi, LogOptions, LogRefusal, LogStream } from "../apiserver/contract/kubelet-api.ts";
import { parseTime } from "../values/times.ts";
import { BoundedMap } from "../values/bounded-map.ts";
import { ApiClient, isRetryable, PODS, resourcePath } from "../client/client.ts";
import type { ApiError } from "../client/client.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import type { EventType } from "../client/event-recorder.ts";
import { Reflector } from "../client/reflector.ts";
import type { WatchEventType } from "../client/reflector.ts";
import { RetryBackoff } from "../client/retry-backoff.ts";
import type { ContainerLog, LogLine, OutputStream } from "./container-log.ts";
import type { ContainerPlace, ContainerRuntime, UnsupportedField } from "./container-runtime.ts";
import { LogStore, logRefusal, startTimeOf } from "./log-store.ts";
import { NodeRegistration } from "./node-registration.ts";
import { PodIPs } from "./pod-ips.ts";
import { isTerminal } from "./pod-status.ts";
import { PodWorker } from "./pod-worker.ts";
import type { PodWorkerHost, FollowPod } from "./pod-worker.ts";
import { unsupportedFields } from "./unsupported.ts";
import type { Pod } from "../values/kinds.ts";
import { SERVED_KUBERNETES, type ServedVersion } from "../values/kubernetes-versions.ts";

/** The default resources of a node. */
export const DEFAULT_CAPACITY: Readonly<Record<string, string>> = { cpu: "8", memory: "32Gi", pods: "110" };
/** The most owners whose pods were warned about unsupported fields. The oldest is forgotten first. */
export const MAX_REMEMBERED_OWNERS = 1_000;
const DELETE_RETRY_INITIAL_MS = 200;
const DELETE_RETRY_MAX_MS = 30_000;

export interface KubeletOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly runtime: ContainerRuntime;
  readonly nodeName: string;
  /** `10.0.0.1` unless given. */
  readonly hostIP?: string;
  /** IPv4 range of the pods' addresses, `10.244.0.0/16` unless given. `host`: pods have the address of the node. */
  readonly podCIDR?: string;
  /** Resources that replace or extend DEFAULT_CAPACITY. */
  readonly capacity?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  readonly leaseRenewIntervalMs?: number;
  /** Statuses are those of this version; 1.37 unless given. */
  readonly kubernetes?: ServedVersion | undefined;
  /** Write Events; true unless given. */
  readonly recordsEvents?: boolean;
  /** Handles changes of a running pod: `followChanges` of pod-changes.ts. Default: changes are ignored. */
  readonly followPod?: FollowPod;
  /** Called for every line that a container prints. */
  onOutput?(pod: Pod, container: string, attempt: number, stream: OutputStream, line: string): void;
  /** Called once for the pods of one owner with their fields that have no effect here. */
  onUnsupported?(pod: Pod, fields: readonly UnsupportedField[]): void;
  /** Called for a failed request that will be retried. */
  onProblem?(error: ApiError, pod?: Pod): void;
}

export class Kubelet implements KubeletApi {
  readonly #options: KubeletOptions;
  readonly #client: ApiClient;
  readonly #recorder: EventRecorder | undefined;
  readonly #registration: NodeRegistration;
  readonly #reflector: Reflector;
  readonly #logs: LogStore;
  readonly #podIPs: PodIPs;
  readonly #workers = new Map<string, PodWorker>();
  /** The uids of pods whose terminal status is stored. */
  readonly #finishedUids = new Set<string>();
  /** The uids of pods whose final deletion was requested and whose object still exists. */
  readonly #deletingUids = new Set<string>();
  readonly #warnedOwners = new BoundedMap<string, true>(MAX_REMEMBERED_OWNERS);
  readonly #workerHost: PodWorkerHost;
  #stopped = false;

  constructor(options: KubeletOptions) {
    const {
      transport,
      clock,
      random,
      runtime,
      nodeName,
      hostIP = "10.0.0.1",
      kubernetes = SERVED_KUBERNETES,
    } = options;
    this.#options = options;
    this.#client = new ApiClient(transport, { userAgent: "kubelet" });
    if (options.recordsEvents ?? true)
      this.#recorder = new EventRecorder({ transport, clock, random, component: "kubelet", host: nodeName });
    this.#logs = new LogStore(clock);
    this.#podIPs = new PodIPs(options.podCIDR ?? "10.244.0.0/16", hostIP);
    this.#registration = new NodeRegistration({
      client: this.#client,
      clock,
      random,
      node: {
        name: nodeName,
        hostIP,
        capacity: { ...DEFAULT_CAPACITY, ...options.capacity },
        labels: options.labels ?? {},
        taints: options.taints ?? [],
        runtimeName: runtime.name,
      },
      kubernetes,
      ...(options.leaseRenewIntervalMs === undefined ? {} : { leaseRenewIntervalMs: options.leaseRenewIntervalMs }),
      onProblem: (error) => options.onProblem?.(error),
    });
    this.#reflector = new Reflector(
      { client: this.#client, clock, random, path: resourcePath(PODS), fieldSelector: `spec.nodeName=${nodeName}` },
      {
        onSync: (pods) => this.#podsSynced(pods),
        onEvent: (type, pod) => this.#podEvent(type, pod),
        onProblem: (error) => options.onProblem?.(error),
      },
    );
    this.#workerHost = {
      client: this.#client,
      clock,
      random,
      runtime,
      hostIP,
      kubernetes,
      assignPodIP: (pod) => this.#podIPs.assign(pod),
      openLog: (pod, container, attempt) => this.#openLog(pod, container, attempt),
      event: (pod, type, reason, message, record) => this.#event(pod, type, reason, message, record),
      finished: (worker) => this.#podFinished(worker),
      vanished: (worker) => this.#forget(worker.pod.metadata.uid),
      problem: (pod, error) => options.onProblem?.(error, pod),
      followPod: options.followPod,
    };
  }

  /** Registers the node, then runs the pods bound to it until `stop`. */
  start(): void {
    this.#registration.start(() => this.#reflector.start());
  }

  /** Stops watching, ends every container at once and writes nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#registration.stop();
    this.#reflector.stop();
    for (const worker of [...this.#workers.values()]) worker.abandon();
  }

  readLogs(pod: Pod, container: string, options: LogOptions): LogStream | LogRefusal {
    const { name: podName, uid } = pod.metadata;
    const log = this.#logs.find(uid, container, options.previous);
    if (log !== undefined) return this.#logs.read(log, options, this.#emptyLogLine(pod, container, options.previous));
    const record = this.#workers.get(uid)?.records.find(({ name }) => name === container);
    return logRefusal(podName, container, options.previous, record?.waiting.reason ?? "ContainerCreating");
  }

  /** Undefined: an empty log stays empty: the runtime has no text for it, or the container has not started. */
  #emptyLogLine(pod: Pod, container: string, previous: boolean): LogLine | undefined {
    const { emptyLogText: text } = this.#options.runtime;
    const startedAt = text === undefined ? undefined : startTimeOf(pod, container, previous);
    return text === undefined || startedAt === undefined ? undefined : { timeMs: parseTime(startedAt), text };
  }

  #podsSynced(pods: readonly Pod[]): void {
    const present = new Set(pods.map((pod) => pod.metadata.uid));
    // First the pods that are gone, because a new pod may have the name of an old one.
    for (const uid of [...this.#workers.keys(), ...this.#finishedUids]) if (!present.has(uid)) this.#podGone(uid);
    for (const pod of pods) this.#podSeen(pod);
  }

  #podEvent(type: WatchEventType, pod: Pod): void {
    if (type === "DELETED") this.#podGone(pod.metadata.uid);
    else this.#podSeen(pod);
  }

  #podSeen(pod: Pod): void {
    const { uid } = pod.metadata;
    const worker = this.#workers.get(uid);
    if (worker !== undefined) worker.update(pod);
    else if (this.#finishedUids.has(uid)) this.#deleteIfAsked(pod);
    else if (isTerminal(pod.status?.phase)) {
      this.#finishedUids.add(uid);
      this.#deleteIfAsked(pod);
    } else this.#startWorker(pod);
  }

  #startWorker(pod: Pod): void {
    this.#warnAboutUnsupported(pod);
    const worker = new PodWorker(pod, this.#workerHost);
    this.#workers.set(pod.metadata.uid, worker);
    worker.start();
  }

  #podGone(uid: string): void {
    const worker = this.#workers.get(uid);
    if (worker !== undefined) worker.vanish();
    else this.#forget(uid);
  }

  #forget(uid: string): void {
    this.#workers.delete(uid);
    this.#finishedUids.delete(uid);
    this.#deletingUids.delete(uid);
    this.#podIPs.release(uid);
    this.#logs.drop(uid);
  }

  #podFinished(worker: PodWorker): void {
    const { uid } = worker.pod.metadata;
    this.#workers.delete(uid);
    this.#finishedUids.add(uid);
    this.#podIPs.release(uid);
    this.#logs.podFinished(uid);
    this.#deleteIfAsked(worker.pod);
  }

  /**
   * Completes a graceful deletion. With grace period 0 the object waits only for its finalizers, and not for a kubelet.
   */
  #deleteIfAsked(pod: Pod): void {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
    if (deletionTimestamp === undefined || deletionGracePeriodSeconds === 0 || this.#deletingUids.has(uid)) return;
    this.#deletingUids.add(uid);
    const { clock, random } = this.#options;
    this.#deleteForGood(
      pod,
      new RetryBackoff({ initialMs: DELETE_RETRY_INITIAL_MS, maxMs: DELETE_RETRY_MAX_MS, random }),
      clock,
    );
  }

  #deleteForGood(pod: Pod, backoff: RetryBackoff, clock: Clock): void {
    if (this.#stopped) return;
    const { namespace, name, uid } = pod.metadata;
    this.#client.delete(
      resourcePath(PODS, namespace, name),
      { gracePeriodSeconds: 0, preconditions: { uid } },
      (result) => {
        // 409: the precondition failed, so another pod has the name and this one is gone. 404: it is gone, too.
        if (result.ok || result.error.status === 409 || !isRetryable(result.error)) return;
        this.#options.onProblem?.(result.error, pod);
        clock.setTimer(backoff.nextMs(result.error.retryAfterMs), () => this.#deleteForGood(pod, backoff, clock));
      },
    );
  }

  #openLog(pod: Pod, container: string, attempt: number): ContainerLog {
    const { onOutput } = this.#options;
    return this.#logs.open(pod.metadata.uid, container, (stream: OutputStream, line: LogLine) => {
      onOutput?.(pod, container, attempt, stream, line.text);
    });
  }

  #event(pod: Pod, type: EventType, reason: string, message: string, record?: ContainerPlace): void {
    if (this.#stopped) return;
    const fieldPath = record === undefined ? {} : { fieldPath: `spec.${record.list}{${record.name}}` };
    this.#recorder?.record({ apiVersion: "v1", kind: "Pod", object: pod, ...fieldPath }, type, reason, message);
  }

  #warnAboutUnsupported(pod: Pod): void {
    const owner =
      pod.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid ?? pod.metadata.uid;
    if (this.#warnedOwners.has(owner)) return;
    const fields = [...unsupportedFields(pod, this.#options.runtime), ...this.#options.runtime.unsupported(pod)];
    if (fields.length === 0) return;
    this.#warnedOwners.put(owner, true);
    for (const { path, why, note } of fields) {
      const type = note === undefined ? "Warning" : "Normal";
      this.#event(pod, type, "UnsupportedField", `${path} has no effect on this node: ${why}`);
    }
    this.#options.onUnsupported?.(pod, fields);
  }
}
