/**
 * What the containers of one pod share (volumes, network), made before the first and freed after the last.
 *
 * Invariant: the runtime is asked for one sandbox at a time and, after a failure, again with a growing delay, until
 * `remove`; whatever was made is freed once.
 */
import type { Clock, Timer } from "../../bindings/js/host.ts";
import type { KubeObject } from "../types.ts";
import type { ContainerRuntime } from "./container-runtime.ts";

const RETRY_INITIAL_MS = 1_000;
const RETRY_MAX_MS = 300_000;

export interface PodSandboxHost {
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  assignPodIP(pod: KubeObject): string;
}

export class PodSandbox {
  /** Undefined until the sandbox was ready once. */
  podIP: string | undefined;
  private state: "none" | "creating" | "ready" | "removed" = "none";
  private failures = 0;
  private retryTimer: Timer | undefined;
  private readonly host: PodSandboxHost;
  private readonly onChange: (error: string | undefined) => void;

  /** @param onChange the sandbox is ready, or could not be made for this time, with the error. */
  constructor(host: PodSandboxHost, onChange: (error: string | undefined) => void) {
    this.host = host;
    this.onChange = onChange;
  }

  get isReady(): boolean {
    return this.state === "ready";
  }

  get isCreating(): boolean {
    return this.state === "creating";
  }

  /** Makes the sandbox unless it is being made, waits for its next try, or is there. */
  ensure(pod: KubeObject): void {
    if (this.state !== "none" || this.retryTimer !== undefined) return;
    this.state = "creating";
    this.host.runtime.createPod(pod, (error) => {
      if (error === undefined) {
        this.state = "ready";
        this.podIP = this.host.assignPodIP(pod);
      } else {
        this.state = "none";
        const delayMs = Math.min(RETRY_INITIAL_MS * 2 ** this.failures++, RETRY_MAX_MS);
        this.retryTimer = this.host.clock.setTimer(delayMs, () => {
          this.retryTimer = undefined;
          this.ensure(pod);
        });
      }
      this.onChange(error);
    });
  }

  /** No further try. A sandbox that is being made is still to come. */
  cancelRetry(): void {
    this.retryTimer?.cancel();
    this.retryTimer = undefined;
  }

  /** Frees what was made. */
  remove(podUid: string): void {
    this.cancelRetry();
    if (this.state === "ready") this.host.runtime.removePod(podUid);
    this.state = "removed";
  }
}
