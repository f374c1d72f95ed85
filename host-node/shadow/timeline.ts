/**
 * What happened to one Job and its pods lately, in the order in which the API server stored it.
 *
 * Invariant: the state at the beginning and the changes since make the present state. Versions of Jobs and pods count
 * the same changes, so two watches of which one is behind still make one order. Each change has the object before and
 * after it, so that earlier states can be computed. Changes that are old enough become part of the beginning.
 */
import type { WatchEventType } from "../../cluster/client/reflector.ts";
import { isActive, isTracked, TRACKING_FINALIZER } from "./divergence.ts";
import type { Job, JobSpec, Pod, PodSpec, PodStatus } from "../../cluster/values/kinds.ts";

/** Beyond this number the oldest changes are forgotten: later ones are judged without them. */
const MAX_CHANGES = 5_000;

type Kind = "job" | "pod";

interface ChangeOf<K extends Kind, T> {
  readonly version: number;
  /** When it was seen. */
  readonly atMs: number;
  readonly kind: K;
  /** Undefined: it is new. */
  readonly before: T | undefined;
  /** Undefined: it is gone. */
  readonly after: T | undefined;
  isJudged: boolean;
}
export type JobChange = ChangeOf<"job", Job>;
export type PodChange = ChangeOf<"pod", Pod>;
export type Change = JobChange | PodChange;

/** A write that a controller knows about before a watch shows it: `removal` is that of a tracking finalizer. */
export type OwnWrite = "creation" | "removal";

/** A state that a controller may have seen. */
export interface Snapshot {
  readonly job: Job | undefined;
  readonly pods: readonly Pod[];
  /** When it ended. */
  readonly untilMs: number;
}

export class Timeline {
  job: Job | undefined;
  /** Its last state, when it is gone. */
  goneJob: Job | undefined;
  readonly pods = new Map<string, Pod>();
  /** By version. */
  readonly changes: Change[] = [];

  /** The Job or a pod has changed. @returns the change; undefined: it was known already */
  see(kind: Kind, type: WatchEventType, object: Job | Pod, atMs: number): Change | undefined {
    const { uid, resourceVersion } = object.metadata;
    const before = kind === "job" ? this.job : this.pods.get(uid);
    const version = Number(resourceVersion);
    if (before !== undefined && type !== "DELETED" && version <= Number(before.metadata.resourceVersion))
      return undefined;
    const after = type === "DELETED" ? undefined : object;
    if (kind === "job") {
      this.job = after as Job | undefined;
      this.goneJob = after === undefined ? (object as Job) : undefined;
    } else if (after === undefined) this.pods.delete(uid);
    else this.pods.set(uid, after as Pod);
    let at = this.changes.length;
    while (at > 0 && this.changes[at - 1]!.version > version) at--;
    const change = { version, atMs, kind, before, after, isJudged: false } as Change;
    this.changes.splice(at, 0, change);
    if (this.changes.length > MAX_CHANGES) this.changes.splice(0, this.changes.length - MAX_CHANGES);
    return change;
  }

  /** A list: the changes before it are unknown, so nothing before can be judged. */
  begin(kind: Kind, objects: readonly (Job | Pod)[]): void {
    this.changes.length = 0;
    if (kind === "job") this.job = objects[0] as Job | undefined;
    else {
      this.pods.clear();
      for (const pod of objects) this.pods.set(pod.metadata.uid, pod as Pod);
    }
  }

  /** Changes that are judged and were seen before become part of the beginning. */
  forget(beforeMs: number): void {
    let count = 0;
    while (count < this.changes.length && this.changes[count]!.isJudged && this.changes[count]!.atMs < beforeMs)
      count++;
    this.changes.splice(0, count);
  }

