/**
 * The containers of a pod, and the one whose end decided how the pod ended.
 *
 * Invariant: a container that runs as long as its pod, one with `restartPolicy: Always`, is never blamed for how it
 * ended once the work of the pod was over: the kubelet stopped it then. Source: docs/spec/api.md 5.4.
 */
import { timeOf } from "../admission/status-facts";
import { ABSENT, after, JsonNode, listOf, objectOf, stringOf } from "../json/tree";
import { isStartedAgain } from "../lint/restarts";

const SIGKILL_CODE: i64 = 137;
const SIGTERM_CODE: i64 = 143;
const ALWAYS = "Always";
/** Of each list of a pod. A real pod has far fewer; this bounds the search for their specs. */
const MAX_CONTAINERS: i32 = 250;

/** A container of a pod, by its status. */
export class Container {
  status: JsonNode;
  /** Null: the spec does not have it. */
  spec: JsonNode | null;
  isInit: bool;

  constructor(status: JsonNode, spec: JsonNode | null, isInit: bool) {
    this.status = status;
    this.spec = spec;
    this.isInit = isInit;
  }

  get name(): string {
    return this.status.string("name");
  }

  /** Whether it runs as long as the pod does, however often it ends. */
  get isHelper(): bool {
    return stringOf(this.spec, "restartPolicy") == ALWAYS;
  }

  /** How its present attempt ended; null: it has not. */
  get end(): JsonNode | null {
    return objectOf(this.status.object("state"), "terminated");
  }

  /** How the attempt before that ended; null: there was none. */
  get lastEnd(): JsonNode | null {
    return objectOf(this.status.object("lastState"), "terminated");
  }
}

/** An end that may have decided. */
export class ContainerEnd {
  container: Container;
  terminated: JsonNode;

  constructor(container: Container, terminated: JsonNode) {
    this.container = container;
    this.terminated = terminated;
  }

  /** ABSENT: it is not known. */
  get exitCode(): i64 {
    return this.terminated.integer("exitCode");
  }

  get reason(): string {
    return this.terminated.string("reason");
  }

  /** NaN: it is not known. */
  get atMs(): f64 {
    return timeOf(this.terminated, "finishedAt");
  }

  /** Which start of the container it was: 0 is the first. One that waits to be started again is not counted yet. */
  get attempt(): i64 {
    const status = this.container.status;
    const state = status.object("state");
    const isPresent = this.terminated === this.container.end || (state !== null && state.has("waiting"));
    return max<i64>(0, status.integer("restartCount")) - (isPresent ? 0 : 1);
  }

  /** Whether SIGTERM or SIGKILL ended it. A program may also exit with these codes without a signal. */
  get isSignalled(): bool {
    const code = this.exitCode;
    return code == SIGKILL_CODE || code == SIGTERM_CODE;
  }
}

/** The containers of a pod that have a status, init containers first. */
export function containersOf(pod: JsonNode): Container[] {
  const found = new Array<Container>();
  const spec = pod.object("spec");
  const status = pod.object("status");
  addContainers(found, listOf(status, "initContainerStatuses"), listOf(spec, "initContainers"), true);
  addContainers(found, listOf(status, "containerStatuses"), listOf(spec, "containers"), false);
  return found;
}

function addContainers(to: Container[], statuses: JsonNode | null, specs: JsonNode | null, areInits: bool): void {
  if (statuses === null) return;
  for (let status = statuses.first; status !== null && status.index < MAX_CONTAINERS; status = after(status)) {
    to.push(new Container(status, containerNamed(specs, status.string("name")), areInits));
  }
}

/** The container of this name in a list of a pod's spec; null: it has none. */
export function containerNamed(list: JsonNode | null, name: string): JsonNode | null {
  if (list === null) return null;
  for (let item = list.first; item !== null; item = after(item)) if (item.string("name") == name) return item;
  return null;
}

/**
 * The failure that ended the pod: the first, which may have stopped the others. Null: no container failed.
 * @param isEnding the pod has ended, or is being deleted
 */
export function decidingFailure(
  containers: Container[],
  podSpec: JsonNode | null,
  isEnding: bool,
): ContainerEnd | null {
  const areHelpersStopped = isEnding || isWorkOver(containers, podSpec);
  let found: ContainerEnd | null = null;
  for (let i = 0; i < containers.length; i++) {
    const candidate = failureOf(containers[i], containers[i].end);
    if (candidate === null || (containers[i].isHelper && areHelpersStopped)) continue;
    if (found === null || isCause(candidate, found)) found = candidate;
  }
  return found;
}

/** The last failure of a container that was started again. Null: there was none. */
export function lastRestartedFailure(containers: Container[]): ContainerEnd | null {
  let found: ContainerEnd | null = null;
  for (let i = 0; i < containers.length; i++) {
    const candidate = failureOf(containers[i], containers[i].lastEnd);
    if (candidate === null) continue;
    if (found === null || outranks(candidate, found) || (isEqual(candidate, found) && candidate.atMs > found.atMs))
      found = candidate;
  }
  return found;
}

function failureOf(container: Container, terminated: JsonNode | null): ContainerEnd | null {
  if (terminated === null) return null;
  const end = new ContainerEnd(container, terminated);
  const code = end.exitCode;
  return code == 0 || code == ABSENT ? null : end;
}

// Whether the first end is the cause, and the second perhaps its effect. Of equals the first in the spec is.
function isCause(end: ContainerEnd, than: ContainerEnd): bool {
  if (!isEqual(end, than)) return outranks(end, than);
  const endMs = end.atMs;
  const thanMs = than.atMs;
  if (endMs < thanMs) return true;
  const isKilled = end.isSignalled && end.reason != "OOMKilled";
  return endMs == thanMs && !isKilled && than.isSignalled && than.reason != "OOMKilled";
}

function outranks(end: ContainerEnd, than: ContainerEnd): bool {
  return !end.container.isHelper && than.container.isHelper;
}

function isEqual(end: ContainerEnd, than: ContainerEnd): bool {
  return end.container.isHelper == than.container.isHelper;
}

/** Whether every container that does the work of the pod has ended for good. */
export function isWorkOver(containers: Container[], podSpec: JsonNode | null): bool {
  let works = 0;
  for (let i = 0; i < containers.length; i++) {
    const container = containers[i];
    if (container.isInit || container.isHelper) continue;
    const end = container.end;
    if (end === null || isStartedAgain(podSpec, container.spec, end.integer("exitCode"))) return false;
    ++works;
  }
  return works > 0;
}
