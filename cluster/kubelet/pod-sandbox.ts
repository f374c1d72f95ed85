/**
 * The volumes and network that the containers of one pod share. They are made before the first container and freed
 * after the last. The objects for the volumes are fetched first.
 *
 * Invariant: the runtime is asked for one sandbox at a time. After a failure it is asked again with a growing delay,
 * until `remove`. Everything that was made is freed once.
 */
import type { Clock, Timer } from "../../bindings/js/host.ts";
import type { ApiClient } from "../client/client.ts";
import type { ContainerRuntime, VolumeFiles } from "./container-runtime.ts";
import { fetchEnvSources } from "./env-sources.ts";
import { VolumeError, volumeFiles, volumeSourcesNeeded } from "./volume-files.ts";
import type { Pod } from "../values/kinds.ts";

const RETRY_INITIAL_MS = 1_000;
const RETRY_MAX_MS = 300_000;

/** Why a pod has no sandbox yet: reason and message of its event. */
export interface SandboxProblem {
  readonly reason: "FailedMount" | "FailedCreatePodSandBox";
  readonly message: string;
}

export interface PodSandboxHost {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  assignPodIP(pod: Pod): string;
}

export class PodSandbox {
  /** Undefined until the sandbox is ready for the first time. */
  podIP: string | undefined;
  #state: "none" | "creating" | "ready" | "removed" = "none";
  #failures = 0;
  #retryTimer: Timer | undefined;
  readonly #host: PodSandboxHost;
  readonly #onChange: (problem: SandboxProblem | undefined) => void;
  readonly #evict: (message: string) => void;

  /**
   * @param onChange is called when the sandbox is ready, or with the problem when this attempt failed
   * @param evict is called when the pod exceeds a limit of its sandbox
   */
  constructor(
    host: PodSandboxHost,
    onChange: (problem: SandboxProblem | undefined) => void,
    evict: (message: string) => void,
  ) {
    this.#host = host;
    this.#onChange = onChange;
    this.#evict = evict;
  }

  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** There was a sandbox, and it is gone. */
  get isRemoved(): boolean {
    return this.#state === "removed" && this.podIP !== undefined;
  }

  get isCreating(): boolean {
    return this.#state === "creating";
  }

  /** Makes the sandbox, unless it exists, is being made, or waits for its next retry. */
  ensure(pod: Pod): void {
    if (this.#state !== "none" || this.#retryTimer !== undefined) return;
    this.#state = "creating";
    fetchEnvSources(this.#host.client, pod.metadata.namespace!, volumeSourcesNeeded(pod), (source, error) => {
      try {
        if (error !== undefined) throw new VolumeError(error.message);
        this.#create(pod, volumeFiles(pod, source));
      } catch (problem) {
        if (!(problem instanceof VolumeError)) throw problem;
        this.#host.clock.defer(() => this.#failed(pod, { reason: "FailedMount", message: problem.message }));
      }
    });
  }

  #create(pod: Pod, files: VolumeFiles): void {
    const done = (error?: string): void => {
      if (error !== undefined) {
        this.#failed(pod, { reason: "FailedCreatePodSandBox", message: `Failed to create pod sandbox: ${error}` });
        return;
      }
      this.#state = "ready";
      this.podIP = this.#host.assignPodIP(pod);
      this.#onChange(undefined);
    };
    this.#host.runtime.createPod(pod, files, done, this.#evict);
  }

  #failed(pod: Pod, problem: SandboxProblem): void {
    this.#state = "none";
    const delayMs = Math.min(RETRY_INITIAL_MS * 2 ** this.#failures++, RETRY_MAX_MS);
    this.#retryTimer = this.#host.clock.setTimer(
      delayMs,
      () => {
        this.#retryTimer = undefined;
        this.ensure(pod);
      },
      // From the longest delay on, the kubelet repeats the same try until the cluster changes.
      delayMs === RETRY_MAX_MS ? "housekeeping" : "work",
    );
    this.#onChange(problem);
  }

  /** Cancels further retries. A sandbox that is being made still becomes ready. */
  cancelRetry(): void {
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
  }

  /** Frees what was made. */
  remove(podUid: string): void {
    this.cancelRetry();
    if (this.#state === "ready") this.#host.runtime.removePod(podUid);
    this.#state = "removed";
  }
}
