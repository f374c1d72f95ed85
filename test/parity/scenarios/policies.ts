/** Failure, success and replacement policies; limits of each index. */
import type { Scenario } from "../scenario.ts";

const INDEXED_3 = { completionMode: "Indexed", completions: 3, parallelism: 3 };
const INDEXED_4 = { completionMode: "Indexed", completions: 4, parallelism: 4 };
const IGNORES_DISRUPTIONS = { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] };

export const POLICIES: readonly Scenario[] = [
  {
    name: "fail-job",
    rows: ["J121", "J124", "J126", "J130", "J140", "J171", "3.7"],
    job: {
      ...INDEXED_3,
      podFailurePolicy: {
        rules: [
          { action: "FailJob", onExitCodes: { containerName: "main", operator: "In", values: [42] } },
          IGNORES_DISRUPTIONS,
        ],
      },
    },
    outcome: { runMs: "forever", byIndex: { "1": { runMs: 6_000, exitCode: 42 } } },
  },
  {
    name: "fail-job-not-in",
    rows: ["3.7", "J125"],
    job: { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "NotIn", values: [1, 2] } }] } },
    outcome: { exitCode: 3 },
  },
  {
    name: "fail-job-by-an-init-container",
    rows: ["J133", "3.7"],
    job: {
      podFailurePolicy: {
        rules: [{ action: "FailJob", onExitCodes: { containerName: "prepare", operator: "In", values: [7] } }],
      },
      template: { spec: { initContainers: [{ name: "prepare", image: "example.com/simulated" }] } },
    },
    outcome: { byContainer: { prepare: { runMs: 500, exitCode: 7 } } },
  },
  {
    name: "fail-job-by-a-condition",
    rows: ["3.7", "J120"],
    job: { podFailurePolicy: { rules: [{ action: "FailJob", onPodConditions: [{ type: "DisruptionTarget" }] }] } },
    outcome: { runMs: "forever" },
    actions: [{ when: { pods: { Ready: 1 } }, afterMs: 3_000, evictPod: {} }],
  },
  {
    name: "count-comes-first",
    rows: ["J132", "J134"],
    job: {
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [
          { action: "Count", onExitCodes: { operator: "In", values: [42] } },
          { action: "FailJob", onExitCodes: { operator: "In", values: [42] } },
        ],
      },
    },
    outcome: { exitCode: 42 },
  },
  {
    name: "ignore-an-exit-code",
    rows: ["J135", "13.13"],
    job: {
      backoffLimit: 0,
      podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [9] } }] },
    },
    outcome: { runMs: 500, exitCodes: [9, 0] },
  },
  {
    name: "ignore-an-eviction",
    rows: ["J122", "J129", "J139"],
    job: { backoffLimit: 0, podFailurePolicy: { rules: [IGNORES_DISRUPTIONS] } },
    outcome: { runMs: 20_000, sigterm: { exitCode: 143, afterMs: 2_000 } },
    actions: [{ when: { pods: { Ready: 1 } }, afterMs: 3_000, evictPod: {} }],
  },
  {
    name: "with-a-policy-a-terminating-pod-is-no-failure",
    rows: ["J96", "J97", "J137", "13.5"],
    job: { completions: 2, parallelism: 2, podFailurePolicy: { rules: [IGNORES_DISRUPTIONS] } },
    outcome: { runMs: 32_000, sigterm: { exitCode: 1, afterMs: 8_000 } },
    actions: [{ when: { pods: { Ready: 2 } }, afterMs: 3_000, deletePod: {} }],
  },
  {
    name: "limit-per-index",
    rows: ["J108", "J109", "J111", "J112", "J116", "J117", "S19"],
    job: { ...INDEXED_4, backoffLimitPerIndex: 1 },
    outcome: { byIndex: { "0": { runMs: 8_000, exitCode: 1 }, "2": { runMs: 8_000, exitCode: 1 } } },
  },
  {
    name: "limit-per-index-0",
    rows: ["J108", "J112"],
    job: { ...INDEXED_3, backoffLimitPerIndex: 0 },
    outcome: { runMs: 8_000, byIndex: { "1": { runMs: 4_000, exitCode: 1 } } },
  },
  {
    name: "limit-per-index-recovers",
    rows: ["J111", "13.11"],
    job: { ...INDEXED_4, parallelism: 2, backoffLimitPerIndex: 2 },
    outcome: { runMs: 8_000, byIndex: { "0": { runMs: 12_000, exitCodes: [1, 0] } } },
  },
  {
    name: "too-many-failed-indexes",
    rows: ["J113", "J170"],
    job: { ...INDEXED_4, backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
    outcome: { runMs: "forever", byIndex: { "1": { runMs: 4_000, exitCode: 1 }, "2": { runMs: 9_000, exitCode: 1 } } },
  },
  {
    name: "limit-per-index-and-of-the-job",
    rows: ["J101", "3.9"],
    job: { ...INDEXED_3, backoffLimitPerIndex: 3, backoffLimit: 0 },
    outcome: { runMs: "forever", byIndex: { "0": { runMs: 6_000, exitCode: 1 } } },
  },
  {
    name: "fail-index",
    rows: ["J119", "J134"],
    job: {
      ...INDEXED_3,
      backoffLimitPerIndex: 3,
      podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [42] } }] },
    },
    outcome: { byIndex: { "1": { runMs: 8_000, exitCode: 42 } } },
  },
  {
    name: "ignored-failures-of-an-index",
    rows: ["5", "13.13"],
    job: {
      ...INDEXED_3,
      backoffLimitPerIndex: 0,
      podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [9] } }] },
    },
    outcome: { byIndex: { "1": { exitCodes: [9, 0] } } },
  },
  {
    name: "success-policy-count",
    rows: ["J143", "J146", "J150", "J173"],
    job: { ...INDEXED_4, successPolicy: { rules: [{ succeededCount: 2 }] } },
    outcome: { runMs: "forever", byIndex: { "0": { runMs: 4_000 }, "3": { runMs: 8_000 } } },
  },
  {
    name: "success-policy-indexes",
    rows: ["J144", "J145"],
    job: { ...INDEXED_4, successPolicy: { rules: [{ succeededIndexes: "1-2" }] } },
    outcome: { runMs: "forever", byIndex: { "0": { runMs: 4_000 }, "1": { runMs: 8_000 }, "2": { runMs: 12_000 } } },
  },
  {
    name: "success-policy-indexes-and-count",
    rows: ["J147", "J149", "J151", "J178"],
    job: { ...INDEXED_4, successPolicy: { rules: [{ succeededIndexes: "0,2-3", succeededCount: 1 }] } },
    outcome: { runMs: "forever", sigterm: { exitCode: 0, afterMs: 3_000 }, byIndex: { "2": { runMs: 6_000 } } },
  },
  {
    name: "success-policy-second-rule",
    rows: ["J148", "3.8"],
    job: { ...INDEXED_4, successPolicy: { rules: [{ succeededIndexes: "3" }, { succeededCount: 1 }] } },
    outcome: { runMs: "forever", byIndex: { "1": { runMs: 6_000 } } },
  },
  {
    name: "success-policy-never-met",
    rows: ["J142", "J172"],
    job: { ...INDEXED_3, backoffLimitPerIndex: 0, successPolicy: { rules: [{ succeededIndexes: "0" }] } },
    outcome: { byIndex: { "0": { runMs: 8_000, exitCode: 1 } } },
  },
  {
    name: "success-policy-after-a-failure",
    rows: ["J153", "13.8b"],
    job: { ...INDEXED_3, backoffLimit: 3, successPolicy: { rules: [{ succeededCount: 1 }] } },
    outcome: { runMs: "forever", byIndex: { "0": { runMs: 4_000, exitCode: 1 }, "1": { runMs: 9_000 } } },
    shows: [{ change: "active-while-a-retry-waits", aspects: ["order"] }],
  },
  {
    name: "replacement-failed",
    rows: ["J238", "J240", "M5"],
    job: { completions: 2, parallelism: 2, podReplacementPolicy: "Failed" },
    outcome: { runMs: 32_000, sigterm: { exitCode: 143, afterMs: 8_000 } },
    actions: [{ when: { pods: { Ready: 2 } }, afterMs: 3_000, deletePod: {} }],
  },
  {
    name: "replacement-terminating-or-failed",
    rows: ["J58", "J237"],
    job: { completions: 2, parallelism: 2, podReplacementPolicy: "TerminatingOrFailed" },
    outcome: { runMs: 34_000, sigterm: { exitCode: 143, afterMs: 22_000 } },
    actions: [{ when: { pods: { Ready: 2 } }, afterMs: 3_000, deletePod: {} }],
  },
  {
    name: "replacement-policy-changed",
    rows: ["M5", "A"],
    job: { podReplacementPolicy: "Failed" },
    outcome: { runMs: 20_000, sigterm: { exitCode: 143, afterMs: 22_000 } },
    actions: [
      { when: { pods: { Ready: 1 } }, afterMs: 3_000, deletePod: {} },
      {
        when: { status: { terminating: 1 } },
        afterMs: 500,
        patchJob: { spec: { podReplacementPolicy: "TerminatingOrFailed" } },
      },
    ],
  },
];
