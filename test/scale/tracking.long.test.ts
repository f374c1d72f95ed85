/** Thousands of pods that run and end all at once are each accounted for once, and in order. */
import { beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../cluster/values/types.ts";
import { buildModule } from "../../scripts/build-engine.ts";
import { Tracking } from "./tracking.ts";
import { runWholeJob, type WholeJob } from "./whole-job.ts";

const PODS = 2_000;
/** Seconds on an idle machine; the limit is for a busy one. */
const TIMEOUT_MS = 180_000;

beforeAll(async () => {
  await buildModule("engine");
});

async function tracked(spec: WholeJob): Promise<{ tracking: Tracking; job: KubeObject }> {
  const tracking = new Tracking(spec.completionMode !== "NonIndexed");
  const { job } = await runWholeJob(spec, {
    onPod: (type, pod) => tracking.onPod(type, pod),
    onJob: (type, seen) => tracking.onJob(type, seen),
  });
  tracking.atEnd(job["status"]);
  return { tracking, job };
}

describe(`${PODS} pods, all at once`, { timeout: TIMEOUT_MS }, () => {
  const spec: WholeJob = { completions: PODS, parallelism: PODS };

  test("of an Indexed Job whose every tenth index fails once", async () => {
    const byIndex = Object.fromEntries(
      Array.from({ length: PODS / 10 }, (_, i) => [String(10 * i), { exitCodes: [1, 0] }]),
    );
    const { tracking, job } = await tracked({
      ...spec,
      backoffLimit: PODS,
      outcome: { runMs: [60_000, 60_999], byIndex },
    });
    expect(job["status"]).toMatchObject({
      succeeded: PODS,
      failed: PODS / 10,
      completedIndexes: `0-${PODS - 1}`,
      conditions: [{ type: "SuccessCriteriaMet" }, { type: "Complete" }],
    });
    expect(tracking.maxRunning).toBe(PODS);
  });

  test("of a Job without indexes, of which the first hundred fail", async () => {
    const { tracking, job } = await tracked({
      ...spec,
      completionMode: "NonIndexed",
      backoffLimit: PODS,
      outcome: { runMs: [60_000, 60_999], exitCodes: [...Array.from({ length: 100 }, () => 1), 0] },
    });
    expect(job["status"]).toMatchObject({ succeeded: PODS, failed: 100 });
    expect(tracking.maxRunning).toBe(PODS);
  });

  test("of a Job that gives up: each that fails or is stopped is counted as failed, once", async () => {
    const { job } = await tracked({
      ...spec,
      backoffLimit: 5,
      outcome: { runMs: [60_000, 60_999], exitCodes: [...Array.from({ length: 10 }, () => 1), 0] },
    });
    const { succeeded = 0, failed } = job["status"];
    expect(succeeded + failed).toBe(PODS);
    expect(job["status"].conditions).toMatchObject([
      { type: "FailureTarget" },
      { type: "Failed", reason: "BackoffLimitExceeded" },
    ]);
  });
});

describe("the check notices", () => {
  const pod = (uid: string, phase: string, finalizers: string[]): KubeObject =>
    ({
      metadata: { uid, name: uid, finalizers, annotations: { "batch.kubernetes.io/job-completion-index": "0" } },
      status: { phase },
    }) as unknown as KubeObject;
  const job = (status: object): KubeObject => ({ metadata: {}, status }) as unknown as KubeObject;
  const on = ["batch.kubernetes.io/job-tracking"];
  const finished = (isIndexed: boolean): Tracking => {
    const tracking = new Tracking(isIndexed);
    tracking.onPod("ADDED", pod("a", "Running", on));
    tracking.onPod("MODIFIED", pod("a", "Succeeded", on));
    return tracking;
  };

  test.each<[string, (tracking: Tracking) => void, boolean, string]>([
    [
      "a finalizer that goes too soon",
      (t) => t.onPod("MODIFIED", pod("a", "Succeeded", [])),
      false,
      "before its UID was recorded",
    ],
    [
      "a finalizer that goes before its index is recorded",
      (t) => t.onPod("MODIFIED", pod("a", "Succeeded", [])),
      true,
      "before its index was recorded",
    ],
    [
      "a pod counted with its finalizer on",
      (t) => {
        t.onJob("", job({ uncountedTerminatedPods: { succeeded: ["a"] } }));
        t.onJob("", job({ succeeded: 1 }));
      },
      false,
      "with its finalizer on",
    ],
    [
      "a pod recorded as what it is not",
      (t) => t.onJob("", job({ uncountedTerminatedPods: { failed: ["a"] } })),
      false,
      "recorded as failed",
    ],
    [
      "a counter that goes up for nothing",
      (t) => t.onJob("", job({ succeeded: 1 })),
      false,
      "succeeded went from 0 to 1",
    ],
    [
      "a pod that is counted twice",
      (t) => {
        t.onJob("", job({ uncountedTerminatedPods: { succeeded: ["a"] } }));
        t.onPod("MODIFIED", pod("a", "Succeeded", []));
        t.onJob("", job({ succeeded: 1 }));
        t.onJob("", job({ succeeded: 1, uncountedTerminatedPods: { succeeded: ["a"] } }));
      },
      false,
      'recorded in the stage "counted"',
    ],
    ["a pod that is not accounted for at the end", (t) => t.atEnd({ succeeded: 1 }), false, 'ends in the stage "on"'],
  ])("%s", (_name, fault, isIndexed, message) => {
    expect(() => fault(finished(isIndexed))).toThrow(message);
  });
});
