/**
 * Runs one pod from the moment its node sees it to its terminal status: a state machine whose only step, `sync`,
 * compares what should run with what runs, and acts on the difference.
 *
 * Invariant: `sync` may be called at any time and any number of times. A pod has ended when there is a cause to stop
 * and no container runs any more. Only then is its terminal status published, and nothing starts afterwards. Leaves out
 * the rules (phase, conditions, restart policy, backoff), which are pure functions in other files, and the final
 * deletion of the object, which kubelet.ts does. Source: pkg/kubelet/pod_workers.go and kuberuntime_manager.go;
 * docs/spec/api.md 4.5 and 5.4–5.6.
 */
import type { ServedVersion } from "../values/kubernetes-versions.ts";
import type { Timer, TimerKind } from "../../bindings/js/host.ts";
import { formatTime, parseTime } from "../values/times.ts";
import type { ApiClient, ApiError } from "../client/client.ts";
import { goDuration } from "../values/kube-time.ts";
import { memoize } from "../values/memoize.ts";
import { startContainer } from "./container-start.ts";
import { recordsOf } from "./container-record.ts";
import type { ContainerRecord, ContainerRun } from "./container-record.ts";
import type { ContainerExit, ContainerRuntime, ProbeHost } from "./container-runtime.ts";
import type { ContainerLog, OutputStream } from "./container-log.ts";
import type { TerminatedState } from "./container-status.ts";
import { CRASH_LOOP_INITIAL_MS, CRASH_LOOP_MAX_MS } from "./crash-loop-backoff.ts";
import type { PodPhase } from "./pod-phase.ts";
import { PodSandbox } from "./pod-sandbox.ts";
import { isTerminal, podStatus } from "./pod-status.ts";
import type { PodStatus, PodStatusInput } from "./pod-status.ts";
import { restartDecision } from "./restart-policy.ts";
import { StatusWriter } from "./status-writer.ts";
import { terminationMessage } from "./termination-message.ts";
import type { Pod } from "../values/kinds.ts";

/** How long ErrImagePull shows before it becomes ImagePullBackOff. */
const IMAGE_PULL_ERROR_SHOWN_MS = 1_000;
/**
 * How long the end of a container shows before it becomes CrashLoopBackOff. With upstream's kubelet it shows until the
 * next sync of the pod, some ten seconds.
 */
const FAILURE_SHOWN_MS = 250;
const DEFAULT_GRACE_SECONDS = 30;
/** Exit code of a container that could not be started. */
export const START_ERROR_EXIT_CODE = 128;

/** What a pod worker needs of its kubelet. */
export interface PodWorkerHost extends ProbeHost {
  readonly client: ApiClient;
  readonly random: () => number;
  readonly runtime: ContainerRuntime;
  readonly hostIP: string;
  readonly kubernetes: ServedVersion;
  assignPodIP(pod: Pod): string;
  /** Keeps the log of a new attempt readable. */
  openLog(pod: Pod, container: string, attempt: number): ContainerLog;
  /** The terminal status of this pod is stored. */
  finished(worker: PodWorker): void;
  /** The object is gone and nothing of the pod runs any more. */
  vanished(worker: PodWorker): void;
  problem(pod: Pod, error: ApiError): void;
  readonly followPod: FollowPod | undefined;
}

/**
 * Handles changes of a running pod. Called again whenever the worker syncs its pod.
 * @param follower what the call before returned
 * @param onChange is called when the status of a container has changed
 * @returns undefined: there is nothing to do
 */
export type FollowPod = (
  follower: PodFollower | undefined,
  host: PodWorkerHost,
  pod: Pod,
  podIP: string | undefined,
  onChange: () => void,
  records: readonly ContainerRecord[],
) => PodFollower | undefined;

/** The result of such changes: the added containers of ephemeral-containers.ts, the new sizes of pod-resize.ts. */
export interface PodFollower {
  /** False when all added containers have ended. */
  readonly areRunning: boolean;
  stop(graceSeconds: number): void;
  /** Adds its part to the pod's status, without influence on the rest of it. */
  addTo(status: PodStatus): void;
}

