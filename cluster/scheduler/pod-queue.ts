/**
 * The pods that wait for a node, grouped by demand. Pods with the same priority, placement and requests fit or do not
 * fit alike, so only the first of each group is tried. A group that does not fit is parked until something changes.
 *
 * Invariant: a pod is in at most one group; a group with pods is either ready (in the heap once) or parked. The order
 * is that of priority, then of arrival. Every operation is O(log groups); `unparkAll` is O(parked groups).
 */
import { BinaryHeap } from "../values/binary-heap.ts";
import type { PodDemand } from "./node-pool.ts";

/** The scheduler's record of a pod. The object itself is not kept. */
export interface PodRecord {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly group: PodGroup;
  /** `namespace/name` of the API's PodGroup that the pod belongs to; undefined: it belongs to none. */
  readonly gangKey: string | undefined;
  /** Order of arrival. */
  readonly order: number;
  /** The node where it runs, or will run when the binding is stored. */
  nodeName: string | undefined;
  /** A binding is under way. */
  isBinding: boolean;
  /** Failed bindings in a row. */
  bindFailures: number;
  isQueued: boolean;
  /** The last written PodScheduled=False message. */
  reportedMessage: string | undefined;
  /** Why the pod is not even tried: `heldBack` of the scheduler's options. */
  heldMessage?: string | undefined;
  unschedulableSince: string | undefined;
}

export interface PodGroup {
  readonly key: string;
  readonly priority: number;
  readonly demand: PodDemand;
  /** In order of arrival. Pods that left are skipped when their turn comes. */
  readonly queue: BinaryHeap<PodRecord>;
  state: "empty" | "ready" | "parked";
  /** Why the first pod did not fit, while parked. */
  message: string;
  /**
   * Pods that came while the group was not parked. If it is parked before their turn, the scheduler must still report
   * why they wait.
   */
  untold: PodRecord[];
  /** Pods that refer to the group, queued or placed. */
  members: number;
}

export class PodQueue {
  readonly #groups = new Map<string, PodGroup>();
  readonly #ready = new BinaryHeap<{ readonly group: PodGroup; readonly order: number }>((a, b) =>
    a.group.priority !== b.group.priority ? a.group.priority > b.group.priority : a.order < b.order,
  );
  #parked = new Set<PodGroup>();

  /** The group of a demand; `makeDemand` is called for the first of its kind. */
  group(key: string, priority: number, makeDemand: () => PodDemand): PodGroup {
    let group = this.#groups.get(key);
    if (group === undefined) {
      const queue = new BinaryHeap<PodRecord>((a, b) => a.order < b.order);
      group = { key, priority, demand: makeDemand(), queue, state: "empty", message: "", untold: [], members: 0 };
      this.#groups.set(key, group);
    }
    group.members++;
    return group;
  }

  /** The pod is gone for good. */
  forget(pod: PodRecord): void {
    pod.isQueued = false;
    pod.group.members--;
    if (pod.group.members > 0) return;
    this.#groups.delete(pod.group.key);
    this.#parked.delete(pod.group);
  }

  /** Adds a pod. Returns false if the group is parked, because nothing has changed that would let this pod fit. */
  add(pod: PodRecord): boolean {
    const { group } = pod;
    if (!pod.isQueued) group.queue.push(pod);
    pod.isQueued = true;
    if (group.state === "parked") return false;
    if (pod.reportedMessage === undefined) group.untold.push(pod);
    if (group.state === "empty") this.#makeReady(group);
    return true;
  }

  /** Takes the first pod of the most urgent group. `placed` or `park` must follow before the next call. */
  take(): PodRecord | undefined {
    for (let entry = this.#ready.pop(); entry !== undefined; entry = this.#ready.pop()) {
      const pod = this.#firstQueued(entry.group);
      if (pod === undefined) {
        this.#makeReady(entry.group);
        continue;
      }
      entry.group.queue.pop();
      pod.isQueued = false;
      return pod;
    }
    return undefined;
  }

  /** The taken pod got a node, so the next pod of its group may be tried. */
  placed(pod: PodRecord): void {
    this.#makeReady(pod.group);
  }

  /** The taken pod did not fit. It returns to its group, which waits for `unparkAll`. */
  park(pod: PodRecord, message: string): void {
    const { group } = pod;
    group.queue.push(pod);
    pod.isQueued = true;
    group.message = message;
    group.state = "parked";
    this.#parked.add(group);
  }

  /** The pods of a parked group for which no reason was reported yet; some may have left meanwhile. */
  takeUntold(group: PodGroup): readonly PodRecord[] {
    const { untold } = group;
    group.untold = [];
    return untold;
  }

  /** After a change of the cluster: every group is tried again. */
  unparkAll(): void {
    const parked = this.#parked;
    this.#parked = new Set();
    for (const group of parked) this.#makeReady(group);
  }

  #makeReady(group: PodGroup): void {
    const first = this.#firstQueued(group);
    if (first === undefined) {
      group.state = "empty";
      group.untold = [];
    } else {
      group.state = "ready";
      this.#ready.push({ group, order: first.order });
    }
  }

  #firstQueued(group: PodGroup): PodRecord | undefined {
    let pod = group.queue.peek();
    while (pod !== undefined && !pod.isQueued) {
      group.queue.pop();
      pod = group.queue.peek();
    }
    return pod;
  }
}
