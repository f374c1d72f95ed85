/**
 * The whole status that a kubelet writes for a pod, put together from what it knows, and the patch that writes it.
 *
 * Invariant: a pure function of its input. The phase is terminal exactly when the pod has ended. The patch is a
 * strategic merge, because it must keep conditions that others wrote (`DisruptionTarget`). It has the pod's uid, so
 * that it fails on a later pod with the same name.
 */
import { formatTime } from "../values/times.ts";
import { memoize } from "../values/memoize.ts";
import type { ContainerStatus } from "./container-status.ts";
import type { ContainerRecord } from "./container-record.ts";
import { podConditions, withTransitionTimes } from "./pod-conditions.ts";
import type { ConditionInput, PodCondition } from "./pod-conditions.ts";
import { podPhase } from "./pod-phase.ts";
import type { PodPhase } from "./pod-phase.ts";
import type { Pod } from "../values/kinds.ts";
import type { ServedVersion } from "../values/kubernetes-versions.ts";

export interface PodStatus {
  observedGeneration?: number;
  phase: PodPhase;
  conditions: PodCondition[];
  message?: string;
  reason?: string;
  hostIP: string;
  hostIPs: { ip: string }[];
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime: string;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
}

export interface PodStatusInput {
  readonly pod: Pod;
  readonly records: readonly ContainerRecord[];
  readonly startTime: string;
  readonly hostIP: string;
  /** Undefined until the sandbox exists. */
  readonly podIP: string | undefined;
  readonly sandbox: ConditionInput["sandbox"];
  readonly kubernetes: ServedVersion;
  /** Every container has ended, and none will start again. */
  readonly isOver: boolean;
  /** The pod is being ended from outside: deleted, past its deadline, or made terminal by another client. */
  readonly tearingDown: boolean;
  /** Set if the end of the pod has its own phase, reason and message. */
  readonly verdict: { readonly phase: PodPhase; readonly reason?: string; readonly message?: string } | undefined;
  /** What was written last. */
  readonly previous: Pick<PodStatus, "phase" | "conditions" | "podIP" | "podIPs">;
  readonly nowMs: number;
}

export function podStatus(input: PodStatusInput): PodStatus {
  const { pod, records, podIP, verdict } = input;
  const views = records.map((record) => record.view());
  const phase = currentPhase(input, podPhase(views, input.tearingDown));
  const facts = podConditions({
    phase,
    containers: views,
    sandbox: input.sandbox,
    kubernetes: input.kubernetes,
    ...foreignConditions(pod),
  });
  const init = views.filter(({ kind }) => kind !== "main");
  const main = views.filter(({ kind }) => kind === "main");
  const generation = pod.metadata.generation;
  const status = {} as PodStatus;
  // Members in the API server's order.
  if (generation !== undefined) status.observedGeneration = generation;
  status.phase = phase;
  status.conditions = withTransitionTimes(facts, input.previous.conditions, formatTime(input.nowMs), generation);
  if (input.isOver && verdict?.message !== undefined) status.message = verdict.message;
  if (input.isOver && verdict?.reason !== undefined) status.reason = verdict.reason;
  status.hostIP = input.hostIP;
  status.hostIPs = addresses(input.hostIP);
  if (podIP !== undefined) {
    status.podIP = podIP;
    status.podIPs = podIP === input.previous.podIP ? input.previous.podIPs! : [{ ip: podIP }];
  }
  status.startTime = input.startTime;
  // Lists made by `map` have no spare capacity, which would be kept with each version.
  if (init.length > 0) status.initContainerStatuses = init.map(statusOf);
  status.containerStatuses = main.map(statusOf);
  return status;
}

function statusOf({ status }: { readonly status: ContainerStatus }): ContainerStatus {
  return status;
}

const NO_GATES: readonly string[] = [];
const NO_CONDITIONS: ReadonlyMap<string, string> = new Map();

/** The readiness gates of a pod, and the conditions that they are about. */
function foreignConditions({ spec, status }: Pod): Pick<ConditionInput, "readinessGates" | "foreign"> {
  if (spec.readinessGates === undefined) return { readinessGates: NO_GATES, foreign: NO_CONDITIONS };
  return {
    readinessGates: spec.readinessGates.map((gate) => gate.conditionType),
    foreign: new Map((status?.conditions ?? []).map((condition) => [condition.type, condition.status])),
  };
}

/** Whether a phase is Succeeded or Failed. */
export function isTerminal(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

function currentPhase({ pod, isOver, verdict, previous }: PodStatusInput, computed: PodPhase): PodPhase {
  // None follows a terminal phase, even if another client wrote it.
  if (isTerminal(pod.status?.phase)) return pod.status!.phase as PodPhase;
  if (isOver) return verdict?.phase ?? (isTerminal(computed) ? computed : "Failed");
  // Containers still run, and a terminal phase promises that none does.
  return isTerminal(computed) ? previous.phase : computed;
}

const addresses = memoize((ip: string) => [{ ip }]);

/** Body of a strategic-merge-patch of pods/status. `known`: the conditions that the server has. */
export function statusPatch(uid: string, status: PodStatus, known: readonly PodCondition[]): object {
  return { metadata: { uid }, status: { ...status, ...conditionsPatch(status.conditions, known) } };
}

const conditionsPatch = memoize((conditions: readonly PodCondition[], known: readonly PodCondition[]): object => ({
  "$setElementOrder/conditions": conditions.map(({ type }) => ({ type })),
  conditions: conditions.map((condition) => {
    const before = known.find(({ type }) => type === condition.type);
    // A merge patch keeps a key that it leaves out, so it must be removed with null.
    const losesReason = before?.reason !== undefined && condition.reason === undefined;
    const losesMessage = before?.message !== undefined && condition.message === undefined;
    return losesReason || losesMessage
      ? { ...condition, ...(losesReason && { reason: null }), ...(losesMessage && { message: null }) }
      : condition;
  }),
}));