/**
 * Why a pod stops. `completed`: its containers have finished. `deleted`: the object is being deleted. `failed`: its
 * activeDeadlineSeconds are over, or its runtime evicts it. `overruled`: another client wrote a terminal phase.
 * `vanished`: the object is gone.
 */
type StopCause = "completed" | "deleted" | "failed" | "overruled" | "vanished";

interface Verdict {
  readonly phase: PodPhase;
  readonly reason?: string;
  readonly message?: string;
}

/** The worker of one pod. `update` and `vanish` report changes of the object, `abandon` the end of the kubelet. */
export class PodWorker {
  pod: Pod;
  readonly records: readonly ContainerRecord[];
  readonly #host: PodWorkerHost;
  readonly #writer: StatusWriter;
  readonly #startTimeMs: number;
  readonly #startTime: string;
  readonly #sandbox: PodSandbox;
  /** All init containers are done; from here on only sidecars and main containers are started. */
  #initialized: boolean;
  #follower: PodFollower | undefined;
  /** A restart rule asked for all containers to start over. */
  #restartingAll = false;
  #stopCause: StopCause | undefined;
  /** Of a pod that has failed as a whole. */
  #failure: Verdict | undefined;
  /** The end of the present grace period. */
  #stopDeadlineMs = Infinity;
  #isOver = false;
  #deadlineTimer: Timer | undefined;
  #armedDeadlineSeconds: number | undefined;
  #previous: PodStatusInput["previous"];
  #publishQueued = false;

