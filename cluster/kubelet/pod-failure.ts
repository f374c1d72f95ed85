/**
 * Finds the container that made a pod fail, for what cannot ask the whole engine: the word in a bar of the playground's
 * picture. Who ended a pod is the engine's to say (bindings/ABI.md, "account").
 *
 * Invariant: a container that has to run as long as the pod does, an init container or one with `restartPolicy:
 * Always`, is never blamed for how it ended once the work of the pod was over: the kubelet stopped it then. Leaves out
 * the failure of the pod as a whole (`status.reason`: Evicted, DeadlineExceeded), which comes before any container, and
 * what the rules of a podFailurePolicy match, which the engine decides.
 */
import { containersOf } from "./container-status.ts";
import { restartDecision } from "./restart-policy.ts";
import type { Container, Pod, PodSpec, PodStatus } from "../values/kinds.ts";

/** Exit codes of a container that SIGKILL or SIGTERM ended. */
const STOPPED_EXIT_CODES: ReadonlySet<number> = new Set([137, 143]);
const OUT_OF_MEMORY = "OOMKilled";

/** A pod as a file has it may lack what the API always serves. */
interface Reported {
  readonly spec?: Partial<PodSpec>;
  readonly status?: PodStatus;
}

/** What of a container's status is read here. */
export interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: object;
    readonly terminated?: ContainerEnd;
  };
  readonly lastState?: { readonly terminated?: ContainerEnd };
}

export interface ContainerEnd {
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339 in UTC with whole seconds, which sorts by time. */
  readonly finishedAt?: string | null;
}

/** A container that failed, and how. */
export interface FailedContainer {
  readonly status: ContainerStatus;
  readonly end: ContainerEnd;
  /** The container's list in the pod's spec and status. */
  readonly list: "initContainers" | "containers";
}

/**
 * What a container is for. `work`: the pod ends when these have ended. `setup`: an ordinary init container, which keeps
 * `work` from starting when it fails. `helper`: it runs as long as the pod and is started again whenever it ends.
 */
type Role = "work" | "setup" | "helper";

interface Member {
  readonly status: ContainerStatus;
  readonly list: FailedContainer["list"];
  readonly role: Role;
  /** Empty: the pod's spec does not have it. */
  readonly spec: Partial<Container>;
}

/** The container whose end made the pod fail; undefined: no container did, as far as the pod says. */
export function failedContainer(pod: Pod): FailedContainer | undefined {
  const members = membersOf(pod);
  const areHelpersStopped = isEnding(pod) || isWorkOver(pod, members);
  const candidates = members.flatMap(({ status, list, role }) => {
    const end = status.state?.terminated;
    if (end === undefined || (end.exitCode ?? 0) === 0) return [];
    return role === "helper" && areHelpersStopped ? [] : [{ status, end, list, role }];
  });
  // Both sorts of candidates are in the order of the spec, which decides between equals.
  return candidates.toSorted(byCause)[0];
}

type Candidate = FailedContainer & { readonly role: Role };

// The first failure is the cause, and may have stopped the rest.
function byCause(a: Candidate, b: Candidate): number {
  return (
    rankOf(a.role) - rankOf(b.role) || timeOf(a).localeCompare(timeOf(b)) || Number(isStopped(a)) - Number(isStopped(b))
  );
}

// When an init container has failed, no work has ended since: the kubelet would not have started it.
function rankOf(role: Role): number {
  return role === "helper" ? 1 : 0;
}

function timeOf({ end }: Candidate): string {
  return end.finishedAt ?? "";
}

function isStopped({ end }: Candidate): boolean {
  return STOPPED_EXIT_CODES.has(end.exitCode!) && end.reason !== OUT_OF_MEMORY;
}

function membersOf({ spec = {}, status = {} }: Reported): Member[] {
  const specs = containersOf(spec);
  const member = (list: Member["list"], container: ContainerStatus): Member => {
    const kinds = list === "containers" ? ["main"] : ["init", "sidecar"];
    const found = specs.find(({ kind, container: { name } }) => kinds.includes(kind) && name === container.name);
    const isHelper = found?.container.restartPolicy === "Always";
    return {
      status: container,
      list,
      spec: found?.container ?? {},
      role: isHelper ? "helper" : list === "containers" ? "work" : "setup",
    };
  };
  return [
    ...listOf(status.initContainerStatuses).map((container) => member("initContainers", container)),
    ...listOf(status.containerStatuses).map((container) => member("containers", container)),
  ];
}

function listOf(statuses: unknown): readonly ContainerStatus[] {
  return Array.isArray(statuses) ? statuses : [];
}

// Whether every container that does the work has ended for good.
function isWorkOver({ spec = {} }: Reported, members: readonly Member[]): boolean {
  // A Job's pods never have the default, Always.
  const podSpec = { restartPolicy: "Never", ...spec };
  const work = members.filter(({ role }) => role === "work");
  return (
    work.length > 0 &&
    work.every(({ spec: container, status: { state } }) => {
      const end = state?.terminated;
      return end !== undefined && restartDecision(podSpec, container, "main", end.exitCode ?? 0) === "No";
    })
  );
}

// Whether the kubelet has ended the pod, or is about to because it was deleted.
function isEnding({ metadata, status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed" || metadata.deletionTimestamp !== undefined;
}
