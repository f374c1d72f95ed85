/**
 * Runs the ephemeral containers of one pod, which `kubectl debug` adds: one of the followers of pod-changes.ts.
 *
 * Invariant: each is started once, as soon as the pod has its sandbox, and never again after it has ended. Whether they
 * run changes neither phase nor conditions of the pod, and they end with it. Leaves out the process namespace of
 * `targetContainerName`. Source: computePodActions in pkg/kubelet/kuberuntime/kuberuntime_manager.go.
 */
import { ContainerRecord, type ContainerRun } from "./container-record.ts";
import type { ContainerExit } from "./container-runtime.ts";
import { startContainer } from "./container-start.ts";
import type { ContainerStatus } from "./container-status.ts";
import { CRASH_LOOP_INITIAL_MS } from "./crash-loop-backoff.ts";
import type { PodStatus } from "./pod-status.ts";
import {
  type PodFollower,
  containerID,
  createdMessage,
  doubled,
  endOf,
  type PodWorkerHost,
  type FollowPod,
  START_ERROR_EXIT_CODE,
  startedMessage,
} from "./pod-worker.ts";
import type { EphemeralContainer, Pod } from "../values/kinds.ts";

/** An ephemeral container that has started gets no second attempt. */
const ATTEMPT = 0;

export const runEphemeral: FollowPod = (added, host, pod, podIP, onChange) => {
  const containers: readonly EphemeralContainer[] = pod.spec.ephemeralContainers ?? [];
  if (containers.length === 0) return undefined;
  const ephemeral = (added as EphemeralContainers | undefined) ?? new EphemeralContainers(host, onChange);
  ephemeral.start(pod, containers, podIP ?? "");
  return ephemeral;
};

class EphemeralRecord extends ContainerRecord {
  override get list(): string {
    return "ephemeralContainers";
  }
}

class EphemeralContainers implements PodFollower {
  readonly #host: PodWorkerHost;
  readonly #onChange: () => void;
  readonly #records: EphemeralRecord[] = [];

  constructor(host: PodWorkerHost, onChange: () => void) {
    this.#host = host;
    this.#onChange = onChange;
  }

  get areRunning(): boolean {
    return this.#records.some(({ run }) => run !== undefined);
  }

  start(pod: Pod, containers: readonly EphemeralContainer[], podIP: string): void {
    for (const [index, container] of containers.entries())
      if (!this.#records.some(({ name }) => name === container.name)) this.#add(pod, container, index);
    for (const record of this.#records)
      if (record.run === undefined && record.timer === undefined && !record.isOver) this.#begin(record, pod, podIP);
  }

  stop(graceSeconds: number): void {
    for (const record of this.#records) {
      record.timer?.cancel();
      record.timer = undefined;
      const { run } = record;
      if (run === undefined || (run.stopGraceSeconds !== undefined && run.stopGraceSeconds <= graceSeconds)) continue;
      run.stopGraceSeconds = graceSeconds;
      // The runtime may not know the container yet. Then there is nothing to stop.
      if (run.handle === undefined) record.run = undefined;
      else run.handle.stop(graceSeconds);
    }
  }

  /** By name, as upstream sorts them. */
  addTo(status: PodStatus): void {
    status.ephemeralContainerStatuses = this.#records
      .map((record) => {
        const { started: _untold, ...told } = record.status();
        return { ...told, ready: false };
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  #add(pod: Pod, container: EphemeralContainer, index: number): void {
    const record = new EphemeralRecord("ephemeral", container, "ContainerCreating");
    const statuses = (pod.status?.ephemeralContainerStatuses ?? []) as readonly ContainerStatus[];
    const known = statuses.find(({ name }) => name === record.name);
    if (known !== undefined) record.restore(known, () => "No", this.#host.clock.now());
    else this.#warnAboutUnsupported(pod, container, index);
    this.#records.push(record);
  }

  /** Asks the runtime as for a main container: what it supports does not depend on the list of the container. */
  #warnAboutUnsupported(pod: Pod, container: EphemeralContainer, index: number): void {
    const asked = { ...pod, spec: { ...pod.spec, containers: [container] } };
    const from = "spec.containers[0]";
    for (const { path, why } of this.#host.runtime.unsupported(asked)) {
      if (!path.startsWith(from)) continue;
      const field = path.replace(from, `spec.ephemeralContainers[${index}]`);
      this.#host.event(pod, "Warning", "UnsupportedField", `${field} has no effect on this node: ${why}`);
    }
  }

  #begin(record: ContainerRecord, pod: Pod, podIP: string): void {
    const host = this.#host;
    const run: ContainerRun = { attempt: ATTEMPT, log: undefined, handle: undefined, stopGraceSeconds: undefined };
    record.run = run;
    startContainer(
      host,
      { pod, podIP, record, run },
      {
        started: () => {
          if (record.run !== run) return;
          run.log = host.openLog(pod, record.name, ATTEMPT);
          record.started(ATTEMPT, containerID(pod, record, host.runtime.name), host.clock.now());
          host.event(pod, "Normal", "Created", createdMessage(record.name), record);
          host.event(pod, "Normal", "Started", startedMessage(record.name), record);
          this.#onChange();
        },
        output: (stream, chunk) => run.log?.append(stream, chunk, host.clock.now()),
        exited: (exit) => {
          if (record.run === run) this.#exited(record, exit);
        },
        failed: (reason, message) => {
          if (record.run !== run) return;
          if (reason === "StartError") this.#exited(record, { exitCode: START_ERROR_EXIT_CODE, reason, message });
          else this.#failed(record, pod, reason, message);
        },
      },
    );
  }

  #exited(record: ContainerRecord, exit: ContainerExit): void {
    const { log } = record.run!;
    const now = this.#host.clock.now();
    record.run = undefined;
    log?.end(now);
    record.exited(ATTEMPT, endOf(exit, record, log), "No", now);
    this.#onChange();
  }

  /** It has not started yet, so it is tried again. */
  #failed(record: ContainerRecord, pod: Pod, reason: string, message: string): void {
    const isStopping = record.run!.stopGraceSeconds !== undefined;
    record.run = undefined;
    record.wait(reason, message);
    this.#host.event(pod, "Warning", "Failed", `Error: ${reason}: ${message}`, record);
    const retry = (): void => {
      record.timer = undefined;
      this.#onChange();
    };
    const delayMs = doubled(CRASH_LOOP_INITIAL_MS, record.startFailures++);
    if (!isStopping) record.timer = this.#host.clock.setTimer(delayMs, retry);
    this.#onChange();
  }
}
