/**
 * A scheduler: gives every pod without a node one on which it fits, through the binding subresource, and reports the
 * reason for a pod that fits nowhere (docs/spec/api.md 5.11).
 *
 * Invariant: a pod costs O(nodes) to place and O(log pods) to queue, and a change of the cluster O(kinds of waiting
 * pods), because pods of one demand are tried one at a time (pod-queue.ts). A pod's requests count on its node from the
 * decision on, not only when the binding is stored, so that two decisions never promise the same capacity. Pods of a
 * gang get their nodes in one step or not at all (gangs.ts); gangs are tried before single pods. Leaves out where
 * volumes are, and the soft and mutual preferences that `ignoredPlacement` names in an event. Preemption is injected
 * (../preemption): the playground has none. Source: pkg/scheduler.
 */
import type { Clock, Transport } from "../../bindings/js/host.ts";
import { formatTime } from "../values/times.ts";
import { ApiClient, isRetryable, NODES, POD_GROUPS, PODS, resourcePath } from "../client/client.ts";
import type { ApiError } from "../client/client.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import { Reflector } from "../client/reflector.ts";
import { memoize } from "../values/memoize.ts";
import { type Gang, gangKeyOf, Gangs, INITIALLY_SCHEDULED } from "./gangs.ts";
import { ignoredPlacement, placementOf } from "./node-match.ts";
import { type Choice, NodePool } from "./node-pool.ts";
import { PodQueue } from "./pod-queue.ts";
import type { PodGroup, PodRecord } from "./pod-queue.ts";
import { podRequests } from "../values/resource-amounts.ts";
import type { Node, Pod, PodGroup as PodGroupObject, PodSpec } from "../values/kinds.ts";

export const DEFAULT_SCHEDULER_NAME = "default-scheduler";
/** Pods placed in one pass before the scheduler yields to other parts of the program. */
export const MAX_PODS_PER_PASS = 500;
/** What a pod asks for that any node takes. */
const ANYWHERE = placementOf({ tolerations: [{ operator: "Exists" }] });
/** A label that no node has. */
const NOWHERE = { "stint.dev/fits": "nowhere" };
const BIND_RETRY_INITIAL_MS = 1_000;
const BIND_RETRY_MAX_MS = 10_000;

export interface SchedulerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Schedules the pods with this spec.schedulerName. Default: DEFAULT_SCHEDULER_NAME. */
  readonly schedulerName?: string;
  /** PodGroups are served, and pods of a gang are bound together. Default: false. */
  readonly gangScheduling?: boolean;
  /** Write Events; true unless given. */
  readonly recordsEvents?: boolean;
  /** Only capacity counts: ignores selectors, affinities and spec.schedulerName. Default: false. */
  readonly ignoresPlacement?: boolean;
  /** Whether no node takes this pod, as if it asked for a label that none has. */
  fitsNowhere?(pod: Pod): boolean;
  /** Why no node takes this pod yet, whatever the node; call `again` when that may have changed. */
  heldBack?(pod: Pod, again: () => void): string | undefined;
  /** Chooses the node for a pod in no gang. Default: the pool's choice. */
  chooseNode?(pod: PodRecord, nodes: NodePool): Choice;
  /** Called with the error of a failed request. */
  onProblem?(error: ApiError): void;
}

/** The fields of a pod's spec that decide where it fits. */
const DEMAND_FIELDS = [
  ...["priority", "nodeSelector", "tolerations", "affinity", "topologySpreadConstraints"],
  ...["containers", "initContainers", "resources", "overhead"],
] as const;

