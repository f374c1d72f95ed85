/** From a status alone: a run with the same conditions and counters at its end, or the word that there is none. */
import { describe, expect, test } from "vitest";
import { World } from "../../../cluster/simulation/world.ts";
import { openDoor } from "../../../host-browser/door/door.ts";
import { allTools } from "../../cluster/simulation/tools.ts";
import { TestRecorder } from "../../cluster/simulation/harness.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { newEngine, toolsOf } from "./played.ts";

const { module } = await loadEngineModule();
const NOW_MS = Date.parse("2026-11-28T00:00:00Z");
const TIME = "2026-11-27T23:00:00Z";

function jobText(spec: object, status: object, [type, reason]: readonly [string, string], image = "i"): string {
  const conditions = [{ type, status: "True", reason, message: "m", lastTransitionTime: "2026-11-27T23:10:00Z" }];
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image }] } };
  return JSON.stringify({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "pi", namespace: "default", uid: "u", resourceVersion: "9", creationTimestamp: TIME },
    spec: { template, ...spec },
    status: { startTime: TIME, conditions, ...status },
  });
}

const open = (text: string) => openDoor(text, toolsOf(newEngine(), NOW_MS));
const indexed = (completions: number) => ({ completionMode: "Indexed", completions, parallelism: completions });
const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }];
const CASES = [
  ["a limit", { backoffLimit: 2 }, { failed: 3 }, ["Failed", "BackoffLimitExceeded"]],
  [
    "successes before",
    { backoffLimit: 1, completions: 5 },
    { succeeded: 3, failed: 2 },
    ["Failed", "BackoffLimitExceeded"],
  ],
  ["failures before", { completions: 3 }, { succeeded: 3, failed: 2 }, ["Complete", "CompletionsReached"]],
  [
    "a deadline",
    { activeDeadlineSeconds: 60, parallelism: 2, completions: 2 },
    { failed: 2 },
    ["Failed", "DeadlineExceeded"],
  ],
  ["a rule", { podFailurePolicy: { rules } }, { failed: 1 }, ["Failed", "PodFailurePolicy"]],
  [
    "indexes",
    { ...indexed(4), backoffLimitPerIndex: 0 },
    { succeeded: 2, failed: 2, completedIndexes: "0,3", failedIndexes: "1,2" },
    ["Failed", "FailedIndexes"],
  ],
] as const;

describe("a run is reconstructed", () => {
  test.each(CASES)("of %s", (_name, spec, status, end) => {
    const { yaml, world, isReconstructed } = open(jobText(spec, status, end));
    expect(isReconstructed).toBe(true);
    const recorder = new TestRecorder();
    const run = new World(module, { ...world!, yaml: yaml!, inputs: [] }, recorder, allTools);
    for (let step = 0; step < 10_000 && !run.isFinished(); step++) run.runNext();
    const { conditions, ...counters } = recorder.objects.get("jobs/pi")!["status"];
    expect(counters).toMatchObject(status);
    expect(conditions.at(-1)).toMatchObject({ type: end[0], reason: end[1] });
  });

  test("and not where the counters are none of the manifest", () => {
    const { isReconstructed, world, jobs } = open(
      jobText({ backoffLimit: 2 }, { failed: 17 }, ["Failed", "BackoffLimitExceeded"]),
    );
    expect({ isReconstructed, world }).toEqual({ isReconstructed: false });
    expect(jobs[0]!.what).toContain("BackoffLimitExceeded");
  });

  test("and not of a Job that goes on", () => {
    expect(open(jobText({}, { active: 1 }, ["Suspended", "JobResumed"])).isReconstructed).toBeUndefined();
  });
});
