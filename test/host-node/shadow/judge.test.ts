/** Orders of writes that the Job controller of the stage never makes, and upstream's may. */
import { describe, expect, it } from "vitest";
import type { Job, Pod } from "../../../cluster/values/kinds.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { TRACKING_FINALIZER } from "../../../host-node/shadow/divergence.ts";
import { Judge } from "../../../host-node/shadow/judge.ts";
import { Oracle } from "../../../host-node/shadow/oracle.ts";
import { type Change, Timeline } from "../../../host-node/shadow/timeline.ts";

const START_MS = Date.UTC(2026, 0, 1);
const START = "2026-01-01T00:00:00Z";
const WINDOW_MS = 10_000;
const LABELS = { "batch.kubernetes.io/controller-uid": "job", "batch.kubernetes.io/job-name": "pi" };

/** A Job that is deleted without its pods, after a second. */
function job(resourceVersion: string): Pod {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "pi",
      namespace: "default",
      uid: "job",
      generation: 1,
      creationTimestamp: START,
      resourceVersion,
      ...(resourceVersion === "1" ? {} : { deletionTimestamp: START, finalizers: ["orphan"] }),
    },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: "NonIndexed",
      suspend: false,
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "job" } },
      template: {
        metadata: { labels: LABELS },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "app" }] },
      },
    },
    status: { startTime: START, active: 1, ready: 1, terminating: 0, uncountedTerminatedPods: {} },
  } as unknown as Pod;
}

function pod(resourceVersion: string, { isOwned, isTracked }: Record<"isOwned" | "isTracked", boolean>): Pod {
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "pi", uid: "job", controller: true };
  return {
    metadata: {
      name: "pi-1",
      namespace: "default",
      uid: "pod",
      creationTimestamp: START,
      resourceVersion,
      labels: LABELS,
      ...(isOwned ? { ownerReferences: [owner] } : {}),
      finalizers: isTracked ? [TRACKING_FINALIZER] : [],
    },
    spec: { nodeName: "node" },
    status: { phase: "Succeeded" },
  } as unknown as Pod;
}

/** One object after the other, each a second later. @returns what is judged of the last change */
async function judge(history: readonly ["job" | "pod", Job | Pod][]): Promise<unknown> {
  const timeline = new Timeline();
  let last: Change | undefined;
  for (const [at, [kind, object]] of history.entries())
    last = timeline.see(kind, "MODIFIED", object, START_MS + at * 1000);
  return new Judge({ oracle: new Oracle(await loadEngineModule()), windowMs: WINDOW_MS }).judge(timeline, last!);
}

describe("a finalizer that is taken off before a status is stored", () => {
  it("is no divergence when the pod belongs to no Job any more", async () => {
    expect(
      await judge([
        ["job", job("1")],
        ["pod", pod("2", { isOwned: true, isTracked: true })],
        ["job", job("3")],
        ["pod", pod("4", { isOwned: false, isTracked: true })],
        ["pod", pod("5", { isOwned: false, isTracked: false })],
      ]),
    ).toBe("same");
  });

  it("is one when the Job has yet to count the pod", async () => {
    expect(
      await judge([
        ["job", job("1")],
        ["pod", pod("2", { isOwned: true, isTracked: true })],
        ["pod", pod("3", { isOwned: true, isTracked: false })],
      ]),
    ).toMatchObject({
      kind: "finalizer",
      sentence: "pod pi-1 lost its finalizer, and Stint would store its status first",
    });
  });
});