/** The demand of a pod, by the values of DEMAND_FIELDS. Memoized, because the pods of a template share these. */
const demandOf = memoize((...values: readonly unknown[]) => {
  const spec: Partial<PodSpec> = Object.fromEntries(DEMAND_FIELDS.map((field, place) => [field, values[place]]));
  const priority: number = spec.priority ?? 0;
  const placement = placementOf(spec);
  const requests = podRequests(spec);
  const key = JSON.stringify([priority, placement, [...requests], ignoredPlacement(spec)]);
  return { key, priority, demand: { placement, requests } };
});

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #schedulerName: string;
  readonly #client: ApiClient;
  readonly #recorder: EventRecorder | undefined;
  readonly #podReflector: Reflector;
  readonly #nodeReflector: Reflector;
  /** Undefined while gang scheduling is off. */
  readonly #groupReflector: Reflector | undefined;
  readonly #gangs = new Gangs();
  readonly #nodes = new NodePool();
  readonly #queue = new PodQueue();
  readonly #pods = new Map<string, PodRecord>();
  #nextOrder = 0;
  #syncedNodes = false;
  #syncedPods = false;
  #syncedGroups = true;
  #passQueued = false;
  #stopped = false;

  constructor(options: SchedulerOptions) {
    const { transport, clock, random } = options;
    this.#options = options;
    this.#schedulerName = options.schedulerName ?? DEFAULT_SCHEDULER_NAME;
    this.#client = new ApiClient(transport, { userAgent: "kube-scheduler" });
    if (options.recordsEvents ?? true)
      this.#recorder = new EventRecorder({ transport, clock, random, component: this.#schedulerName });
    const onProblem = (error: ApiError): void => options.onProblem?.(error);
    this.#nodeReflector = new Reflector(
      { client: this.#client, clock, random, path: resourcePath(NODES) },
      {
        onSync: (nodes) => this.#nodesSynced(nodes),
        onEvent: (type, node) => (type === "DELETED" ? this.#nodeGone(node.metadata.name) : this.#nodeSeen(node)),
        onProblem,
      },
    );
    this.#podReflector = new Reflector(
      // Pods that are over take no capacity; they leave this view with a DELETED event.
      {
        client: this.#client,
        clock,
        random,
        path: resourcePath(PODS),
        fieldSelector: "status.phase!=Succeeded,status.phase!=Failed",
      },
      {
        onSync: (pods) => this.#podsSynced(pods),
        onEvent: (type, pod) => (type === "DELETED" ? this.#podGone(pod.metadata.uid) : this.#podSeen(pod)),
        onProblem,
      },
    );
    if (!options.gangScheduling) return;
    this.#syncedGroups = false;
    this.#groupReflector = new Reflector(
      { client: this.#client, clock, random, path: resourcePath(POD_GROUPS) },
      {
        onSync: (groups) => this.#groupsSynced(groups),
        onEvent: (type, group) => this.#groupSeen(type === "DELETED", group),
        onProblem,
      },
    );
  }

  start(): void {
    this.#nodeReflector.start();
    this.#podReflector.start();
    this.#groupReflector?.start();
  }

  stop(): void {
    this.#stopped = true;
    this.#nodeReflector.stop();
    this.#podReflector.stop();
    this.#groupReflector?.stop();
  }

  // What changes.

  #nodesSynced(nodes: readonly Node[]): void {
    const present = new Set(nodes.map((node) => node.metadata.name));
    for (const name of this.#nodes.names()) if (!present.has(name)) this.#nodeGone(name);
    for (const node of nodes) this.#nodeSeen(node);
    this.#syncedNodes = true;
    this.#retryAll();
  }

  #nodeSeen(node: Node): void {
    if (this.#nodes.set(node)) this.#retryAll();
  }

  #nodeGone(name: string): void {
    this.#nodes.remove(name);
    this.#retryAll();
  }

  #podsSynced(pods: readonly Pod[]): void {
    const present = new Set(pods.map((pod) => pod.metadata.uid));
    for (const uid of [...this.#pods.keys()]) if (!present.has(uid)) this.#podGone(uid);
    for (const pod of pods) this.#podSeen(pod);
    this.#syncedPods = true;
    this.#queuePass();
  }

  #groupsSynced(groups: readonly PodGroupObject[]): void {
    const present = new Set(groups.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    for (const key of this.#gangs.groupKeys()) if (!present.has(key)) this.#gangs.removeGroup(key);
    for (const group of groups) this.#gangs.setGroup(group);
    this.#syncedGroups = true;
    this.#queuePass();
  }

  #groupSeen(isGone: boolean, group: PodGroupObject): void {
    if (isGone) this.#gangs.removeGroup(`${group.metadata.namespace}/${group.metadata.name}`);
    else this.#gangs.setGroup(group);
    this.#queuePass();
  }

  #podSeen(object: Pod): void {
    const { uid, deletionTimestamp } = object.metadata;
    const { nodeName, schedulerName = DEFAULT_SCHEDULER_NAME, schedulingGates = [] } = object.spec;
    const isOwn = schedulerName === this.#schedulerName || this.#options.ignoresPlacement === true;
    if (!nodeName && !isOwn) return;
    const pod = this.#pods.get(uid) ?? this.#newRecord(object);
    if (nodeName) {
      this.#unqueue(pod);
      pod.isBinding = false;
      if (pod.gangKey !== undefined) this.#gangs.start(pod.gangKey);
      this.#moveTo(pod, nodeName);
    } else if (deletionTimestamp !== undefined || schedulingGates.length > 0) {
      // A deleting pod cannot be bound; a gated one waits for the update that lifts its last gate.
      this.#unqueue(pod);
    } else if (pod.nodeName === undefined && !pod.isBinding && !pod.isQueued) {
      const reason = this.#options.heldBack?.(object, () => this.#pods.get(uid) === pod && this.#podSeen(object));
      const message = reason && `0/${this.#nodes.names().length} nodes are available: ${reason}.`;
      // The pod has what it waited for; if still no node takes it, the scheduler reports why.
      if (pod.heldMessage && !message) pod.reportedMessage = undefined;
      pod.heldMessage = message;
      if (!message) this.#enqueue(pod);
      else if (pod.reportedMessage !== message) this.#report(pod, message);
    }
  }

  #podGone(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    this.#moveTo(pod, undefined);
    this.#queue.forget(pod);
    if (pod.gangKey !== undefined) this.#gangs.forget(pod);
  }

  #unqueue(pod: PodRecord): void {
    pod.isQueued = false;
    if (pod.gangKey !== undefined) this.#gangs.leave(pod);
  }

  #newRecord(object: Pod): PodRecord {
    const { uid, namespace = "", name } = object.metadata;
    const condition = (object.status?.conditions ?? []).find(({ type }) => type === "PodScheduled");
    const isUnschedulable = condition?.status === "False" && condition.reason === "Unschedulable";
    const pod: PodRecord = {
      uid,
      namespace,
      name,
      group: this.#groupOf(object),
      gangKey: this.#groupReflector === undefined ? undefined : gangKeyOf(namespace, object.spec),
      order: this.#nextOrder++,
      nodeName: undefined,
      isBinding: false,
      bindFailures: 0,
      isQueued: false,
      reportedMessage: isUnschedulable ? condition.message : undefined,
      unschedulableSince: isUnschedulable ? condition.lastTransitionTime! : undefined,
    };
    this.#pods.set(uid, pod);
    if (pod.gangKey !== undefined) this.#gangs.join(pod.gangKey);
    // Once for the pods of one demand: they come by the thousand from one template.
    if (pod.group.members === 1) {
      for (const path of ignoredPlacement(object.spec))
        this.#event(pod, "Warning", "UnsupportedField", `${path} has no effect: this scheduler does not consider it`);
    }
    return pod;
  }

  #groupOf(object: Pod): PodGroup {
    const spec = object.spec;
    const { key, priority, demand: asked } = demandOf(...DEMAND_FIELDS.map((field) => spec[field]));
    const demand = this.#options.ignoresPlacement ? { ...asked, placement: ANYWHERE } : asked;
    if (this.#options.fitsNowhere?.(object) !== true)
      return this.#queue.group(key, priority, () => ({ ...demand, verdicts: new Map() }));
    const nodeSelector = { ...demand.placement.nodeSelector, ...NOWHERE };
    return this.#queue.group(`${key} nowhere`, priority, () => ({
      ...demand,
      placement: { ...demand.placement, nodeSelector },
      verdicts: new Map(),
    }));
  }

  /** Counts a pod on its node; undefined: on none. Waiting pods are tried again when capacity becomes free. */
  #moveTo(pod: PodRecord, nodeName: string | undefined): void {
    if (pod.nodeName === nodeName) return;
    const { requests } = pod.group.demand;
    const freed = pod.nodeName;
    pod.nodeName = nodeName;
    if (nodeName !== undefined) this.#nodes.place(nodeName, requests);
    if (freed === undefined) return;
    this.#nodes.unplace(freed, requests);
    this.#retryAll();
  }

  // What follows.

  #enqueue(pod: PodRecord): void {
    if (pod.gangKey !== undefined) {
      pod.isQueued = true;
      this.#gangs.add(pod);
      this.#queuePass();
    } else if (this.#queue.add(pod)) this.#queuePass();
    else if (pod.reportedMessage === undefined) this.#report(pod, pod.group.message);
  }

  #retryAll(): void {
    this.#queue.unparkAll();
    this.#gangs.retryAll();
    this.#queuePass();
  }

  #queuePass(): void {
    if (this.#passQueued || !this.#syncedNodes || !this.#syncedPods || !this.#syncedGroups) return;
    this.#passQueued = true;
    this.#options.clock.defer(() => {
      this.#passQueued = false;
      if (!this.#stopped) this.#pass();
    });
  }

  #pass(): void {
    let placed = 0;
    // A gang is one step, however large.
    while (placed < MAX_PODS_PER_PASS) {
      const complete = this.#gangs.take();
      if (complete === undefined) break;
      this.#placeGang(complete.gang, complete.pods);
      placed += complete.pods.length;
    }
    for (; placed < MAX_PODS_PER_PASS; placed++) {
      const pod = this.#queue.take();
      if (pod === undefined) return;
      const choice = this.#options.chooseNode?.(pod, this.#nodes) ?? this.#nodes.choose(pod.group.demand);
      if ("nodeName" in choice) {
        this.#queue.placed(pod);
        this.#bind(pod, choice.nodeName);
      } else {
        this.#queue.park(pod, choice.message);
        this.#reportWaiting(pod);
      }
    }
    this.#queuePass();
  }

  /** Finds nodes for as many pods of a gang as fit, and binds these if they are enough. */
  #placeGang(gang: Gang, pods: readonly PodRecord[]): void {
    const placed: { readonly pod: PodRecord; readonly nodeName: string }[] = [];
    let message = "";
    let shortfall: string | undefined;
    // What has no gang policy is scheduled with its first pod.
    const wanted = Math.max(gang.minCount!, 1);
    for (const [i, pod] of pods.entries()) {
      const choice = this.#nodes.choose(pod.group.demand);
      if ("message" in choice) {
        message ||= choice.message;
      } else {
        this.#nodes.place(choice.nodeName, pod.group.demand.requests);
        placed.push({ pod, nodeName: choice.nodeName });
      }
      const remaining = pods.length - i - 1;
      if (placed.length + remaining < wanted)
        shortfall ??= `minCount (${wanted}) cannot be satisfied: ${placed.length} scheduled, ${remaining} remaining`;
    }
    for (const { pod, nodeName } of placed) this.#nodes.unplace(nodeName, pod.group.demand.requests);
    if (gang.hasStarted || placed.length >= gang.minCount!) {
      gang.hasStarted ||= placed.length > 0;
      for (const { pod, nodeName } of placed) {
        this.#unqueue(pod);
        this.#bind(pod, nodeName);
      }
    } else {
      message = `${gang.minCount} pods of PodGroup ${gang.key} are scheduled together, and there is room for ${placed.length}: ${message}`;
    }
    for (const pod of pods) if (pod.isQueued && pod.reportedMessage !== message) this.#report(pod, message);
    if (gang.hasStarted || shortfall === undefined) this.#tell(gang, "True", "Scheduled", "");
    else this.#tell(gang, "False", "Unschedulable", shortfall);
  }

  /** Writes the condition of a PodGroup if it changes. Once it is True it stays so. */
  #tell(gang: Gang, status: "True" | "False", reason: string, message: string): void {
    const before = gang.condition;
    if (before?.status === "True" || (before?.status === status && before.message === message)) return;
    const isSame = before?.status === status;
    const lastTransitionTime = isSame ? before.lastTransitionTime : formatTime(this.#options.clock.now());
    const condition = { status, lastTransitionTime, reason, message };
    gang.condition = condition;
    const [namespace, name] = gang.key.split("/");
    this.#client.patch(
      resourcePath(POD_GROUPS, namespace, name, "status"),
      "application/strategic-merge-patch+json",
      { status: { conditions: [{ type: INITIALLY_SCHEDULED, ...condition }] } },
      (result) => {
        if (result.ok) return;
        this.#options.onProblem?.(result.error);
        // Written again the next time that the gang is tried.
        if (gang.condition === condition) gang.condition = before;
      },
    );
  }

  #bind(pod: PodRecord, nodeName: string): void {
    const { namespace, name, uid } = pod;
    this.#moveTo(pod, nodeName);
    pod.isBinding = true;
    const binding = {
      kind: "Binding",
      apiVersion: "v1",
      metadata: { namespace, name, uid },
      target: { kind: "Node", name: nodeName, apiVersion: "v1" },
    };
    this.#client.createWritten(resourcePath(PODS, namespace, name, "binding"), binding, (result) => {
      if (this.#stopped) return;
      if (result.ok) {
        this.#event(pod, "Normal", "Scheduled", `Successfully assigned ${namespace}/${name} to ${nodeName}`);
      } else if (pod.isBinding && this.#pods.get(uid) === pod) {
        this.#bindFailed(pod, result.error);
      }
    });
  }

  /** The watch has not shown the pod bound. After status 0 it may be bound; a retry settles that. */
  #bindFailed(pod: PodRecord, error: ApiError): void {
    this.#options.onProblem?.(error);
    this.#moveTo(pod, undefined);
    // 409 and 404 mean that the pod has changed; the watch will report the change, and until then the pod stays as it
    // is.
    const isTransient = isRetryable(error) && error.status !== 409;
    const delayMs = Math.min(BIND_RETRY_INITIAL_MS * 2 ** pod.bindFailures++, BIND_RETRY_MAX_MS);
    if (!isTransient) {
      pod.isBinding = false;
      return;
    }
    this.#options.clock.setTimer(Math.max(delayMs, error.retryAfterMs), () => {
      if (this.#stopped || !pod.isBinding || this.#pods.get(pod.uid) !== pod) return;
      pod.isBinding = false;
      this.#enqueue(pod);
    });
  }

  /** Reports the reason for every pod of a parked group that has none yet, and for the pod just tried if it changed. */
  #reportWaiting(tried: PodRecord): void {
    const { message } = tried.group;
    if (tried.reportedMessage !== message) this.#report(tried, message);
    for (const pod of this.#queue.takeUntold(tried.group))
      if (pod.isQueued && pod.reportedMessage === undefined) this.#report(pod, message);
  }

  #report(pod: PodRecord, message: string): void {
    const { namespace, name, uid } = pod;
    pod.reportedMessage = message;
    pod.unschedulableSince ??= formatTime(this.#options.clock.now());
    const condition = {
      type: "PodScheduled",
      status: "False",
      lastProbeTime: null,
      lastTransitionTime: pod.unschedulableSince,
      reason: "Unschedulable",
      message,
    };
    const patch = { metadata: { uid }, status: { conditions: [condition] } };
    this.#client.patch(
      resourcePath(PODS, namespace, name, "status"),
      "application/strategic-merge-patch+json",
      patch,
      (result) => {
        if (result.ok || this.#pods.get(uid) !== pod) return;
        this.#options.onProblem?.(result.error);
        // Reported again the next time that its group is tried.
        if (isRetryable(result.error) && pod.reportedMessage === message) pod.reportedMessage = undefined;
      },
    );
    this.#event(pod, "Warning", "FailedScheduling", message);
  }

  #event(pod: PodRecord, type: "Normal" | "Warning", reason: string, message: string): void {
    const { namespace, name, uid } = pod;
    const object = { metadata: { namespace, name, uid, resourceVersion: "", creationTimestamp: "" } };
    this.#recorder?.record({ apiVersion: "v1", kind: "Pod", object }, type, reason, message);
  }
}
