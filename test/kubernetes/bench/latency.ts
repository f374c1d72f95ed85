/**
 * How long a Job of one pod takes whose container ends at once: from the POST of the Job to the write that makes it
 * Complete, as a watcher sees it. One Job after the other, so that they do not wait for each other; other Jobs may run
 * all the while.
 */
import { percentile } from "../../bench/percentile.ts";
import { hasCondition } from "../conditions.ts";
import type { ControlPlane } from "../control-plane.ts";
import { boundTemplate, DEFAULT_NODE } from "../kwok.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const TIMEOUT_MS = 60_000;
/** Creations of the other Jobs that are under way at once. */
const CREATORS = 16;

export interface LatencyOptions {
  /** Jobs of one pod that never ends. */
  readonly others: number;
  /** Jobs that are measured. */
  readonly count: number;
}

export interface Latencies {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** A pod on no node that the fake kubelet manages stays Pending for good, which counts as active. */
function jobOfOnePod(name: string, nodeName: string): object {
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { template: boundTemplate(nodeName) } };
}

export async function latencies(controlPlane: ControlPlane, { others, count }: LatencyOptions): Promise<Latencies> {
  const client = controlPlane.client();
  try {
    let created = 0;
    const create = async (): Promise<void> => {
      while (created < others) await client.succeed("POST", JOBS, jobOfOnePod(`other-${created++}`, "no-such-node"));
    };
    await Promise.all(Array.from({ length: CREATORS }, create));
    let active = 0;
    if (others > 0)
      await client.waitFor<any>(JOBS, ({ status }) => status?.active === 1 && ++active >= others, TIMEOUT_MS * 5);
    const measured: number[] = [];
    for (let i = 0; i < count; i++) {
      const name = `latency-${i}`;
      const seen = client.waitFor<any>(
        `${JOBS}?fieldSelector=metadata.name%3D${name}`,
        (job) => hasCondition(job, "Complete"),
        TIMEOUT_MS,
      );
      const beganMs = performance.now();
      await client.succeed("POST", JOBS, jobOfOnePod(name, DEFAULT_NODE));
      await seen;
      measured.push(performance.now() - beganMs);
    }
    return { p50: percentile(measured, 0.5), p99: percentile(measured, 0.99) };
  } finally {
    client.close();
  }
}
