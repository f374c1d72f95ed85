/**
 * When a cluster has come to rest: every Job has ended, or nothing will happen to the others. That is so when the
 * controller has set no time for what comes next, and for long nothing has been written but what is written again and
 * again. The time is longer than any component waits before it acts on something that it has seen.
 */
import type { Cluster } from "../../cluster/cluster.ts";
import type { KubeObject } from "../../cluster/values/types.ts";

/** A node is found to be lost after 50 s, its pods go after another 300 s, and pods are tried again within 300 s. */
const QUIET_MS = 900_000;
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

  /** How many there were that may have changed something. */
  get writes(): number {
    return this.#writes;
  }

  /**
   * @param open the Jobs that have not ended
   * @param nextMsOf when the controller does something about a Job; null: it has nothing to do
   * @returns when the cluster will be at rest, if nothing is written until then
   */
  restsAt(open: readonly KubeObject[], nextMsOf: (job: KubeObject) => number | null): number {
    const nowMs = this.#now();
    if (open.length === 0) return nowMs;
    const next = open.map((job) => nextMsOf(job) ?? 0).filter((ms) => ms > nowMs);
    return Math.max(this.#lastWriteMs + QUIET_MS, ...next);
  }
}
