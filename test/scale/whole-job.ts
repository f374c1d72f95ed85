/**
 * One Job run whole, from its creation to its end, in an embedded cluster on virtual time: engine, API server,
 * scheduler, kubelet and simulated containers, on one node that takes every pod. It repeats exactly. Leaves out what is
 * expected of it.
 */
import type { Decision } from "../../bindings/js/engine.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { SimulatedRuntime } from "../../cluster/kubelet/simulated-runtime.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { seededRandom } from "../../cluster/values/random.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";

export const JOB_NAME = "whole";
const JOBS_PATH = "/apis/batch/v1/namespaces/default/jobs";
const START_MS = Date.UTC(2026, 0, 1);
const CAPACITY = { cpu: "10M", memory: "1Pi", pods: "1M" };
/** No Job here takes so many timers; one that does will not end. */
const MAX_STEPS_A_POD = 100;

export interface WholeJob {
  /** Default: Indexed. */
  readonly completionMode?: "Indexed" | "NonIndexed";
  readonly completions: number;
  readonly parallelism: number;
  readonly backoffLimit?: number;
  /** In the schema of cluster/kubelet/simulation-outcome.ts. */
  readonly outcome?: object;
}

export type Seen = (type: string, object: KubeObject) => void;

export interface Watchers {
  /** Told of each write as it happens, before anything else knows of it. */
  readonly onPod?: Seen;
  readonly onJob?: Seen;
  readonly onDecisions?: (decisions: readonly Decision[]) => void;
}

export interface WholeRun {
  /** The Job at its end. */
  readonly job: KubeObject;
  readonly simulatedMs: number;
}

/** @throws Error when the Job does not come to an end */
export async function runWholeJob(
  { completionMode = "Indexed", completions, parallelism, backoffLimit, outcome }: WholeJob,
  { onPod, onJob, onDecisions }: Watchers = {},
): Promise<WholeRun> {
  const clock = new VirtualClock(START_MS);
  const random = seededRandom(1);
  const fail = (problem: string): never => {
    throw new Error(`in the run of a Job with ${completions} completions: ${problem}`);
  };
  const embedded = await EmbeddedCluster.create({
    clock,
    random,
    nodes: [
      {
        nodeName: "node",
        runtime: new SimulatedRuntime({ clock, random }),
        podCIDR: "10.244.0.0/14",
        capacity: CAPACITY,
      },
    ],
    ...(onDecisions === undefined ? {} : { onDecisions }),
    onProblem: fail,
    onFatal: (error) => fail(error.message),
  });
  if (onPod) follow(embedded, "/api/v1/pods", onPod);
  let job: KubeObject | undefined;
  follow(embedded, "/apis/batch/v1/jobs", (type, object) => {
    job = object;
    onJob?.(type, object);
  });
  const template = {
    ...(outcome ? { metadata: { annotations: { "stint.dev/simulate": JSON.stringify(outcome) } } } : {}),
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] },
  };
  const body = JSON.stringify({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: JOB_NAME },
    spec: {
      completionMode,
      completions,
      parallelism,
      ...(backoffLimit === undefined ? {} : { backoffLimit }),
      template,
    },
  });
  const answer = embedded.cluster.handle({
    method: "POST",
    path: JOBS_PATH,
    headers: { "content-type": "application/json" },
    body,
  });
  if (answer.status !== 201) fail(`it was refused: ${"body" in answer ? String(answer.body) : answer.status}`);
  embedded.start();
  for (let steps = 0; !isOver(job!); steps++) {
    if (steps > completions * MAX_STEPS_A_POD || !clock.step())
      fail(`it stands still at ${JSON.stringify(job!["status"])}`);
  }
  embedded.stop();
  return { job: job!, simulatedMs: clock.now() - START_MS };
}

function isOver(job: KubeObject): boolean {
  return (job["status"].conditions ?? []).some(
    ({ type }: { type: string }) => type === "Complete" || type === "Failed",
  );
}

function follow({ cluster }: EmbeddedCluster, path: string, event: Seen): void {
  const response = cluster.handle({
    method: "GET",
    path: `${path}?watch=true&timeoutSeconds=${86_400 * 365}`,
    headers: {},
  });
  if (!("subscribe" in response)) throw new Error(`watching ${path} was answered ${response.status}`);
  response.subscribe({ data: () => {}, event, end: () => {} });
}
