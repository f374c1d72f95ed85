/**
 * Whether a cluster with unfinished Jobs has come to rest: its controller has set no time for what comes next, and for
 * long nothing has been written but what is written again and again. The time is longer than any component waits before
 * it acts on something that it has seen.
 */
import type { Explanation } from "../../bindings/js/engine.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { KubeObject } from "../../cluster/types.ts";

/** A node is found to be lost after 50 s, its pods go after another 300 s, and pods are tried again within 300 s. */
const QUIET_MS = 900_000;
const REPEATED = new Set(["leases", "events", "nodes"]);

export class Quiet {
  readonly #now: () => number;
  #lastWriteMs: number;

  constructor(cluster: Cluster, now: () => number) {
    this.#now = now;
    this.#lastWriteMs = now();
    cluster.observe(({ resource }) => {
      if (!REPEATED.has(resource)) this.#lastWriteMs = now();
    });
  }

  isQuiet(jobs: readonly KubeObject[], explain: (job: KubeObject) => Explanation): boolean {
    const nowMs = this.#now();
    const comes = ({ nextMs }: Explanation): boolean => nextMs !== null && nextMs > nowMs;
    return nowMs - this.#lastWriteMs >= QUIET_MS && !jobs.some((job) => comes(explain(job)));
  }
}
