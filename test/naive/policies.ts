/**
 * The policies of a Job the naive way: what podFailurePolicy says of a pod, when successPolicy is met, and when a pod
 * ended. Written from docs/spec/controller.md 3.2, 3.7 and 3.8; the simulation compares the engine with it.
 */
import { parseIntervals } from "./intervals.ts";

export interface FailureRule {
  readonly action: string;
  readonly onExitCodes?: {
    readonly containerName?: string;
    readonly operator: string;
    readonly values: readonly number[];
  };
  readonly onPodConditions?: readonly { readonly type: string; readonly status: string }[];
}

export interface SuccessRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

export interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: { readonly terminated?: { readonly exitCode: number; readonly finishedAt?: string } };
}

/** What a failed pod is judged by: its terminated containers, the regular ones first, and its conditions. */
export interface Evidence {
  readonly containers: readonly ContainerStatus[];
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

export interface Judgement {
  /** Undefined: no rule matches, and the pod counts. */
  readonly action: string | undefined;
  readonly rule: number;
}

/** What the first rule that matches says. */
export function judge(rules: readonly FailureRule[], { containers, conditions }: Evidence): Judgement {
  const rule = rules.findIndex(({ onExitCodes, onPodConditions = [] }) => {
    if (onExitCodes === undefined)
      return conditions.some(({ type, status }) =>
        onPodConditions.some((pattern) => pattern.type === type && pattern.status === status),
      );
    const { containerName, operator, values } = onExitCodes;
    return containers.some(({ name, state }) => {
      const exitCode = state?.terminated?.exitCode ?? 0;
      return exitCode !== 0 && (containerName ?? name) === name && values.includes(exitCode) === (operator === "In");
    });
  });
  return { action: rules[rule]?.action, rule };
}

/** Position of the first rule that these indexes meet; −1: none. */
export function metRule(rules: readonly SuccessRule[], succeeded: ReadonlySet<number>, completions: number): number {
  if (succeeded.size === 0) return -1;
  return rules.findIndex(({ succeededIndexes, succeededCount = Infinity }) => {
    if (succeededIndexes === undefined) return succeeded.size >= succeededCount;
    const required = parseIntervals(succeededIndexes, completions);
    const overlap = [...required].filter((index) => succeeded.has(index)).length;
    return required.size > 0 && (overlap === required.size || overlap >= succeededCount);
  });
}

/** When a pod that is over, or is being deleted, ended; in milliseconds of wall time. */
export function finishTimeMs(pod: {
  readonly metadata: {
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly spec?: { readonly initContainers?: readonly { readonly name: string; readonly restartPolicy?: string }[] };
  readonly status?: {
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
    }[];
  };
}): number {
  const { metadata, spec, status } = pod;
  const endOf = ({ state }: ContainerStatus): number => Date.parse(state?.terminated?.finishedAt ?? "");
  const sidecars = (spec?.initContainers ?? [])
    .filter(({ restartPolicy }) => restartPolicy === "Always")
    .map(({ name }) => name);
  const regular = (status?.containerStatuses ?? []).map(endOf);
  const restartable = (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.includes(name)).map(endOf);
  // A container that runs takes the others' times back; the sidecars come after it.
  const ends = [...(regular.some(Number.isNaN) ? [] : regular), ...restartable];
  if (ends.length > 0 && !restartable.some(Number.isNaN)) return Math.max(...ends);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "False" && ready.lastTransitionTime !== undefined) return Date.parse(ready.lastTransitionTime);
  if (metadata.deletionTimestamp !== undefined)
    return Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return Date.parse(metadata.creationTimestamp ?? "");
}
