/**
 * Gangs: pods that are scheduled together or not at all. The pods of one PodGroup wait here, outside the queue of
 * single pods, until the PodGroup is known and there are at least as many pods as the minCount of its gang policy.
 *
 * Invariant: before a gang has started, none of its pods has a node. After that, later pods (the successors of failed
 * ones) no longer wait for each other. A gang starts once, until its PodGroup is deleted. Leaves out which node a pod
 * gets. As upstream, it does not report missing pods to the others. Source: docs/spec/api.md 5.11;
 * pkg/scheduler/framework/plugins/gangscheduling.
 */
import type { PodRecord } from "./pod-queue.ts";
import type { PodGroup, PodSpec } from "../values/kinds.ts";

export interface Gang {
  readonly key: string;
  /**
   * minCount of the PodGroup. 0: it has no gang policy, so any number is enough. Undefined: the PodGroup is not known.
   */
  minCount: number | undefined;
  hasStarted: boolean;
  /** What its status says about its scheduling, as last seen or written; undefined: nothing. */
  condition: GangCondition | undefined;
  /** Pods that name the PodGroup, with or without a node. */
  members: number;
  /** Pods without a node, in order of arrival. */
  readonly waiting: Set<PodRecord>;
}

/** The condition by which a PodGroup says whether it could be scheduled. Once it is True it stays so. */
export interface GangCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string | null;
}

export const INITIALLY_SCHEDULED = "PodGroupInitiallyScheduled";

/** The key of the PodGroup that a pod's spec names; undefined: none. */
export function gangKeyOf(namespace: string, spec: PodSpec): string | undefined {
  const name: string | undefined = spec.schedulingGroup?.podGroupName;
  return name === undefined ? undefined : `${namespace}/${name}`;
}

export class Gangs {
  readonly #gangs = new Map<string, Gang>();
  /** Gangs that are worth a try. */
  #ready = new Set<Gang>();

  /** Records the present state of a PodGroup. */
  setGroup({ metadata, spec, status }: PodGroup): void {
    const gang = this.#gang(`${metadata.namespace}/${metadata.name}`);
    gang.minCount = spec?.schedulingPolicy?.gang?.minCount ?? 0;
    gang.condition = status?.conditions?.find(({ type }) => type === INITIALLY_SCHEDULED);
    gang.hasStarted ||= gang.condition?.status === "True";
    this.#ready.add(gang);
  }

  removeGroup(key: string): void {
    const gang = this.#gang(key);
    gang.minCount = undefined;
    gang.hasStarted = false;
    gang.condition = undefined;
    this.#dropIfUnused(gang);
  }

  /** The keys of the PodGroups that are known. */
  groupKeys(): string[] {
    return [...this.#gangs.values()].filter(({ minCount }) => minCount !== undefined).map(({ key }) => key);
  }

  /** One more pod names this PodGroup. */
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

  /** The pod no longer waits: it has a node, or must not get one. */
  leave(pod: PodRecord): void {
    this.#gang(pod.gangKey!).waiting.delete(pod);
  }

  /** A pod of the gang has a node, from this or another scheduler. */
  start(key: string): void {
    this.#gang(key).hasStarted = true;
  }

  /** The most urgent gang that may fit, with its pods in order. It is not returned again before something changes. */
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

  /** After a change of the cluster: every gang is tried again. */
  retryAll(): void {
    for (const gang of this.#gangs.values()) if (gang.waiting.size > 0) this.#ready.add(gang);
  }

  #gang(key: string): Gang {
    let gang = this.#gangs.get(key);
    if (gang === undefined) {
      gang = {
        key,
        minCount: undefined,
        hasStarted: false,
        condition: undefined,
        members: 0,
        waiting: new Set(),
      };
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
