/**
 * The two experiments of an article about the retries of Jobs (Cybozu Summer Blog Fes 2024, in Japanese), on the
 * virtual clock: one failing Job with backoffLimit 3 and no grace period, once with each restart policy. The runs take
 * as long as there, about 30 seconds from the creation of a pod to its failure. See also kubernetes/kubernetes#95433.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildModule } from "../../scripts/build-engine.ts";
import { VirtualCluster } from "./virtual-cluster.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const LIMIT_MS = 600_000;

interface Watched {
  readonly status: any;
  readonly pods: readonly any[];
  /** What `kubectl get pods --watch` shows of each pod: READY, STATUS and RESTARTS, without repetitions. */
  readonly rows: ReadonlyMap<string, readonly string[]>;
  /** The log of each pod when it was last there. */
  readonly logs: ReadonlyMap<string, string>;
  readonly seconds: number;
}

/** Runs an example until its Job has failed. */
async function watchToFailure(example: string): Promise<Watched> {
  const cluster = await VirtualCluster.start();
  const manifest = readFileSync(resolve(import.meta.dirname, `../../examples/${example}.yaml`), "utf8");
  cluster.create(manifest.replace('"runMs": 20000', '"startDelayMs": 500, "runMs": 30000'));
  const rows = new Map<string, string[]>();
  const logs = new Map<string, string>();
  let job: any;
  const look = (): boolean => {
    const table = cluster.api("GET", PODS, undefined, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
    for (const { cells } of table.rows) {
      const [name, ready, status, restarts] = cells as string[];
      const shown = rows.get(name!) ?? [];
      const row = `${ready} ${status} ${String(restarts).split(" ")[0]}`;
      if (shown.at(-1) !== row) rows.set(name!, [...shown, row]);
      if (status !== "ContainerCreating" && status !== "Pending") logs.set(name!, cluster.text(`${PODS}/${name}/log`));
    }
    job = cluster.list(JOBS)[0];
    return (job.status.conditions ?? []).some(({ type, status }: any) => type === "Failed" && status === "True");
  };
  expect(cluster.runUntil(look, LIMIT_MS)).toBe(true);
  // What is counted in later is not missed either.
  cluster.runUntil(() => false, LIMIT_MS);
  look();
  const failedAt = job.status.conditions.at(-1).lastTransitionTime;
  cluster.stop();
  return {
    status: job.status,
    pods: cluster.pods(),
    rows,
    logs,
    seconds: (Date.parse(failedAt) - Date.parse(job.status.startTime)) / 1000,
  };
}

beforeAll(async () => {
  await buildModule("engine");
});

const VERDICT = {
  reason: "BackoffLimitExceeded",
  message: "Job has reached the specified backoff limit",
  status: "True",
};

describe("a Job that always fails, with backoffLimit 3", () => {
  it("OnFailure: one pod, four starts of its container, failed 1, and the last log is cut off", async () => {
    const { status, pods, rows, logs, seconds } = await watchToFailure("retry-on-failure");
    expect(rows.size).toBe(1);
    const [[name, shown]] = [...rows] as [[string, string[]]];
    expect(shown).toEqual([
      "0/1 ContainerCreating 0",
      ...["1/1 Running 0", "0/1 Error 0"],
      ...["1/1 Running 1", "0/1 Error 1", "0/1 CrashLoopBackOff 1"],
      ...["1/1 Running 2", "0/1 Error 2", "0/1 CrashLoopBackOff 2"],
      ...["1/1 Running 3"],
    ]);
    expect(logs.get(name)).toBe("Hello world!\n");
    expect(pods).toEqual([]);
    expect(status).toMatchObject({ failed: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(status.succeeded).toBeUndefined();
    // The article, on 1.29, has Failed alone, and one ready pod, which the API server would refuse today.
    expect(status.conditions).toMatchObject([
      { type: "FailureTarget", ...VERDICT },
      { type: "Failed", ...VERDICT },
    ]);
    // Three runs, and a wait of 10 s and one of 20 s before the third and the fourth.
    expect(seconds).toBe(122);
  });

  it("Never: four pods that run to their end and stay, failed 4, after waits of 10, 20 and 40 s", async () => {
    const { status, pods, rows, logs, seconds } = await watchToFailure("retry-never");
    expect(pods).toHaveLength(4);
    for (const { metadata } of pods) {
      expect(rows.get(metadata.name)!.slice(-3)).toEqual(["0/1 ContainerCreating 0", "1/1 Running 0", "0/1 Error 0"]);
      expect(logs.get(metadata.name)).toBe("Hello world!\ncompleted\n");
    }
    const finished = pods.map((pod) => Date.parse(pod.status.containerStatuses[0].state.terminated.finishedAt));
    const created = pods.map((pod) => Date.parse(pod.metadata.creationTimestamp));
    expect([1, 2, 3].map((n) => (created[n]! - finished[n - 1]!) / 1000)).toEqual([10, 20, 40]);
    expect(status).toMatchObject({ failed: 4, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(status.conditions).toMatchObject([
      { type: "FailureTarget", ...VERDICT },
      { type: "Failed", ...VERDICT },
    ]);
    // 192 s there: four runs of 30.5 s and 70 s of waiting, which begins with the whole second in which a run has
    // ended.
    expect(seconds).toBe(190);
  });
});
