/**
 * How long the built-in controller may wait before it creates the next pod of a Job, at most.
 *
 * It counts the failures in a row; a new engine knows only those whose pods still exist. If two pods ended at about the
 * same time, the one that is counted first decides whether a success ends the row. Invariant: never too short, as far
 * as the failures have been seen. Leaves out the backoff of indexes, which is derived from pods that are kept.
 */
import { isTracked } from "./divergence.ts";
import type { Change } from "./timeline.ts";
import type { Job, JobStatus, Pod } from "../../cluster/values/kinds.ts";

/** The wait no longer grows after this many failures. */
const MAX_FAILURES = 16;

export interface BackOffOptions {
  /** How long after a failure the built-in controller may count an earlier success. */
  readonly windowMs: number;
  /** The wait after this many failures in a row. */
  readonly backOffMs: (failures: number) => number;
}

export class BackOff {
  readonly #options: BackOffOptions;
  /** When failures were seen that may be in a row, the newest last. */
  #failuresMs: number[] = [];

  constructor(options: BackOffOptions) {
    this.#options = options;
  }

  /** The end of the wait; -Infinity: there is none. */
  get untilMs(): number {
    const lastMs = this.#failuresMs.at(-1);
    return lastMs === undefined ? -Infinity : lastMs + this.#options.backOffMs(this.#failuresMs.length);
  }

  /** The objects that exist when the shadow begins. The times of earlier failures are unknown. */
  begin(kind: "job" | "pod", objects: readonly (Job | Pod)[], nowMs: number): void {
    if (kind === "job")
      for (const { status } of objects as readonly Job[]) this.#failed(counted(status, "failed"), nowMs);
    else this.#failed((objects as readonly Pod[]).filter((pod) => isTracked(pod) && isFailed(pod)).length, nowMs);
  }

  see({ kind, before, after, atMs }: Change): void {
    if (kind === "job") {
      if (counted(after?.status, "succeeded") > counted(before?.status, "succeeded"))
        this.#failuresMs = this.#failuresMs.filter((failedMs) => failedMs >= atMs - this.#options.windowMs);
    } else if (before === undefined || !isFailed(before)) {
      if (after === undefined ? phaseOf(before) !== "Succeeded" : isFailed(after)) this.#failed(1, atMs);
    } else if (phaseOf(before) !== "Failed" && phaseOf(after) === "Failed") {
      // It was already being deleted, and may have been counted then.
      this.#failuresMs.pop();
      this.#failed(1, atMs);
    }
  }

  #failed(count: number, atMs: number): void {
    this.#failuresMs = [...this.#failuresMs, ...Array.from({ length: count }, () => atMs)].slice(-MAX_FAILURES);
  }
}

/** Includes the uncounted ones. */
function counted(status: JobStatus | undefined, end: "succeeded" | "failed"): number {
  return (status?.[end] ?? 0) + (status?.uncountedTerminatedPods?.[end]?.length ?? 0);
}

/** Or it soon will be: for some Jobs a pod that is being deleted counts. */
function isFailed(pod: Pod): boolean {
  const phase = phaseOf(pod);
  return phase === "Failed" || (pod.metadata.deletionTimestamp !== undefined && phase !== "Succeeded");
}

function phaseOf(pod: Pod | undefined): string | undefined {
  return pod?.status?.phase;
}
