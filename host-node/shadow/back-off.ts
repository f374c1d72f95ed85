/**
 * How long the built-in controller may wait before it creates the next pod of a Job, at most.
 *
 * It remembers the failures in a row; a new engine knows only those whose pods are still there. And which of two pods
 * that ended at about the same time is counted first decides whether a success ends the row.
 * Invariant: never too short, as far as the failures have been seen. Leaves out the back-off of indexes, which is
 * derived from pods that are kept.
 */
import type { KubeObject } from "../../cluster/values/types.ts";
import { isTracked } from "./divergence.ts";
import type { Change } from "./timeline.ts";

/** The wait grows no more after so many. */
const MAX_FAILURES = 16;

export interface BackOffOptions {
  /** How long after a failure the built-in controller may count an earlier success. */
  readonly windowMs: number;
  /** The wait after so many failures in a row. */
  readonly backOffMs: (failures: number) => number;
}

export class BackOff {
  readonly #options: BackOffOptions;
  /** When failures were seen that may be in a row, the newest last. */
  #failuresMs: number[] = [];

  constructor(options: BackOffOptions) {
    this.#options = options;
  }

  /** When it is over; -Infinity: there is none. */
  get untilMs(): number {
    const lastMs = this.#failuresMs.at(-1);
    return lastMs === undefined ? -Infinity : lastMs + this.#options.backOffMs(this.#failuresMs.length);
  }

  /** What is there when the shadow begins. When the failures were is not known. */
  begin(kind: "job" | "pod", objects: readonly KubeObject[], nowMs: number): void {
    if (kind === "job") for (const { status } of objects) this.#failed(counted(status, "failed"), nowMs);
    else this.#failed(objects.filter((pod) => isTracked(pod) && isFailed(pod)).length, nowMs);
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

/** Those that are on the way into the number, too. */
function counted(status: KubeObject["status"], end: "succeeded" | "failed"): number {
  return (status?.[end] ?? 0) + (status?.uncountedTerminatedPods?.[end]?.length ?? 0);
}

/** Or it soon will be: for some Jobs a pod that is being deleted counts. */
function isFailed(pod: KubeObject): boolean {
  const phase = phaseOf(pod);
  return phase === "Failed" || (pod.metadata.deletionTimestamp !== undefined && phase !== "Succeeded");
}

function phaseOf(pod: KubeObject | undefined): string | undefined {
  return pod?.["status"]?.phase;
}
