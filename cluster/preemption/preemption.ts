/**
 * Makes room for pods that fit nowhere: pods of a lower priority leave one node (victims.ts), with the condition
 * DisruptionTarget, by which Jobs tell a disruption from a failure. The scheduler asks `chooseNode` for single pods.
 *
 * Invariant: the room for a pod stays reserved on its node until the pod is bound or gone, against pods of the same or
 * a lower priority; but not against pods with the same demand, because it does not matter which of them comes first. A
 * pod waits for those that it has preempted before it preempts more. Leaves out gangs, which neither preempt others nor
 * heed reservations. Source: pkg/scheduler/framework/preemption.
 */
import { hasEnded } from "../apiserver/quota/usage.ts";
import {
  ApiClient,
  DISRUPTION_BUDGETS,
  isRetryable,
  NODES,
  PODS,
  resourcePath,
  type WriteResult,
} from "../client/client.ts";
import { collectionKey, Collections, type ControllerOptions } from "../client/collections.ts";
import { driveOut } from "../client/disruption-target.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import type { Choice, NodePool } from "../scheduler/node-pool.ts";
import type { PodRecord } from "../scheduler/pod-queue.ts";
import { type WorkOutcome, WorkQueue } from "../client/work-queue.ts";
import { bestCandidate, type Candidate, priorityOf, victimsOn } from "./victims.ts";
import type { Pod } from "../values/kinds.ts";

const COMPONENT = "default-scheduler";
const DISRUPTION = {
  reason: "PreemptionByScheduler",
  message: `${COMPONENT}: preempting to accommodate a higher priority pod`,
};
const RETRY_INITIAL_MS = 1_000;
const RETRY_MAX_MS = 10_000;
const STRATEGIC_MERGE = "application/strategic-merge-patch+json";

interface Reservation {
  readonly pod: PodRecord;
  readonly nodeName: string;
}

/** Works from `start` to `stop`. */
export class Preemption {
  readonly #options: ControllerOptions;
  readonly #client: ApiClient;
  readonly #events: EventRecorder;
  readonly #known: Collections;
  /** Pods that fit nowhere, by `namespace/name`. */
  readonly #unfit = new Map<string, PodRecord>();
  readonly #queue: WorkQueue<string>;
  /** By `namespace/name` of the pod. */
  readonly #reserved = new Map<string, Reservation>();

