/**
 * The pod conditions that a kubelet writes, in its order, as a pure function of phase and containers (docs/spec/api.md 5.5).
 * Conditions of others (`DisruptionTarget`, readiness gates) are not the kubelet's and do not appear in the result.
 * Source: pkg/kubelet/status/generate.go.
 */
import type { ContainerView } from "./container-status.ts";
import type { PodPhase } from "./pod-phase.ts";

export interface PodCondition {
  type: string;
  observedGeneration?: number;
  status: "True" | "False";
  lastProbeTime: null;
  lastTransitionTime: string;
  reason?: string;
  message?: string;
}

/** What decides a condition; times are added by `withTransitionTimes`. */
export type ConditionFacts = Pick<PodCondition, "type" | "status" | "reason" | "message">;

export interface ConditionInput {
  readonly phase: PodPhase;
  readonly containers: readonly ContainerView[];
  /** What the containers share (network, volumes) exists. */
  readonly sandboxReady: boolean;
  /** Types of spec.readinessGates. */
  readonly readinessGates: readonly string[];
  /** Conditions of the pod that others wrote, by type. */
  readonly foreign: ReadonlyMap<string, string>;
}

export function podConditions(input: ConditionInput): ConditionFacts[] {
  const containersReady = readyFacts("ContainersReady", input);
  return [
    { type: "PodReadyToStartContainers", status: input.sandboxReady ? "True" : "False" },
    initializedFacts(input),
    podReadyFacts(input, containersReady),
    containersReady,
    { type: "PodScheduled", status: "True" },
  ];
}

function initializedFacts({ phase, containers }: ConditionInput): ConditionFacts {
  if (phase === "Succeeded") return { type: "Initialized", status: "True", reason: "PodCompleted" };
  const mainHasRun = containers.some(
    (view) => view.kind === "main" && (view.status.state.waiting === undefined || view.status.lastState.terminated !== undefined),
  );
  const incomplete = containers.filter((view) =>
    view.kind === "init" ? view.status.state.terminated?.exitCode !== 0 : view.kind === "sidecar" && !view.status.started,
  );
  // A sidecar that restarts later does not take the pod back to its beginning.
  if (incomplete.length === 0 || mainHasRun) return { type: "Initialized", status: "True" };
  return {
    type: "Initialized",
    status: "False",
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: [${names(incomplete)}]`,
  };
}

function readyFacts(type: string, { phase, containers }: ConditionInput): ConditionFacts {
  if (phase === "Succeeded") return { type, status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { type, status: "False", reason: "PodFailed" };
  const unready = containers.filter((view) => view.kind !== "init" && !view.status.ready);
  if (unready.length === 0) return { type, status: "True" };
  return { type, status: "False", reason: "ContainersNotReady", message: `containers with unready status: [${names(unready)}]` };
}

function podReadyFacts(input: ConditionInput, containersReady: ConditionFacts): ConditionFacts {
  if (containersReady.status === "False") return { ...containersReady, type: "Ready" };
  const missing = input.readinessGates.filter((gate) => !input.foreign.has(gate));
  const notTrue = input.readinessGates.filter((gate) => input.foreign.has(gate) && input.foreign.get(gate) !== "True");
  if (missing.length === 0 && notTrue.length === 0) return { type: "Ready", status: "True" };
  const messages = [
    ...missing.map((gate) => `corresponding condition of pod readiness gate "${gate}" does not exist.`),
    ...notTrue.map((gate) => `the status of pod readiness gate "${gate}" is not "True", but ${input.foreign.get(gate)}`),
  ];
  return { type: "Ready", status: "False", reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}

/** The facts as full conditions: lastTransitionTime is kept where the status of `previous` is the same. */
export function withTransitionTimes(
  facts: readonly ConditionFacts[],
  previous: readonly PodCondition[],
  now: string,
  observedGeneration: number | undefined,
): PodCondition[] {
  return facts.map(({ type, status, reason, message }) => {
    const before = previous.find((condition) => condition.type === type);
    const isSame = before?.status === status && before.reason === reason && before.message === message && before.observedGeneration === observedGeneration;
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
  });
}

function names(containers: readonly ContainerView[]): string {
  return containers.map((view) => view.status.name).join(" ");
}
