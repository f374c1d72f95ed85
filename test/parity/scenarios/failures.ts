/** Pods and containers that fail, are deleted or are evicted; back-off, limits, deadlines. */
import type { Scenario } from "../scenario.ts";

const ON_FAILURE = { template: { spec: { restartPolicy: "OnFailure" } } };

export const FAILURES: readonly Scenario[] = [
  {
    name: "fails-twice",
    rows: ["J102", "R24", "S14"],
    job: { backoffLimit: 4 },
    outcome: { runMs: 500, exitCodes: [1, 1, 0] },
  },
  { name: "backoff-limit-0", rows: ["S17", "J106", "14.1"], job: { backoffLimit: 0 }, outcome: { exitCode: 1 } },
  { name: "backoff-limit-1", rows: ["J106", "R20", "R22", "14.6"], job: { backoffLimit: 1 }, outcome: { exitCode: 1 } },
  {
    name: "a-success-resets-the-back-off",
    rows: ["13.2", "3.2"],
    job: { completions: 3, parallelism: 1 },
    outcome: { runMs: 500, exitCodes: [1, 0, 1, 0, 0] },
  },
  {
    name: "an-index-fails-once",
    rows: ["J92", "M6"],
    job: { completionMode: "Indexed", completions: 3, parallelism: 3 },
    outcome: { byIndex: { "1": { runMs: 8_000, exitCodes: [1, 0] } } },
  },
  {
    name: "back-off-delays-every-creation",
    rows: ["J57", "13.10", "M6"],
    job: { completionMode: "Indexed", completions: 4, parallelism: 2 },
    outcome: { runMs: 500, byIndex: { "0": { runMs: 6_000, exitCodes: [1, 0] }, "2": { runMs: 30_000 } } },
  },
  {
    name: "the-limit-while-others-run",
    rows: ["13.14", "J158", "J174", "J178"],
    job: { completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimit: 0 },
    outcome: {
      runMs: "forever",
      sigterm: { exitCode: 143, afterMs: 3_000 },
      byIndex: { "0": { runMs: 6_000, exitCode: 1 } },
    },
  },
  { name: "on-failure-succeeds", rows: ["J89", "R7"], job: ON_FAILURE, outcome: { exitCodes: [1, 0] } },
  {
    name: "on-failure-limit-2",
    rows: ["J105", "J107", "R9", "R14", "13.4"],
    job: { ...ON_FAILURE, backoffLimit: 2 },
    outcome: { exitCode: 1, runMs: 2_000 },
  },
  {
    name: "on-failure-limit-1",
    rows: ["R1", "R2", "13.4"],
    job: { ...ON_FAILURE, backoffLimit: 1 },
    outcome: { exitCode: 1, runMs: 2_500 },
  },
  {
    name: "on-failure-limit-0",
    rows: ["13.4", "S17"],
    job: { ...ON_FAILURE, backoffLimit: 0 },
    outcome: { exitCode: 1, runMs: 2_500 },
  },
  {
    name: "deadline",
    rows: ["J159", "J160", "J162", "W29"],
    job: { activeDeadlineSeconds: 8, completions: 2, parallelism: 2 },
    outcome: { runMs: "forever" },
  },
  {
    name: "deadline-and-grace",
    rows: ["J178", "13.24"],
    job: { activeDeadlineSeconds: 8 },
    outcome: { runMs: "forever", sigterm: { exitCode: 0, afterMs: 3_000 } },
  },
  {
    name: "deadline-during-back-off",
    rows: ["J161", "S17"],
    job: { activeDeadlineSeconds: 9 },
    outcome: { exitCode: 1 },
  },
  {
    name: "deadline-added-later",
    rows: ["2.3"],
    job: {},
    outcome: { runMs: "forever" },
    actions: [{ when: { pods: { Ready: 1 } }, afterMs: 3_000, patchJob: { spec: { activeDeadlineSeconds: 5 } } }],
  },
  {
    name: "deadline-of-the-pod",
    rows: ["J164"],
    job: { backoffLimit: 0, template: { spec: { activeDeadlineSeconds: 2 } } },
    outcome: { runMs: "forever" },
  },
  {
    name: "an-image-that-is-not-there",
    rows: ["J90", "S17"],
    job: { activeDeadlineSeconds: 8 },
    outcome: { failReason: "ErrImagePull" },
  },
  {
    name: "killed-for-memory",
    rows: ["J91"],
    job: { backoffLimit: 0 },
    outcome: { exitCode: 137, signal: 9, reason: "OOMKilled" },
  },
  {
    name: "a-pod-that-cannot-be-scheduled",
    rows: ["J54", "M3"],
    job: { activeDeadlineSeconds: 8, template: { spec: { nodeSelector: { "example.com/none": "yes" } } } },
  },
  {
    name: "a-deleted-pod",
    rows: ["J4", "J99", "13.15", "14.6"],
    job: { completions: 2, parallelism: 2 },
    outcome: { runMs: 24_000 },
    actions: [{ when: { pods: { Ready: 2 } }, afterMs: 3_000, deletePod: {} }],
  },
  {
    name: "a-pod-deleted-by-force",
    rows: ["J4", "B17"],
    job: { completions: 2, parallelism: 2 },
    outcome: { runMs: 24_000 },
    actions: [{ when: { pods: { Ready: 2 } }, afterMs: 3_000, deletePod: {}, gracePeriodSeconds: 0 }],
  },
  {
    name: "a-deleted-pod-succeeds",
    rows: ["J99", "13.15"],
    job: { backoffLimit: 3 },
    outcome: { runMs: 20_000, sigterm: { exitCode: 0, afterMs: 2_000 } },
    actions: [{ when: { pods: { Ready: 1 } }, afterMs: 3_000, deletePod: {} }],
  },
  {
    name: "a-deleted-pod-of-an-index",
    rows: ["J4", "J237"],
    job: { completionMode: "Indexed", completions: 2, parallelism: 2 },
    outcome: { runMs: 24_000 },
    actions: [{ when: { pods: { Ready: 2 } }, afterMs: 3_000, deletePod: { index: 1 } }],
  },
  {
    name: "an-evicted-pod",
    rows: ["J4", "J123"],
    job: { backoffLimit: 1 },
    outcome: { runMs: 20_000 },
    actions: [{ when: { pods: { Ready: 1 } }, afterMs: 3_000, evictPod: {} }],
  },
  {
    name: "the-limit-raised-in-time",
    rows: ["2.3", "S17"],
    job: { backoffLimit: 1 },
    outcome: { runMs: 500, exitCodes: [1, 1, 0] },
    actions: [{ when: { status: { failed: 1 } }, patchJob: { spec: { backoffLimit: 3 } } }],
  },
];