  constructor(options: ControllerOptions) {
    const { transport, clock, random } = options;
    this.#options = options;
    this.#client = new ApiClient(transport, { userAgent: "kube-scheduler" });
    this.#events = new EventRecorder({ transport, clock, random, component: COMPONENT });
    this.#queue = new WorkQueue({
      clock,
      random,
      concurrency: 1,
      retryInitialMs: RETRY_INITIAL_MS,
      retryMaxMs: RETRY_MAX_MS,
      work: (key, done) => this.#makeRoom(key, done),
    });
    this.#known = new Collections(
      this.#client,
      options,
      [PODS, NODES, DISRUPTION_BUDGETS],
      (resource, object, type) => {
        if (resource !== PODS) return;
        const key = collectionKey(object);
        if (type === "DELETED" || (object as Pod).spec?.nodeName) this.#forget(key);
        else if (this.#unfit.has(key)) this.#queue.add(key);
      },
    );
  }

  start(): void {
    this.#known.start();
  }

  stop(): void {
    this.#known.stop();
    this.#queue.stop();
  }

  /** Chooses a node without what is reserved for others. If none fits, preempts pods, and the pod is tried again. */
  readonly chooseNode = (pod: PodRecord, nodes: NodePool): Choice => {
    const others = [...this.#reserved.values()].filter(
      (other) => other.pod.group !== pod.group && other.pod.group.priority >= pod.group.priority,
    );
    for (const other of others) nodes.place(other.nodeName, other.pod.group.demand.requests);
    const choice = nodes.choose(pod.group.demand);
    for (const other of others) nodes.unplace(other.nodeName, other.pod.group.demand.requests);
    if ("message" in choice) {
      const key = `${pod.namespace}/${pod.name}`;
      this.#unfit.set(key, pod);
      this.#queue.add(key);
    }
    return choice;
  };

  #forget(key: string): void {
    this.#unfit.delete(key);
    this.#reserved.delete(key);
    this.#queue.forget(key);
  }

  #makeRoom(key: string, done: (outcome: WorkOutcome) => void): void {
    const pod = this.#known.get(PODS, key);
    const record = this.#unfit.get(key);
    if (pod === undefined || record === undefined || !this.#mayPreempt(pod, key)) {
      done("done");
      return;
    }
    const candidates = this.#candidatesFor(record);
    // A decision of the scheduler may be under way.
    if (candidates.some(({ victims }) => victims.length === 0)) {
      done({ againAfterMs: RETRY_INITIAL_MS });
      return;
    }
    const best = bestCandidate(candidates);
    if (best === undefined) {
      this.#reserved.delete(key);
      if (pod.status?.nominatedNodeName) this.#nominate(pod, null, (result) => done(this.#outcome(result)));
      else done("done");
      return;
    }
    const nodeName = best.node.metadata.name;
    this.#reserved.set(key, { pod: record, nodeName });
    this.#nominate(pod, nodeName, (result) => {
      if (result.ok) this.#evictAll(best, pod, (outcome) => done(outcome));
      else done(this.#outcome(result));
    });
  }

  /** The pods that it has preempted may still be terminating. */
  #mayPreempt({ metadata, spec }: Pod, key: string): boolean {
    if (spec.nodeName || spec.preemptionPolicy === "Never" || metadata.deletionTimestamp) return false;
    const reservation = this.#reserved.get(key);
    if (reservation === undefined) return true;
    const there = this.#running().get(reservation.nodeName) ?? [];
    return !there.some((other) => priorityOf(other) < reservation.pod.group.priority && isPreempted(other));
  }

  #candidatesFor({ uid, group }: PodRecord): readonly Candidate[] {
    const running = this.#running();
    // Mostly all pods are of one priority.
    if (![...running.values()].flat().some((pod) => priorityOf(pod) < group.priority)) return [];
    const budgets = this.#known.list(DISRUPTION_BUDGETS);
    const others = [...this.#reserved.values()].filter(
      ({ pod }) => pod.uid !== uid && pod.group.priority >= group.priority,
    );
    return this.#known
      .list(NODES)
      .map((node) => {
        const { name } = node.metadata;
        const reserved = others.filter(({ nodeName }) => nodeName === name).map(({ pod }) => pod.group.demand.requests);
        return victimsOn({ node, pods: running.get(name) ?? [], reserved }, budgets, group);
      })
      .filter((candidate) => candidate !== undefined);
  }

  /** By node. Pods that have ended take no room. */
  #running(): ReadonlyMap<string, readonly Pod[]> {
    const running = this.#known.list(PODS).filter((pod) => pod.spec.nodeName && !hasEnded(pod));
    return Map.groupBy(running, ({ spec }): string => spec.nodeName!);
  }

  #nominate(pod: Pod, nominatedNodeName: string | null, done: (result: WriteResult) => void): void {
    const { namespace, name, uid } = pod.metadata;
    const patch = { metadata: { uid }, status: { nominatedNodeName } };
    this.#client.patch(`${resourcePath(PODS, namespace, name)}/status`, STRATEGIC_MERGE, patch, done);
  }

  #evictAll({ node, victims }: Candidate, pod: Pod, done: (outcome: WorkOutcome) => void): void {
    const running = victims.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    let left = running.length;
    let worst: WorkOutcome = "done";
    if (left === 0) done("done");
    for (const victim of running)
      driveOut(this.#client, victim, DISRUPTION, this.#options.clock.now(), (result) => {
        const text = `Preempted by pod ${pod.metadata.uid} on node ${node.metadata.name}`;
        const related = { apiVersion: "v1", kind: "Pod", object: pod };
        if (result.ok) this.#events.record({ ...related, object: victim, related }, "Normal", "Preempted", text);
        if (this.#outcome(result) === "failed") worst = "failed";
        if (--left === 0) done(worst);
      });
  }

  #outcome(result: WriteResult): WorkOutcome {
    if (result.ok || !isRetryable(result.error)) return "done";
    this.#options.onProblem?.(result.error);
    return "failed";
  }
}

function isPreempted({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const conditions: readonly { readonly type: string; readonly reason?: string }[] = status?.conditions ?? [];
  return conditions.some(({ type, reason }) => type === "DisruptionTarget" && reason === DISRUPTION.reason);
}
