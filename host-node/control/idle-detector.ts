/**
 * When a cluster is idle: every Job has ended, or nothing will happen to the others. That is so when the controller has
 * set no time for its next step, and for long the only writes were those that repeat. The time is longer than any
 * component waits before it acts on something that it has seen.
 */
import type { Cluster } from "../../cluster/cluster.ts";
import type { Job } from "../../cluster/values/kinds.ts";

/** A lost node is found after 50 s, its pods go after another 300 s, and pods are retried within 300 s. */
const IDLE_MS = 900_000;
const REPEATED = new Set(["leases", "events", "nodes"]);

export class IdleDetector {
  readonly #now: () => number;
  #writes = 0;
  #lastWriteMs: number;

  constructor(cluster: Cluster, now: () => number) {
    this.#now = now;
    this.#lastWriteMs = now();
    cluster.observe(({ resource }) => {
      if (REPEATED.has(resource)) return;
      this.#writes++;
      this.#lastWriteMs = now();
    });
  }

  /** The number of writes that may have changed something. */
  get writes(): number {
    return this.#writes;
  }

  /**
   * @param open the Jobs that have not ended
   * @param nextMsOf when the controller acts on a Job next; null: it has nothing to do
   * @returns when the cluster will be idle, if nothing is written until then
   */
  restsAt(open: readonly Job[], nextMsOf: (job: Job) => number | null): number {
    const nowMs = this.#now();
    if (open.length === 0) return nowMs;
    const next = open.map((job) => nextMsOf(job) ?? 0).filter((ms) => ms > nowMs);
    return Math.max(this.#lastWriteMs + IDLE_MS, ...next);
  }
}
