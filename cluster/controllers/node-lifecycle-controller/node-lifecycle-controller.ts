/**
 * Finds nodes that no longer report (node-health.ts), and marks them: their conditions become Unknown, their pods are
 * no longer ready, and they get taints (node-taints.ts), a few at a time (zones.ts). The taint eviction controller then
 * evicts their pods. Leaves out the labels of operating systems that upstream keeps alike, and its metrics. Source:
 * pkg/controller/nodelifecycle.
 */
import { formatTime } from "../../values/times.ts";
import { ApiClient, isRetryable, LEASES, NODES, PODS, resourcePath, type WriteResult } from "../../client/client.ts";
import { collectionKey, Collections, type ControllerOptions } from "../../client/collections.ts";
import { EventRecorder, type EventType } from "../../client/event-recorder.ts";
import type { Lease, Node } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import { type WorkOutcome, WorkQueue } from "../../client/work-queue.ts";
import { conditionOf, lostConditions, NodeHealth } from "./node-health.ts";
import { lacksNoExecute, wantedTaints } from "./node-taints.ts";
import { Zones } from "./zones.ts";

/** How often the controller checks whether nodes have reported. */
export const CHECK_PERIOD_MS = 5_000;
const LEASE_NAMESPACE = "kube-node-lease";
const COMPONENT = "node-controller";
const CONCURRENT_SYNCS = 8;
const RETRY_INITIAL_MS = 20;
const RETRY_MAX_MS = 10_000;
/** The only key of the queue: the periodic check. */
const CHECK = "check";

/** Works from `start` to `stop`. */
export class NodeLifecycleController {
  readonly #options: ControllerOptions;
  readonly #client: ApiClient;
  readonly #events: EventRecorder;
  readonly #known: Collections;
  readonly #checks: WorkQueue<typeof CHECK>;
  /** Names of nodes whose taints may be wrong. */
  readonly #taints: WorkQueue<string>;
  /** Pods to mark as not ready because their node is lost, `namespace/name`. */
  readonly #unready: WorkQueue<string>;
  readonly #health: NodeHealth;
  readonly #zones = new Zones();
  /** Nodes that were there at the last check, by name. */
  #registered: ReadonlyMap<string, Node> = new Map();

