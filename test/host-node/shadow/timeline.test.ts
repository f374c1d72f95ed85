/** From which states the built-in controller may have decided on a write. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Pod } from "../../../cluster/values/kinds.ts";
import { TRACKING_FINALIZER } from "../../../host-node/shadow/divergence.ts";
import { type Change, Timeline } from "../../../host-node/shadow/timeline.ts";

const WINDOW_MS = 10_000;

let timeline: Timeline;
let version: number;

beforeEach(() => {
  timeline = new Timeline();
  version = 0;
});

/** The Job or a pod changes at that second. */
function see(kind: "job" | "pod", second: number, name: string, metadata: object, status: object): Change {
  const resourceVersion = String(++version);
  const object = { metadata: { name, uid: name, resourceVersion, ...metadata }, status } as unknown as Pod;
  return timeline.see(kind, "MODIFIED", object, second * 1000)!;
}

const seeJob = (second: number, status: object): Change => see("job", second, "job", {}, status);

function seePod(second: number, name: string, phase: string, { isTracked = true, deleted = false } = {}): Change {
  return see(
    ...(["pod", second, name] as const),
    {
      finalizers: isTracked ? [TRACKING_FINALIZER] : [],
      ...(deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    { phase },
  );
}

/** How many of the pods were being deleted, in each of the states. */
function deletedBefore(change: Change): readonly number[] {
  return [...timeline.statesBefore(change, WINDOW_MS, ["removal"])].map(
    ({ pods }) => pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length,
  );
}

describe("the states before a write", () => {
  beforeEach(() => {
    seeJob(0, { active: 2 });
    seePod(1, "done", "Running");
    seePod(1, "other", "Running");
    seePod(20, "done", "Succeeded");
  });

  it("are those of the last window", () => {
    seePod(30, "other", "Running", { deleted: true });
    expect(deletedBefore(seeJob(39, { active: 1, terminating: 1 }))).toContain(0);
    expect(deletedBefore(seeJob(50, { active: 1, terminating: 2 }))).not.toContain(0);
  });

  it("reach to where the sync began that counts pods, however long it takes off their finalizers", () => {
    seeJob(21, { active: 2, uncountedTerminatedPods: { succeeded: ["done"] } });
    seePod(22, "other", "Running", { deleted: true });
    seePod(60, "done", "Succeeded", { isTracked: false });
    expect(deletedBefore(seeJob(90, { active: 1, succeeded: 1, uncountedTerminatedPods: {} }))).toContain(0);
  });

  it("reach no further when all pods are counted", () => {
    seeJob(21, { active: 2, uncountedTerminatedPods: { succeeded: ["done"] } });
    seePod(22, "done", "Succeeded", { isTracked: false });
    seeJob(23, { active: 1, succeeded: 1, uncountedTerminatedPods: {} });
    seePod(30, "other", "Running", { deleted: true });
    expect(deletedBefore(seeJob(50, { active: 1, succeeded: 1, terminating: 1 }))).not.toContain(0);
  });
});