  /**
   * The states from which the built-in controller may have decided on a change, the latest first: those of the last
   * `lookBackMs` before it began to write. While a sync counts pods, it has begun before it noted them, however long it
   * takes. It may not have seen yet what other clients wrote. It `knows` these writes that it made: pods that it
   * created since exist in every state, finalizers that it removed are gone.
   */
  *statesBefore(change: Change, lookBackMs: number, knows: readonly OwnWrite[]): Generator<Snapshot> {
    const { job, pods } = this.#stateBefore(change);
    let present = job;
    const removed = new Set<string>();
    let beganMs = change.atMs;
    const last = this.changes.indexOf(change) - 1;
    yield { job, pods: [...pods.values()], untilMs: change.atMs };
    for (let at = last; at >= 0; at--) {
      const earlier = this.changes[at]!;
      const { kind, before, after, atMs } = earlier;
      if (beganMs - atMs > lookBackMs && !counts(present)) return;
      const own = ownWriteOf(earlier);
      if (own !== undefined) beganMs = atMs;
      const isKnown = own !== undefined && own !== "status" && knows.includes(own);
      if (kind === "job") present = before;
      else if (before === undefined) {
        if (!isKnown) pods.delete(after!.metadata.uid);
      } else {
        const { uid } = before.metadata;
        if (own === "removal" && isKnown) removed.add(uid);
        pods.set(uid, removed.has(uid) ? withoutFinalizer(before) : before);
      }
      if (!(isKnown && own === "creation") && factsOf(before) !== factsOf(after))
        yield { job: present, pods: [...pods.values()], untilMs: atMs };
    }
  }

  #stateBefore(change: Change): { job: Job | undefined; pods: Map<string, Pod> } {
    const pods = new Map(this.pods);
    let { job } = this;
    for (let at = this.changes.length - 1; at >= 0; at--) {
      const { kind, before, after } = this.changes[at]!;
      if (kind === "job") job = before;
      else if (before === undefined) pods.delete(after!.metadata.uid);
      else pods.set(before.metadata.uid, before);
      if (this.changes[at] === change) break;
    }
    return { job, pods };
  }
}

/** A sync has noted the pods that it counts, and has not ended. */
function counts(job: Job | undefined): boolean {
  const lists = Object.values((job?.status?.uncountedTerminatedPods ?? {}) as Readonly<Record<string, string[]>>);
  return lists.some((uids) => uids.length > 0);
}

function withoutFinalizer(pod: Pod): Pod {
  if (!isTracked(pod)) return pod;
  const finalizers = pod.metadata.finalizers!.filter((name) => name !== TRACKING_FINALIZER);
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
}

/** What a Job controller does, as far as it differs from what other clients do. */
function ownWriteOf(change: Change): OwnWrite | "status" | undefined {
  if (isStatusWrite(change)) return "status";
  if (isCreation(change)) return "creation";
  return isRemoval(change) ? "removal" : undefined;
}

export function isStatusWrite({ kind, before, after }: Change): boolean {
  return (
    kind === "job" &&
    before !== undefined &&
    after !== undefined &&
    JSON.stringify(before.status) !== JSON.stringify(after.status)
  );
}

export function isCreation({ kind, before }: Change): boolean {
  return kind === "pod" && before === undefined;
}

/** The change removes the tracking finalizer. */
export function isRemoval({ kind, before, after }: Change): boolean {
  return kind === "pod" && before !== undefined && isTracked(before) && (after === undefined || !isTracked(after));
}

/** A pod that has neither ended nor was being deleted is deleted. */
export function isDeletion({ kind, before, after }: Change): boolean {
  return (
    kind === "pod" &&
    before !== undefined &&
    isActive(before) &&
    (after === undefined || after.metadata.deletionTimestamp !== undefined)
  );
}

const facts = new WeakMap<Job | Pod, string>();

/** The fields that a Job controller reads. */
function factsOf(object: Job | Pod | undefined): string {
  if (object === undefined) return "";
  let text = facts.get(object);
  if (text === undefined) {
    const { labels, ownerReferences, finalizers, deletionTimestamp } = object.metadata;
    const { phase, conditions, containerStatuses, initContainerStatuses, ...rest } = (object.status ?? {}) as PodStatus;
    text = JSON.stringify([
      ...[labels, ownerReferences, finalizers, deletionTimestamp, phase, conditions],
      ...((object.spec as Partial<JobSpec>)?.template === undefined
        ? [containerStatuses, initContainerStatuses, (object.spec as PodSpec)?.nodeName]
        : [object.spec, rest]),
    ]);
    facts.set(object, text);
  }
  return text;
}