  constructor(options: ControllerOptions) {
    const { transport, clock, random } = options;
    this.#options = options;
    this.#health = new NodeHealth(clock);
    this.#client = new ApiClient(transport, { userAgent: COMPONENT });
    this.#events = new EventRecorder({ transport, clock, random, component: COMPONENT });
    const queue = { clock, random, retryInitialMs: RETRY_INITIAL_MS, retryMaxMs: RETRY_MAX_MS };
    this.#checks = new WorkQueue({ ...queue, concurrency: 1, work: (_check, done) => this.#check(done) });
    this.#taints = new WorkQueue({
      ...queue,
      concurrency: CONCURRENT_SYNCS,
      work: (name, done) => this.#taint(name, done),
    });
    this.#unready = new WorkQueue({
      ...queue,
      concurrency: CONCURRENT_SYNCS,
      work: (key, done) => this.#markUnready(key, done),
    });
    let isChecking = false;
    this.#known = new Collections(this.#client, options, [NODES, LEASES, PODS], (resource, object, type) => {
      if (!isChecking) this.#checks.add(CHECK);
      isChecking = true;
      if (resource === NODES && type !== "DELETED") this.#taints.add(object.metadata.name);
      else if (resource === NODES) this.#forget(object.metadata.name);
      else if (resource === PODS && type === "DELETED") this.#unready.forget(collectionKey(object));
    });
  }

  start(): void {
    this.#known.start();
  }

  stop(): void {
    this.#known.stop();
    for (const queue of [this.#checks, this.#taints, this.#unready]) queue.stop();
  }

  #forget(nodeName: string): void {
    this.#health.forget(nodeName);
    this.#taints.forget(nodeName);
  }

  #check(done: (outcome: WorkOutcome) => void): void {
    const nodes = this.#known.list(NODES);
    this.#tellOfChanges(nodes);
    const silent = nodes.filter((node) => this.#health.isLost(node, this.#leaseOf(node)));
    const lost = silent.filter((node) => conditionOf(node, "Ready")?.status !== "Unknown");
    const wereAllLost = this.#zones.areAllLost;
    this.#zones.count(nodes, new Set(lost));
    // The controller itself may have been cut off. Then no kubelet could report to it for a while.
    if (wereAllLost && !this.#zones.areAllLost) this.#health.pardonAll();
    for (const node of lost) this.#markLost(node);
    for (const { metadata } of nodes) this.#taints.add(metadata.name);
    done({ againAfterMs: CHECK_PERIOD_MS, kind: "heartbeat" });
  }

  #leaseOf({ metadata }: TypedObject): Lease | undefined {
    return this.#known.get(LEASES, `${LEASE_NAMESPACE}/${metadata.name}`);
  }

  #tellOfChanges(nodes: readonly Node[]): void {
    const before = this.#registered;
    this.#registered = new Map(nodes.map((node) => [node.metadata.name, node]));
    for (const [name, node] of this.#registered)
      if (!before.has(name)) this.#nodeEvent(node, "RegisteredNode", `event: Registered Node ${name} in Controller`);
    for (const [name, node] of before)
      if (!this.#registered.has(name))
        this.#nodeEvent(node, "RemovingNode", `event: Removing Node ${name} from Controller`);
  }

  /** The next check retries what failed, or conflicted with a report of the node. */
  #markLost(node: Node): void {
    const { name, resourceVersion } = node.metadata;
    const conditions = lostConditions(node, this.#options.clock.now());
    const path = `${resourcePath(NODES, undefined, name)}/status`;
    const patch = { metadata: { resourceVersion }, status: { conditions } };
    this.#client.patch(path, "application/merge-patch+json", patch, (result) => {
      if (!result.ok) this.#outcome(result);
      else if (conditionOf(node, "Ready")?.status === "True") {
        this.#nodeEvent(node, "NodeNotReady", "status is now: NodeNotReady");
        for (const pod of this.#known.list(PODS))
          if (pod.spec?.nodeName === name) this.#unready.add(collectionKey(pod));
      }
    });
  }

  #markUnready(key: string, done: (outcome: WorkOutcome) => void): void {
    const pod = this.#known.get(PODS, key);
    if (pod === undefined || conditionOf(pod, "Ready")?.status !== "True") {
      done("done");
      return;
    }
    const { namespace, name, uid } = pod.metadata;
    const change = { type: "Ready", status: "False", lastTransitionTime: formatTime(this.#options.clock.now()) };
    const patch = { metadata: { uid }, status: { conditions: [change] } };
    const path = `${resourcePath(PODS, namespace, name)}/status`;
    this.#client.patch(path, "application/strategic-merge-patch+json", patch, (result) => {
      if (result.ok) this.#event("Pod", pod, "Warning", "NodeNotReady", "Node is not ready");
      done(this.#outcome(result));
    });
  }

  #taint(name: string, done: (outcome: WorkOutcome) => void): void {
    const node = this.#known.get(NODES, name);
    if (node === undefined) {
      done("done");
      return;
    }
    const nowMs = this.#options.clock.now();
    const turn = lacksNoExecute(node) ? this.#zones.take(node, nowMs) : !this.#zones.areAllLost;
    const next = (outcome: WorkOutcome): void =>
      done(outcome === "done" && Number.isFinite(turn) ? { againAfterMs: turn as number } : outcome);
    const taints = wantedTaints(node, turn === true, nowMs);
    if (taints === undefined) {
      next("done");
      return;
    }
    const { resourceVersion } = node.metadata;
    const patch = { metadata: { resourceVersion }, spec: { taints } };
    this.#client.patch(resourcePath(NODES, undefined, name), "application/merge-patch+json", patch, (result) =>
      next(this.#outcome(result)),
    );
  }

  #outcome(result: WriteResult): WorkOutcome {
    if (result.ok || result.error.status === 404) return "done";
    // After a conflict there is a newer state, which the watch delivers.
    if (result.error.status !== 409) this.#options.onProblem?.(result.error);
    return isRetryable(result.error) ? "failed" : "done";
  }

  #nodeEvent(node: Node, reason: string, text: string): void {
    const { name, uid } = node.metadata;
    const object = { metadata: { name, uid, resourceVersion: "", creationTimestamp: "" } };
    this.#event("Node", object, "Normal", reason, `Node ${name} ${text}`);
  }

  #event(kind: string, object: TypedObject, type: EventType, reason: string, message: string): void {
    this.#events.record({ apiVersion: "v1", kind, object }, type, reason, message);
  }
}
