/**
 * The fields of a Job's template that explain the state of a pod, and what the pod itself says about it. Who ended a
 * pod is the engine's to say (account.ts). Container fields are those of the container that ended or waits, or of the
 * first one if that is unknown.
 */
import type { EndCode } from "../../bindings/js/abi.ts";
import type { Attempt } from "../../bindings/js/engine.ts";
import type { ContainerStatus } from "../../cluster/kubelet/pod-failure.ts";
import { PodState } from "../records.ts";
import type { Pod, PodStatus } from "../../cluster/values/kinds.ts";

const TEMPLATE = "spec.template";
const POD = `${TEMPLATE}.spec`;
/** How the simulated containers of the playground end. */
const SIMULATE = `${TEMPLATE}.metadata.annotations[stint.dev/simulate]`;

/** By the detail of a state that is no end: fields of the pod's spec; `*` is the container. */
const WAITS: readonly (readonly [detail: RegExp, fields: readonly string[]])[] = [
  [/^Unschedulable$/, ["nodeSelector", "affinity", "tolerations", "*.resources.requests"]],
  [/^SchedulingGated$/, ["schedulingGates"]],
  [/Image/, ["*.image", "imagePullSecrets"]],
  [/^CreateContainerConfigError$/, ["*.env", "*.envFrom", "volumes"]],
  [/^CrashLoopBackOff$/, ["restartPolicy"]],
];

/** By who ended the pod: fields of its spec, and of the Job's spec with `spec.` before them. */
const ENDS: Readonly<Record<EndCode, readonly string[]>> = {
  Completed: [],
  Exited: ["restartPolicy", "*.command", "*.args"],
  OutOfMemory: ["*.resources.limits.memory", "*.resources.limits"],
  CannotStart: ["*.image", "*.command"],
  LivenessProbe: ["*.livenessProbe"],
  StartupProbe: ["*.startupProbe"],
  KubeletEviction: ["*.resources.requests", "*.resources.limits"],
  KubeletPreemption: ["priorityClassName"],
  NodeShutdown: [],
  NodeLost: [],
  NodeRejected: ["*.resources.requests", "nodeSelector", "affinity"],
  Preempted: ["priorityClassName"],
  TaintEviction: ["tolerations"],
  ApiEviction: [],
  PodDeadline: ["activeDeadlineSeconds"],
  JobDeadline: ["spec.activeDeadlineSeconds"],
  FailurePolicy: ["spec.podFailurePolicy"],
  JobEnd: [],
  JobDeleted: [],
  Suspended: ["spec.suspend"],
  ScaledDown: ["spec.parallelism"],
  Deleted: [],
  Unknown: ["restartPolicy"],
};

/**
 * Paths in the manifest of the Job.
 * @param pod its version at that time, if that is kept @param attempt what became of it, if the engine says that
 */
export function fieldsBehind(
  state: PodState,
  detail: string,
  pod: Pod | undefined,
  attempt: Pick<Attempt, "container" | "endedBy"> | undefined,
): readonly string[] {
  const container = pod === undefined ? "containers[0]" : containerPath(pod, attempt?.container ?? "");
  const waits = WAITS.find(([pattern]) => pattern.test(detail))?.[1] ?? [];
  const ends = attempt?.endedBy == null ? [] : ENDS[attempt.endedBy];
  const fields = [...waits, ...ends].map((field) =>
    field.startsWith("spec.") ? field : `${POD}.${field.replace("*", container)}`,
  );
  const isEnd = state === PodState.SUCCEEDED || state === PodState.FAILED;
  if (isEnd || state === PodState.WAITING) fields.unshift(SIMULATE);
  if (state === PodState.TERMINATING) fields.push(`${POD}.terminationGracePeriodSeconds`);
  return [...new Set(fields)];
}

/** The message of scheduler or kubelet about what a pod waits for: `0/3 nodes are available: …`; empty: none. */
export function messageOf(state: PodState, pod: Pod): string {
  const status = pod.status ?? {};
  if (state === PodState.PENDING) return conditionMessage(status, "PodScheduled");
  return state === PodState.WAITING ? (waitingContainer(pod)?.status.state?.waiting?.message ?? "") : "";
}

function conditionMessage(status: PodStatus, type: string): string {
  const conditions: readonly { readonly type: string; readonly message?: string }[] = status.conditions ?? [];
  return conditions.find((condition) => condition.type === type)?.message ?? "";
}

const LISTS = ["initContainers", "containers"] as const;

interface Waiting {
  readonly status: ContainerStatus;
  readonly list: (typeof LISTS)[number];
}

function waitingContainer({ status = {} }: Pod): Waiting | undefined {
  const of = (list: Waiting["list"], statuses: readonly ContainerStatus[] = []): readonly Waiting[] =>
    statuses.map((container) => ({ status: container, list }));
  return [...of("initContainers", status.initContainerStatuses), ...of("containers", status.containerStatuses)].find(
    ({ status: { state } }) => state?.waiting !== undefined && state.waiting.reason !== "PodInitializing",
  );
}

/** `initContainers[1]`, below the spec of the pod. @param ended the container whose end decided; empty: none */
function containerPath(pod: Pod, ended: string): string {
  const name = ended || waitingContainer(pod)?.status.name;
  for (const list of LISTS) {
    const containers: readonly { readonly name: string }[] = pod.spec?.[list] ?? [];
    const index = containers.findIndex((container) => container.name === name);
    if (index >= 0) return `${list}[${index}]`;
  }
  return "containers[0]";
}
