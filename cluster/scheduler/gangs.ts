/**
 * The pods that stand or fall together: those of one PodGroup wait here, outside the queue of single pods, until the
 * PodGroup is known and as many are there as the minCount of its gang policy.
 *
 * Invariant: a gang has not started, and then none of its pods has a node; or it has, and then pods that come later
 * (the successors of failed ones) no longer wait for one another. It starts once; its PodGroup going away ends that.
 * Leaves out which node a pod gets, and, as upstream, telling pods that the others are missing. Source:
 * docs/spec/api.md 5.11; pkg/scheduler/framework/plugins/gangscheduling.
 */
import type { KubeObject } from "../types.ts";
import type { PodRecord } from "./pod-queue.ts";

export interface Gang {
  readonly key: string;
  /** Of its PodGroup; 0: that has no gang policy, and any number will do. Undefined: it is not known. */
  minCount: number | undefined;
  hasStarted: boolean;
  /** Pods that name it, with a node or without. */
  members: number;
  /** Without a node, in order of arrival. */
  readonly waiting: Set<PodRecord>;
}

/** Of a pod's spec: the PodGroup that it names; undefined: none. */
export function gangKeyOf(namespace: string, spec: Readonly<Record<string, any>>): string | undefined {
  const name: string | undefined = spec["schedulingGroup"]?.podGroupName;
  return name === undefined ? undefined : `${namespace}/${name}`;
}

export class Gangs {
  readonly #gangs = new Map<string, Gang>();
  /** Those that are worth a try. */
  #ready = new Set<Gang>();

  /** The PodGroup as it is now. */
  setGroup({ metadata, spec }: KubeObject): void {
    const gang = this.#gang(`${metadata.namespace}/${metadata.name}`);
    gang.minCount = spec?.schedulingPolicy?.gang?.minCount ?? 0;
    this.#ready.add(gang);
  }

  removeGroup(key: string): void {
    const gang = this.#gang(key);
    gang.minCount = undefined;
    gang.hasStarted = false;
    this.#dropIfUnused(gang);
  }

  /** The keys of the PodGroups that are known. */
  groupKeys(): string[] {
    return [...this.#gangs.values()].filter(({ minCount }) => minCount !== undefined).map(({ key }) => key);
  }

  /** There is a pod more that names this PodGroup. */
  join(key: string): void {
    this.#gang(key).members++;
  }

  /** The pod is gone. */
  forget(pod: PodRecord): void {
    this.leave(pod);
    const gang = this.#gang(pod.gangKey!);
    gang.members--;
    this.#dropIfUnused(gang);
  }

  add(pod: PodRecord): void {
    const gang = this.#gang(pod.gangKey!);
    gang.waiting.add(pod);
    this.#ready.add(gang);
  }

  /** The pod waits no more: it has a node, or must not have one. */
  leave(pod: PodRecord): void {
    this.#gang(pod.gangKey!).waiting.delete(pod);
  }

  /** A pod of it has a node, whoever gave it that. */
  start(key: string): void {
    this.#gang(key).hasStarted = true;
  }

  /** The most urgent gang that may fit, with its pods in order; it does not come again before something changes. */
  take(): { readonly gang: Gang; readonly pods: readonly PodRecord[] } | undefined {
    const complete = [...this.#ready].filter(
      ({ minCount, hasStarted, waiting }) =>
        waiting.size > 0 && minCount !== undefined && (hasStarted || waiting.size >= minCount),
    );
    this.#ready = new Set(complete);
    const [next] = complete
      .map((gang) => ({ gang, pods: [...gang.waiting] }))
      .sort(({ pods: [a] }, { pods: [b] }) => b!.group.priority - a!.group.priority || a!.order - b!.order);
    if (next !== undefined) this.#ready.delete(next.gang);
    return next;
  }

  /** Something changed: every gang is worth another try. */
  retryAll(): void {
    for (const gang of this.#gangs.values()) if (gang.waiting.size > 0) this.#ready.add(gang);
  }

  #gang(key: string): Gang {
    let gang = this.#gangs.get(key);
    if (gang === undefined) {
      gang = { key, minCount: undefined, hasStarted: false, members: 0, waiting: new Set() };
      this.#gangs.set(key, gang);
    }
    return gang;
  }

  #dropIfUnused(gang: Gang): void {
    if (gang.members > 0 || gang.minCount !== undefined) return;
    this.#gangs.delete(gang.key);
    this.#ready.delete(gang);
  }
}
