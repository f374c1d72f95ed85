/**
 * What a kubelet knows about one container of one pod: its present state, its last two terminations, and its restarts.
 *
 * Invariant: `ended` is the termination of the latest attempt that has ended, `endedBefore` that of the previous one,
 * and restartCount is the number of the latest attempt that started. The status in the API is derived only from these.
 * Leaves out when to start and stop: pod-worker.ts decides that, and the record only notes what happened.
 */
import { formatTime } from "../values/times.ts";
import type { Timer } from "../../bindings/js/host.ts";
import type { ContainerHandle, RunningProbes } from "./container-runtime.ts";
import type { ContainerLog } from "./container-log.ts";
import { containersOf } from "./container-status.ts";
import type { ContainerKind, ContainerStatus, ContainerView, TerminatedState } from "./container-status.ts";
import { CrashLoopBackoff } from "./crash-loop-backoff.ts";
import { restartDecision } from "./restart-policy.ts";
import type { RestartDecision } from "./restart-policy.ts";
import type { Container, Pod } from "../values/kinds.ts";

/** One attempt in the runtime, from the request to its end. */
export interface ContainerRun {
  readonly attempt: number;
  /** Undefined until the container has started. Until then the log of the previous attempt stays the current one. */
  log: ContainerLog | undefined;
  /** Undefined while the environment is being fetched. */
  handle: ContainerHandle | undefined;
  /** The grace period with which the container was asked to stop, in seconds. */
  stopGraceSeconds: number | undefined;
}

/** Shared by all containers that did not end before. */
const NO_STATE: ContainerStatus["lastState"] = {};
/** The probe results of a container without probes. */
const PASSED = { started: true, ready: true };
/** Exit code of a container that the kubelet can no longer find. */
const UNKNOWN_EXIT_CODE = 137;
/** Upstream's message for such a container, at any time. */
const UNKNOWN_MESSAGE = "The container could not be located when the pod was terminated";

export class ContainerRecord {
  readonly kind: ContainerKind;
  /** The spec to start it with; a resize replaces it. */
  container: Container;
  readonly name: string;
  mode: "waiting" | "running" | "terminated" = "waiting";
  waiting: { reason: string; message?: string };
  ended: TerminatedState | undefined;
  /** End of the latest attempt that is over, in milliseconds since 1970. */
  endedAtMs = 0;
  /** Whether another attempt follows `ended`. */
  decision: RestartDecision = "No";
  restartCount = 0;
  run: ContainerRun | undefined;
  probes: RunningProbes | undefined;
  /** The probe results of the running attempt. */
  probed = PASSED;
  /** Wakes the worker when the container may start again. */
  timer: Timer | undefined;
  /** How often in a row the next attempt failed to start. */
  startFailures = 0;
  /** The next attempt does not begin before this time. */
  notBeforeMs = 0;
  readonly backoff = new CrashLoopBackoff();
  #endedBefore: TerminatedState | undefined;
  #startedAt = "";
  #containerID: string | undefined;

  constructor(kind: ContainerKind, container: Container, waitingReason: string) {
    this.kind = kind;
    this.container = container;
    this.name = container.name;
    this.waiting = { reason: waitingReason };
  }

  /** The list of the pod's spec that has it. */
  get list(): string {
    return this.kind === "main" ? "containers" : "initContainers";
  }

  /** Number of the next attempt, 0 for the first. */
  get nextAttempt(): number {
    return this.ended === undefined ? this.restartCount : this.restartCount + 1;
  }

  /** True if the container is over and stays over. */
  get isOver(): boolean {
    return this.mode === "terminated" && this.decision === "No";
  }

  /** It runs, and its startup probe has succeeded if it has one. */
  get isStarted(): boolean {
    return this.mode === "running" && this.probed.started;
  }

  wait(reason: string, message?: string): void {
    this.mode = "waiting";
    this.waiting = message ? { reason, message } : { reason };
  }

  started(attempt: number, containerID: string, nowMs: number): void {
    this.mode = "running";
    this.probed = PASSED;
    this.restartCount = attempt;
    this.startFailures = 0;
    this.#startedAt = formatTime(nowMs);
    this.#containerID = containerID;
  }

