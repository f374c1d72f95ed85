/**
 * The fields of a Job's template that explain the state of a pod, and what the pod itself says about it. Container
 * fields are those of the container that is in that state, or of the first one if that is unknown.
 */
import { type ContainerStatus, failedContainer, type FailedContainer } from "../../cluster/kubelet/pod-failure.ts";
import { PodState } from "../records.ts";
import type { Pod, PodStatus } from "../../cluster/values/kinds.ts";

const TEMPLATE = "spec.template";
const POD = `${TEMPLATE}.spec`;
/** How the simulated containers of the playground end. */
const SIMULATE = `${TEMPLATE}.metadata.annotations[stint.dev/simulate]`;

/** By the detail of a state: fields of the pod's spec; `*` is the container. */
const FIELDS: readonly (readonly [detail: RegExp, fields: readonly string[]])[] = [
  [/^Unschedulable$/, ["nodeSelector", "affinity", "tolerations", "*.resources.requests"]],
  [/^SchedulingGated$/, ["schedulingGates"]],
  [/Image/, ["*.image", "imagePullSecrets"]],
  [/^CreateContainerConfigError$/, ["*.env", "*.envFrom", "volumes"]],
  [/^CrashLoopBackOff$/, ["restartPolicy"]],
  [/^OOMKilled$/, ["*.resources.limits.memory", "*.resources.limits"]],
  [/^DeadlineExceeded$/, ["activeDeadlineSeconds"]],
  [/^exit code/, ["restartPolicy", "*.command", "*.args"]],
];

/** Paths in the manifest of the Job. @param pod its version at that time, if that is kept */
export function fieldsBehind(state: PodState, detail: string, pod: Pod | undefined): readonly string[] {
  const container = pod === undefined ? "containers[0]" : containerPath(pod);
  const named = FIELDS.find(([pattern]) => pattern.test(detail))?.[1] ?? [];
  const fields = named.map((field) => `${POD}.${field.replace("*", container)}`);
  const isEnd = state === PodState.SUCCEEDED || state === PodState.FAILED;
  if (isEnd || state === PodState.WAITING) fields.unshift(SIMULATE);
  if (state === PodState.TERMINATING) fields.push(`${POD}.terminationGracePeriodSeconds`);
  return fields;
}

/** The message of scheduler or kubelet about the state: `0/3 nodes are available: …`; empty: none. */
export function messageOf(state: PodState, pod: Pod): string {
  const status = pod.status ?? {};
  if (state === PodState.PENDING) return conditionMessage(status, "PodScheduled");
  if (state === PodState.WAITING) return blamed(pod)?.status.state?.waiting?.message ?? "";
  if (state === PodState.TERMINATING) return conditionMessage(status, "DisruptionTarget");
  return state === PodState.FAILED ? (status.message ?? conditionMessage(status, "DisruptionTarget")) : "";
}

function conditionMessage(status: PodStatus, type: string): string {
  const conditions: readonly { readonly type: string; readonly message?: string }[] = status.conditions ?? [];
  return conditions.find((condition) => condition.type === type)?.message ?? "";
}

type Blamed = Pick<FailedContainer, "status" | "list">;

/** The container that causes the state of the pod: it waits, or it has failed. */
function blamed(pod: Pod): Blamed | undefined {
  return waitingContainer(pod) ?? failedContainer(pod, "state");
}

function waitingContainer({ status = {} }: Pod): Blamed | undefined {
  const of = (list: Blamed["list"], statuses: readonly ContainerStatus[] = []): readonly Blamed[] =>
    statuses.map((container) => ({ status: container, list }));
  return [...of("initContainers", status.initContainerStatuses), ...of("containers", status.containerStatuses)].find(
    ({ status: { state } }) => state?.waiting !== undefined && state.waiting.reason !== "PodInitializing",
  );
}

/** `initContainers[1]`, below the spec of the pod. */
function containerPath(pod: Pod): string {
  const found = blamed(pod);
  if (found === undefined) return "containers[0]";
  const containers: readonly { readonly name: string }[] = pod.spec?.[found.list] ?? [];
  const index = containers.findIndex(({ name }) => name === found.status.name);
  return `${found.list}[${Math.max(0, index)}]`;
}
