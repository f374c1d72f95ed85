/**
 * Whether a Job is at its end: pods that were deleted because it had succeeded have not failed, and say nothing against
 * it.
 */
import { describe, expect, test } from "vitest";
import type { JobFacts, PodFacts } from "../facts.ts";
import { isAtItsEnd, takenIndexes } from "./expected.ts";

function pod(facts: Partial<PodFacts>): PodFacts {
  return {
    uid: "p",
    phase: "Failed",
    isDeleting: true,
    holdsFinalizer: true,
    index: 0,
    restarts: 0,
    indexFailures: 0,
    indexIgnoredFailures: 0,
    evidence: { containers: [{ name: "main", state: { terminated: { exitCode: 143 } } }], conditions: [] },
    ...facts,
  } as PodFacts;
}

function job(facts: Partial<JobFacts>): JobFacts {
  return {
    isIndexed: true,
    completions: 2,
    parallelism: 2,
    backoffLimit: 6,
    backoffLimitPerIndex: undefined,
    maxFailedIndexes: undefined,
    failureRules: [],
    successRules: [],
    conditions: [],
    failed: 0,
    succeeded: 0,
    uncountedSucceeded: [],
    uncountedFailed: [],
    completedText: "",
    failedText: undefined,
    isOnFailure: false,
    onlyReplaceFailed: true,
    activeDeadlineSeconds: undefined,
    ...facts,
  } as JobFacts;
}

describe.each([
  { rule: "backoffLimit", of: job({ backoffLimit: 0 }) },
  {
    rule: "backoffLimit, with terminating pods",
    of: job({ backoffLimit: 0, onlyReplaceFailed: false }),
    phase: "Running",
  },
  {
    rule: "podFailurePolicy",
    of: job({ failureRules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [143] } }] }),
  },
  { rule: "maxFailedIndexes", of: job({ backoffLimitPerIndex: 0, maxFailedIndexes: 0 }) },
])("$rule", ({ of, phase = "Failed" }) => {
  const pods = [pod({ phase })];

  test("a pod that has failed ends the Job", () => {
    expect(isAtItsEnd(of, pods, 0)).toBe(true);
  });

  test("a pod that was not needed does not", () => {
    expect(isAtItsEnd(of, pods, 0, [])).toBe(false);
  });
});

test("restarts count as long as there is a pod", () => {
  const pods = [pod({ phase: "Running", restarts: 6 })];
  expect(isAtItsEnd(job({ isOnFailure: true }), pods, 0, [])).toBe(true);
});

test("the index of a pod that was not needed has not failed", () => {
  const pods = [pod({})];
  const of = job({ backoffLimitPerIndex: 0 });
  expect(takenIndexes(of, pods)).toEqual(new Set([0]));
  expect(takenIndexes(of, pods, [])).toEqual(new Set());
});
