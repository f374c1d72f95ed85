/**
 * Writes the status of one pod to the API: one write at a time, the latest status wins, and the same status is never
 * written twice.
 *
 * Invariant: no status is lost. A failed write is tried again with the status that is the latest by then. A write with
 * unknown outcome is repeated; that is safe, because it sets values and does not add.
 */
import type { Clock, Timer } from "../../bindings/js/host.ts";
import { deepEqual } from "../values/json.ts";
import { PODS, resourcePath } from "../client/client.ts";
import type { ApiClient, ApiError } from "../client/client.ts";
import { RetryBackoff } from "../client/retry-backoff.ts";
import type { PodCondition } from "./pod-conditions.ts";
import { statusPatch } from "./pod-status.ts";
import type { PodStatus } from "./pod-status.ts";
import type { Pod } from "../values/kinds.ts";

const RETRY_INITIAL_MS = 200;
const RETRY_MAX_MS = 30_000;

export interface StatusWriterOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pod: Pod;
  /** The server has this status. */
  onWritten(status: PodStatus): void;
  /** The pod no longer exists, or another one has its name. Nothing more is written. */
  onGone(): void;
  /** The server refused a write; it is retried. */
  onProblem?(error: ApiError): void;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #path: string;
  readonly #uid: string;
  readonly #backoff: RetryBackoff;
  #latest: PodStatus | undefined;
  #written: PodStatus | undefined;
  #knownConditions: readonly PodCondition[];
  #inFlight = false;
  #retryTimer: Timer | undefined;
  #stopped = false;

  constructor(options: StatusWriterOptions) {
    const { name, namespace, uid } = options.pod.metadata;
    this.#options = options;
    this.#path = resourcePath(PODS, namespace, name, "status");
    this.#uid = uid;
    this.#backoff = new RetryBackoff({ initialMs: RETRY_INITIAL_MS, maxMs: RETRY_MAX_MS, random: options.random });
    this.#knownConditions = (options.pod.status?.conditions ?? []) as PodCondition[];
  }

  publish(status: PodStatus): void {
    this.#latest = status;
    if (!this.#inFlight && this.#retryTimer === undefined) this.#write();
  }

  stop(): void {
    this.#stopped = true;
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
  }

  #write(): void {
    const status = this.#latest;
    if (this.#stopped || status === undefined) return;
    if (deepEqual(status, this.#written)) return;
    this.#inFlight = true;
    const patch = statusPatch(this.#uid, status, this.#knownConditions);
    this.#options.client.patchWritten(this.#path, patch, (result) => {
      this.#inFlight = false;
      if (this.#stopped) return;
      if (!result.ok) {
        this.#writeFailed(result.error);
        return;
      }
      this.#backoff.reset();
      this.#written = status;
      this.#knownConditions = status.conditions;
      this.#options.onWritten(status);
      this.#write();
    });
  }

  #writeFailed(error: ApiError): void {
    // 422 about the uid: another pod has the name now (docs/spec/api.md 6.6).
    const replaced = error.status === 422 && error.message.includes("metadata.uid");
    if (error.status === 404 || replaced) {
      this.stop();
      this.#options.onGone();
      return;
    }
    this.#options.onProblem?.(error);
    this.#retryTimer = this.#options.clock.setTimer(this.#backoff.nextMs(error.retryAfterMs), () => {
      this.#retryTimer = undefined;
      this.#write();
    });
  }
}
