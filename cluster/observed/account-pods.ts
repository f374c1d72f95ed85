/**
 * Gathers the pods of a Job for one question to the engine (bindings/ABI.md, "account"), page by page: the one that
 * failed last, and those that have not ended.
 *
 * Invariant: memory and question are limited, however many pods there are and however large they are.
 */
import type { ContainerStatus, Event, Job, Pod, PodStatus } from "../values/kinds.ts";
import type { AskAccount } from "./ask-account.ts";

/** Pods in one question about failures. One has some kilobytes, and a question has a limit of 8 MiB. */
const PODS_ASKED = 500;
/** Pods that have not ended, in the question about the Job. */
const MAX_ACTIVE = 2000;
const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

// What `account` reads of a pod.
const METADATA = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "finalizers",
  "ownerReferences",
];
const SPEC = [
  "nodeName",
  "restartPolicy",
  "activeDeadlineSeconds",
  "terminationGracePeriodSeconds",
  "schedulerName",
  "schedulingGates",
  "schedulingGroup",
];
const CONTAINER = ["name", "restartPolicy", "restartPolicyRules", "resources", "livenessProbe", "startupProbe"];
const STATUS = ["phase", "reason", "message", "startTime", "conditions", "initContainerStatuses", "containerStatuses"];

/** A Job, and the Events about it that could be read. */
export interface ReadJob {
  /** The rest of it, if it could be read, tells which pods its controller has ended. */
  readonly job: { readonly metadata: Pick<Job["metadata"], "name" | "namespace" | "uid"> };
  readonly events: readonly Event[];
}

export class AccountPods {
  readonly #ask: AskAccount;
  readonly #read: ReadJob;
  readonly #active: Pod[] = [];
  #failed: Pod | undefined;

  constructor(ask: AskAccount, read: ReadJob) {
    this.#ask = ask;
    this.#read = read;
  }

  /** Adds a page of pods. */
  add(pods: readonly Pod[]): void {
    const { job, events } = this.#read;
    const room = MAX_ACTIVE - this.#active.length;
    this.#active.push(
      ...pods
        .filter((pod) => !isTerminal(pod))
        .slice(0, room)
        .map(accountPod),
    );
    const candidates = pods.filter(mayHaveFailed).map(accountPod);
    for (let i = 0; i < candidates.length; i += PODS_ASKED) {
      const part = [...(this.#failed === undefined ? [] : [this.#failed]), ...candidates.slice(i, i + PODS_ASKED)];
      const account = this.#ask({ job, pods: part, events });
      const last = account?.attempts[account.last ?? -1];
      this.#failed = part.find(({ metadata }) => metadata.uid === last?.uid) ?? this.#failed;
    }
  }

  /** The pod that failed last, of those that were not deleted by the Job's controller; undefined: none has. */
  get failed(): Pod | undefined {
    return this.#failed;
  }

  /** The oldest pod that has a node and has not started: Events alone may say why. Undefined: there is none. */
  get starting(): Pod | undefined {
    const waiting = this.#active.filter(
      ({ spec, status, metadata }) =>
        spec.nodeName !== undefined && status?.phase === "Pending" && metadata.deletionTimestamp === undefined,
    );
    return waiting.reduce<Pod | undefined>(
      (oldest, pod) =>
        oldest === undefined || pod.metadata.creationTimestamp < oldest.metadata.creationTimestamp ? pod : oldest,
      undefined,
    );
  }

  /** The pods of the question about the Job. */
  get all(): readonly Pod[] {
    const failed = this.#failed;
    const isActive = failed !== undefined && this.#active.some(({ metadata }) => metadata.uid === failed.metadata.uid);
    return failed === undefined || isActive ? this.#active : [...this.#active, failed];
  }
}

/** Whether the engine is worth asking who ended it. Most pods succeed at once. */
export function mayHaveFailed({ metadata, status = {} }: Pod): boolean {
  if (status.phase === "Failed" || metadata.deletionTimestamp !== undefined) return true;
  return containersOf(status).some(
    ({ state, lastState }) => lastState?.terminated !== undefined || (state?.terminated?.exitCode ?? 0) !== 0,
  );
}

/** The statuses of all containers of a pod, init containers first. */
export function containersOf({ initContainerStatuses, containerStatuses }: PodStatus): ContainerStatus[] {
  return [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])];
}

/** The pod without what `account` does not read: most of it. */
export function accountPod({ metadata, spec, status }: Pod): Pod {
  const index = metadata.annotations?.[COMPLETION_INDEX];
  const annotations = index === undefined ? undefined : { [COMPLETION_INDEX]: index };
  return {
    metadata: { ...picked(metadata, METADATA), annotations },
    spec: {
      ...picked(spec, SPEC),
      initContainers: containersIn(spec?.initContainers),
      containers: containersIn(spec?.containers),
    },
    status: picked(status, STATUS),
  } as unknown as Pod;
}

function containersIn(containers: unknown): object[] | undefined {
  return Array.isArray(containers) ? containers.map((container) => picked(container, CONTAINER)) : undefined;
}

function picked(object: object | undefined, names: readonly string[]): object {
  const members = (object ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]])));
}

/** Whether the pod has ended. */
export function isTerminal({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
