/**
 * The pod conditions that a kubelet writes, in its order, as a pure function of phase and containers (docs/spec/api.md
 * 5.5). Conditions that others write (`DisruptionTarget`, readiness gates) are not in the result. Source:
 * pkg/kubelet/status/generate.go.
 */
import { isAhead } from "../values/kubernetes-changes.ts";
import type { ServedVersion } from "../values/kubernetes-versions.ts";
import { memoize } from "../values/memoize.ts";
import type { ContainerView } from "./container-status.ts";
import type { PodPhase } from "./pod-phase.ts";

export interface PodCondition {
  type: string;
  observedGeneration?: number;
  status: "True" | "False";
  lastProbeTime: string | null;
  lastTransitionTime: string;
  reason?: string;
  message?: string;
}

/** A condition without times; `withTransitionTimes` adds these. */
export type ConditionFacts = Pick<PodCondition, "type" | "status" | "reason" | "message">;

export interface ConditionInput {
  readonly phase: PodPhase;
  readonly containers: readonly ContainerView[];
  /** The network and volumes that the containers share: they exist, or have existed. */
  readonly sandbox: { readonly isReady: boolean; readonly isRemoved: boolean };
  readonly kubernetes: ServedVersion;
  /** Types of spec.readinessGates. */
  readonly readinessGates: readonly string[];
  /** Conditions of the pod that others wrote, by type. */
  readonly foreign: ReadonlyMap<string, string>;
}

/** The kubelet's conditions of a pod, without times. */
export function podConditions(input: ConditionInput): readonly ConditionFacts[] {
  return conditionFacts(input.phase, sandboxFacts(input), uninitialized(input), unready(input), unmetGates(input));
}

const SANDBOX = "PodReadyToStartContainers";
const SANDBOX_READY: ConditionFacts = { type: SANDBOX, status: "True" };
const [NO_SANDBOX, NO_SANDBOX_ANY_MORE] = ["no pod sandbox exists", "pod sandbox is not ready"].map(
  (message): ConditionFacts => ({ type: SANDBOX, status: "False", reason: "PodSandboxNotReady", message }),
) as [ConditionFacts, ConditionFacts];
const WITHOUT_REASON: ConditionFacts = { type: SANDBOX, status: "False" };

function sandboxFacts({ sandbox, kubernetes }: ConditionInput): ConditionFacts {
  if (sandbox.isReady) return SANDBOX_READY;
  if (isAhead("reasons-of-sandboxes", kubernetes)) return WITHOUT_REASON;
  return sandbox.isRemoved ? NO_SANDBOX_ANY_MORE : NO_SANDBOX;
}

/** The arguments after the second are messages; undefined: nothing to say. */
const conditionFacts = memoize(
  (
    phase: PodPhase,
    sandbox: ConditionFacts,
    incompleteMessage: string | undefined,
    unreadyMessage: string | undefined,
    gatesMessage: string | undefined,
  ): readonly ConditionFacts[] => {
    const containersReady = readyFacts("ContainersReady", phase, unreadyMessage);
    return [
      sandbox,
      initializedFacts(phase, incompleteMessage),
      podReadyFacts(containersReady, gatesMessage),
      containersReady,
      { type: "PodScheduled", status: "True" },
    ];
  },
);

function uninitialized({ containers }: ConditionInput): string | undefined {
  const incomplete = containers.filter((view) =>
    view.kind === "init"
      ? view.status.state.terminated?.exitCode !== 0
      : view.kind === "sidecar" && !view.status.started,
  );
  if (incomplete.length === 0) return undefined;
  const mainHasRun = containers.some(
    (view) =>
      view.kind === "main" &&
      (view.status.state.waiting === undefined || view.status.lastState.terminated !== undefined),
  );
  // A sidecar that restarts later does not make the pod uninitialized again.
  return mainHasRun ? undefined : `containers with incomplete status: [${names(incomplete)}]`;
}

function initializedFacts(phase: PodPhase, message: string | undefined): ConditionFacts {
  if (phase === "Succeeded") return { type: "Initialized", status: "True", reason: "PodCompleted" };
  if (message === undefined) return { type: "Initialized", status: "True" };
  return { type: "Initialized", status: "False", reason: "ContainersNotInitialized", message };
}

function unready({ containers }: ConditionInput): string | undefined {
  const list = containers.filter((view) => view.kind !== "init" && !view.status.ready);
  return list.length === 0 ? undefined : `containers with unready status: [${names(list)}]`;
}

function readyFacts(type: string, phase: PodPhase, message: string | undefined): ConditionFacts {
  if (phase === "Succeeded") return { type, status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { type, status: "False", reason: "PodFailed" };
  if (message === undefined) return { type, status: "True" };
  return { type, status: "False", reason: "ContainersNotReady", message };
}

function unmetGates({ readinessGates, foreign }: ConditionInput): string | undefined {
  if (readinessGates.length === 0) return undefined;
  const missing = readinessGates.filter((gate) => !foreign.has(gate));
  const notTrue = readinessGates.filter((gate) => foreign.has(gate) && foreign.get(gate) !== "True");
  if (missing.length === 0 && notTrue.length === 0) return undefined;
  const messages = [
    ...missing.map((gate) => `corresponding condition of pod readiness gate "${gate}" does not exist.`),
    ...notTrue.map((gate) => `the status of pod readiness gate "${gate}" is not "True", but ${foreign.get(gate)}`),
  ];
  return messages.join(", ");
}

function podReadyFacts(containersReady: ConditionFacts, gatesMessage: string | undefined): ConditionFacts {
  if (containersReady.status === "False") return { ...containersReady, type: "Ready" };
  if (gatesMessage === undefined) return { type: "Ready", status: "True" };
  return { type: "Ready", status: "False", reason: "ReadinessGatesNotReady", message: gatesMessage };
}

/** The facts as full conditions: lastTransitionTime is kept where the status of `previous` is the same. */
export const withTransitionTimes = memoize(
  (
    facts: readonly ConditionFacts[],
    previous: readonly PodCondition[],
    now: string,
    observedGeneration: number | undefined,
  ): PodCondition[] =>
    facts.map(({ type, status, reason, message }) => {
      const before = previous.find((condition) => condition.type === type);
      const isSame =
        before?.status === status &&
        before.reason === reason &&
        before.message === message &&
        before.observedGeneration === observedGeneration;
      if (isSame) return before;
      return {
        type,
        ...(observedGeneration === undefined ? {} : { observedGeneration }),
        status,
        lastProbeTime: null,
        lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
        ...(reason === undefined ? {} : { reason }),
        ...(message === undefined ? {} : { message }),
      };
    }),
);

function names(containers: readonly ContainerView[]): string {
  return containers.map((view) => view.status.name).join(" ");
}