  /** @param end how it ended; the record adds times and id. */
  exited(
    attempt: number,
    end: Pick<TerminatedState, "exitCode" | "signal" | "reason" | "message">,
    decision: RestartDecision,
    nowMs: number,
  ): void {
    const now = formatTime(nowMs);
    const hasStarted = this.mode === "running";
    this.#endedBefore = this.ended;
    this.ended = {
      exitCode: end.exitCode,
      ...(end.signal ? { signal: end.signal } : {}),
      reason: end.reason,
      ...(end.message ? { message: end.message } : {}),
      startedAt: hasStarted ? this.#startedAt : now,
      finishedAt: now,
      ...(hasStarted && this.#containerID !== undefined ? { containerID: this.#containerID } : {}),
    };
    this.restartCount = attempt;
    this.startFailures = 0;
    this.mode = "terminated";
    this.decision = decision;
    this.endedAtMs = nowMs;
  }

  /** The pod has ended, so the container no longer waits for anything. */
  settle(hasPodInitialized: boolean): void {
    this.decision = "No";
    if (this.mode !== "waiting") return;
    if (this.ended !== undefined) this.mode = "terminated";
    else if (hasPodInitialized) this.#lost();
  }

  /** The container existed, or should have existed, but how it ended is unknown. */
  #lost(): void {
    this.ended = { exitCode: UNKNOWN_EXIT_CODE, reason: "ContainerStatusUnknown", message: UNKNOWN_MESSAGE };
    this.mode = "terminated";
  }

  /**
   * Restores what an earlier kubelet wrote. A container that ran then is gone now; `decide` says whether it runs again.
   */
  restore(status: ContainerStatus, decide: (exitCode: number) => RestartDecision, nowMs: number): void {
    this.restartCount = status.restartCount;
    this.#containerID = status.containerID;
    this.ended = status.lastState.terminated;
    if (status.state.terminated !== undefined) {
      this.#endedBefore = this.ended;
      this.ended = status.state.terminated;
      this.mode = "terminated";
    } else if (status.state.running !== undefined) {
      this.#endedBefore = this.ended;
      this.#lost();
      this.ended = { ...this.ended!, startedAt: status.state.running.startedAt, finishedAt: formatTime(nowMs) };
    } else if (this.ended !== undefined) {
      this.mode = "terminated";
    }
    if (this.ended === undefined) return;
    this.decision = decide(this.ended.exitCode);
    this.endedAtMs = nowMs;
  }

  status(): ContainerStatus {
    const running = this.mode === "running";
    const lastTermination = this.mode === "terminated" ? this.#endedBefore : this.ended;
    return {
      name: this.name,
      state: running
        ? { running: { startedAt: this.#startedAt } }
        : this.mode === "terminated"
          ? { terminated: this.ended! }
          : { waiting: this.waiting },
      lastState: lastTermination === undefined ? NO_STATE : { terminated: lastTermination },
      ready:
        this.kind === "init"
          ? this.mode === "terminated" && this.ended!.exitCode === 0
          : this.isStarted && this.probed.ready,
      restartCount: this.restartCount,
      image: this.container.image ?? "",
      imageID: this.#containerID === undefined ? "" : (this.container.image ?? ""),
      ...(this.#containerID === undefined ? {} : { containerID: this.#containerID }),
      started: this.isStarted,
    };
  }

  view(): ContainerView {
    return {
      kind: this.kind,
      status: this.status(),
      willRestart: this.mode !== "running" && this.ended !== undefined && this.decision !== "No",
    };
  }
}

/**
 * The records of a pod's containers in the order in which they start, with what an earlier kubelet of the node wrote
 * about them.
 */
export function recordsOf(pod: Pod, nowMs: number): ContainerRecord[] {
  const { spec, status = {} } = pod;
  const waitingReason = (spec.initContainers ?? []).length > 0 ? "PodInitializing" : "ContainerCreating";
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])] as ContainerStatus[];
  return containersOf(spec).map(({ kind, container }) => {
    const record = new ContainerRecord(kind, container, waitingReason);
    const known = statuses.find(({ name }) => name === record.name);
    if (known !== undefined)
      record.restore(known, (exitCode) => restartDecision(spec, container, kind, exitCode), nowMs);
    return record;
  });
}