  constructor(pod: Pod, host: PodWorkerHost) {
    this.pod = pod;
    this.#host = host;
    this.records = recordsOf(pod, host.clock.now());
    this.#initialized = this.records.some((record) => record.kind === "main" && record.ended !== undefined);
    this.#previous = { phase: pod.status?.phase ?? "Pending", conditions: pod.status?.conditions ?? [] } as PodStatus;
    const startTimeMs = parseTime(pod.status?.startTime);
    this.#startTimeMs = Number.isNaN(startTimeMs) ? host.clock.now() : startTimeMs;
    this.#startTime = formatTime(this.#startTimeMs);
    this.#writer = new StatusWriter({
      client: host.client,
      clock: host.clock,
      random: host.random,
      pod,
      onWritten: (status) => {
        if (isTerminal(status.phase)) host.finished(this);
      },
      onGone: () => this.vanish(),
      onProblem: (error) => host.problem(this.pod, error),
    });
    this.#sandbox = new PodSandbox(
      host,
      (problem) => {
        if (problem !== undefined) host.event(this.pod, "Warning", problem.reason, problem.message);
        this.#sync();
      },
      (message) => this.#fail("Warning", "Evicted", message, 0),
    );
  }

  start(): void {
    this.update(this.pod);
    this.#sync();
  }

  /** The object has changed. */
  update(pod: Pod): void {
    const generationChanged = pod.metadata.generation !== this.pod.metadata.generation;
    this.pod = pod;
    if (this.#isOver) return;
    this.#armDeadline();
    if (pod.metadata.deletionTimestamp !== undefined) {
      const graceSeconds = Math.max(pod.metadata.deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS, 1);
      this.#stop("deleted", graceSeconds);
    } else if (isTerminal(pod.status?.phase)) {
      this.#stop("overruled", this.#graceSeconds());
    } else if (generationChanged || pod.spec.readinessGates !== undefined) {
      this.#sync();
    }
  }

  /** The object is gone: stops what runs and writes nothing more. */
  vanish(): void {
    this.#writer.stop();
    if (this.#isOver) {
      this.#host.vanished(this);
      return;
    }
    this.#stop("vanished", this.#graceSeconds());
  }

  /** The kubelet ends. Stops everything at once, without a request to the API. */
  abandon(): void {
    this.#writer.stop();
    this.#stop("vanished", -Infinity);
  }

  /** Begins to stop, or shortens the grace period of a stop that has begun. */
  #stop(cause: StopCause, graceSeconds: number): void {
    // A pod that is completing continues, but within the new grace period.
    if (this.#stopCause === undefined || cause === "vanished") this.#stopCause = cause;
    this.#stopDeadlineMs = Math.min(this.#stopDeadlineMs, this.#host.clock.now() + graceSeconds * 1000);
    this.#sync();
  }

  #sync(): void {
    if (this.#isOver) return;
    if (this.#stopCause === undefined) this.#advance();
    if (this.#stopCause !== undefined) {
      this.#stopContainers();
      const hasEnded = this.records.every((record) => record.run === undefined);
      if (!this.#sandbox.isCreating && hasEnded && !this.#follower?.areRunning) this.#finish();
    }
    this.#queuePublish();
  }

  // What should run.

  #advance(): void {
    if (!this.#sandbox.isReady) {
      this.#sandbox.ensure(this.pod);
      return;
    }
    const { podIP } = this.#sandbox;
    const onChange = (): void => this.#sync();
    this.#follower = this.#host.followPod?.(this.#follower, this.#host, this.pod, podIP, onChange, this.records);
    if (this.#restartingAll && !this.#startOver()) return;
    if (!this.#initialized && !this.#advanceInit()) return;
    for (const record of this.records) if (record.kind !== "init") this.#ensureRunning(record);
    if (this.records.every((record) => record.kind !== "main" || record.isOver)) this.#complete();
  }

  /** Runs init containers and sidecars in their order. Returns true when the main containers may start. */
  #advanceInit(): boolean {
    for (const record of this.records) {
      if (record.kind === "main") break;
      this.#ensureRunning(record);
      if (record.kind === "sidecar") {
        if (!record.isStarted) return false;
      } else if (!record.isOver) {
        return false;
      } else if (record.ended!.exitCode !== 0) {
        this.#complete();
        return false;
      }
    }
    this.#initialized = true;
    return true;
  }

  #complete(): void {
    this.#stopCause = "completed";
    this.#stopDeadlineMs = this.#host.clock.now() + this.#graceSeconds() * 1000;
  }

  #ensureRunning(record: ContainerRecord): void {
    if (record.run !== undefined || record.timer !== undefined || record.isOver) return;
    const now = this.#host.clock.now();
    // After a failure to start, its timer has already waited for the delay.
    if (record.ended !== undefined && record.startFailures === 0) {
      const delayMs = record.backoff.delayAfterMs(record.endedAtMs);
      if (now < record.endedAtMs + delayMs) {
        // Publishes first the end, then the waiting state. A watch would miss the end in a single write.
        if (now < record.endedAtMs + FAILURE_SHOWN_MS)
          this.#wakeAfter(record, record.endedAtMs + FAILURE_SHOWN_MS - now);
        else this.#waitInCrashLoop(record, delayMs);
        return;
      }
      record.backoff.restarted(record.endedAtMs, now);
    }
    this.#startContainer(record);
  }

  #waitInCrashLoop(record: ContainerRecord, delayMs: number): void {
    const { name, namespace, uid } = this.pod.metadata;
    const podName = `${name}_${namespace}(${uid})`;
    record.wait(
      "CrashLoopBackOff",
      `back-off ${goDuration(delayMs)} restarting failed container=${record.name} pod=${podName}`,
    );
    this.#host.event(
      this.pod,
      "Warning",
      "BackOff",
      `Back-off restarting failed container ${record.name} in pod ${podName}`,
      record,
    );
    this.#wakeAfter(record, record.endedAtMs + delayMs - this.#host.clock.now());
  }

  #wakeAfter(record: ContainerRecord, delayMs: number, kind: TimerKind = "work"): void {
    record.timer = this.#host.clock.setTimer(
      delayMs,
      () => {
        record.timer = undefined;
        this.#sync();
      },
      kind,
    );
  }

  /** Stops everything and, when nothing runs, goes back to the first init container. Returns true then. */
  #startOver(): boolean {
    for (const record of this.records) this.#askToStop(record, this.#graceSeconds());
    if (this.records.some((record) => record.run !== undefined)) return false;
    for (const record of this.records) {
      record.timer?.cancel();
      record.timer = undefined;
      record.startFailures = 0;
      if (record.ended !== undefined) record.wait("PodInitializing");
    }
    this.#restartingAll = false;
    this.#initialized = false;
    return true;
  }

  // One container.

  #startContainer(record: ContainerRecord): void {
    const attempt = record.nextAttempt;
    const run: ContainerRun = { attempt, log: undefined, handle: undefined, stopGraceSeconds: undefined };
    record.run = run;
    startContainer(
      this.#host,
      { pod: this.pod, podIP: this.#sandbox.podIP ?? "", record, run },
      {
        started: () => {
          if (record.run !== run) return;
          run.log = this.#host.openLog(this.pod, record.name, attempt);
          record.started(attempt, containerID(this.pod, record, this.#host.runtime.name), this.#host.clock.now());
          this.#host.event(this.pod, "Normal", "Created", createdMessage(record.name), record);
          this.#host.event(this.pod, "Normal", "Started", startedMessage(record.name), record);
          this.#startProbes(record);
          this.#sync();
        },
        output: (stream: OutputStream, chunk) => run.log?.append(stream, chunk, this.#host.clock.now()),
        exited: (exit) => {
          if (record.run === run) this.#containerExited(record, exit);
        },
        failed: (reason, message) => {
          if (record.run !== run) return;
          if (reason === "StartError")
            this.#containerExited(record, { exitCode: START_ERROR_EXIT_CODE, reason, message });
          else this.#startFailed(record, reason, message);
        },
      },
    );
  }

  #startProbes(record: ContainerRecord): void {
    record.probes = this.#host.runtime.startProbes?.({
      host: this.#host,
      pod: this.pod,
      record,
      podIP: this.#sandbox.podIP ?? "",
      changed: () => this.#sync(),
      kill: (message, graceSeconds) => {
        // If the pod is being stopped, so is the container.
        if (this.#stopCause === undefined) this.#askToStop(record, graceSeconds, message);
      },
    });
  }

  #containerExited(record: ContainerRecord, exit: ContainerExit): void {
    record.probes?.stop();
    const { attempt, log } = record.run!;
    const now = this.#host.clock.now();
    record.run = undefined;
    log?.end(now);
    const decision = restartDecision(this.pod.spec, record.container, record.kind, exit.exitCode);
    record.exited(attempt, endOf(exit, record, log), decision, now);
    // If the container is being stopped because all restart, it did not ask for another restart of all.
    if (decision === "RestartAllContainers" && this.#stopCause === undefined) this.#restartingAll = true;
    this.#sync();
  }

  #startFailed(record: ContainerRecord, reason: string, message: string): void {
    record.run = undefined;
    record.wait(reason, message);
    this.#host.event(this.pod, "Warning", "Failed", `Error: ${reason}: ${message}`, record);
    const delayMs = doubled(CRASH_LOOP_INITIAL_MS, record.startFailures++);
    // From the longest delay on, the kubelet repeats the same try until the cluster changes.
    const kind = delayMs === CRASH_LOOP_MAX_MS ? "housekeeping" : "work";
    if (this.#stopCause !== undefined) {
      // Nothing is tried again.
    } else if (reason === "ErrImagePull") {
      record.timer = this.#host.clock.setTimer(IMAGE_PULL_ERROR_SHOWN_MS, () => {
        record.wait("ImagePullBackOff", `Back-off pulling image "${record.container.image}": ${message}`);
        this.#wakeAfter(record, delayMs - IMAGE_PULL_ERROR_SHOWN_MS, kind);
        this.#queuePublish();
      });
    } else {
      this.#wakeAfter(record, delayMs, kind);
    }
    this.#sync();
  }

  // How it ends.

  /** Stops main and init containers at once; sidecars after them, in reverse order. */
  #stopContainers(): void {
    this.#sandbox.cancelRetry();
    for (const record of this.records) {
      record.timer?.cancel();
      record.timer = undefined;
    }
    const remainingMs = this.#stopDeadlineMs - this.#host.clock.now();
    // A sidecar whose turn comes late gets at least a second, unless the kubelet itself ends.
    const graceSeconds = remainingMs === -Infinity ? 0 : Math.max(Math.ceil(remainingMs / 1000), 1);
    this.#follower?.stop(graceSeconds);
    const running = this.records.filter((record) => record.run !== undefined);
    const first = running.filter((record) => record.kind !== "sidecar");
    for (const record of first.length > 0 ? first : running.slice(-1)) this.#askToStop(record, graceSeconds);
  }

  #askToStop(record: ContainerRecord, graceSeconds: number, message = `Stopping container ${record.name}`): void {
    const run = record.run;
    if (run === undefined || (run.stopGraceSeconds !== undefined && run.stopGraceSeconds <= graceSeconds)) return;
    if (run.handle === undefined) {
      // The runtime does not know the container yet, so there is nothing to wait for.
      record.run = undefined;
      return;
    }
    if (run.stopGraceSeconds === undefined) this.#host.event(this.pod, "Normal", "Killing", message, record);
    run.stopGraceSeconds = graceSeconds;
    run.handle.stop(graceSeconds);
  }

  #finish(): void {
    this.#isOver = true;
    this.#deadlineTimer?.cancel();
    for (const record of this.records) record.settle(this.#initialized);
    this.#sandbox.remove(this.pod.metadata.uid);
    if (this.#stopCause === "vanished") this.#host.vanished(this);
  }

  #armDeadline(): void {
    const seconds: number | undefined = this.pod.spec.activeDeadlineSeconds;
    if (seconds === undefined || seconds === this.#armedDeadlineSeconds || this.#stopCause !== undefined) return;
    this.#armedDeadlineSeconds = seconds;
    this.#deadlineTimer?.cancel();
    const delayMs = Math.max(this.#startTimeMs + seconds * 1000 - this.#host.clock.now(), 0);
    this.#deadlineTimer = this.#host.clock.setTimer(delayMs, () =>
      this.#fail("Normal", "DeadlineExceeded", DEADLINE_MESSAGE, this.#graceSeconds()),
    );
  }

  /** @param type of the event */
  #fail(type: "Normal" | "Warning", reason: string, message: string, graceSeconds: number): void {
    if (this.#stopCause !== undefined) return;
    this.#failure = { phase: "Failed", reason, message };
    this.#host.event(this.pod, type, reason, message);
    this.#stop("failed", graceSeconds);
  }

  #graceSeconds(): number {
    return this.pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  }

  // Reporting.

  /** Publishes one status for all changes of this instant. */
  #queuePublish(): void {
    if (this.#publishQueued) return;
    this.#publishQueued = true;
    this.#host.clock.defer(() => {
      this.#publishQueued = false;
      if (this.#stopCause !== "vanished") this.#publish();
    });
  }

  #publish(): void {
    const status = podStatus({
      pod: this.pod,
      records: this.records,
      startTime: this.#startTime,
      hostIP: this.#host.hostIP,
      podIP: this.#sandbox.podIP,
      sandbox: this.#sandbox,
      kubernetes: this.#host.kubernetes,
      isOver: this.#isOver,
      tearingDown: this.#stopCause !== undefined && this.#stopCause !== "completed",
      verdict: this.#stopCause === "failed" ? this.#failure : undefined,
      previous: this.#previous,
      nowMs: this.#host.clock.now(),
    });
    this.#follower?.addTo(status);
    this.#previous = status;
    this.#writer.publish(status);
  }
}

/** Of the attempt that begins. */
export function containerID(pod: Pod, record: ContainerRecord, runtime: string): string {
  return `${runtime}://${pod.metadata.uid}_${record.name}_${record.nextAttempt}`;
}

/** How a container ended, as its status says it. */
export function endOf(
  exit: ContainerExit,
  record: ContainerRecord,
  log: ContainerLog | undefined,
): Pick<TerminatedState, "exitCode" | "signal" | "reason" | "message"> {
  const message = terminationMessage(exit.message, record.container, exit.exitCode, log);
  return {
    exitCode: exit.exitCode,
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    reason: exit.reason || (exit.exitCode === 0 ? "Completed" : "Error"),
    ...(message === undefined ? {} : { message }),
  };
}

/** Memoized, so that the events of all pods share one text. */
export const createdMessage = memoize((container: string) => `Created container: ${container}`);
export const startedMessage = memoize((container: string) => `Started container ${container}`);

const DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline";

export function doubled(initialMs: number, times: number): number {
  return Math.min(initialMs * 2 ** times, CRASH_LOOP_MAX_MS);
}
