/** The kinds of Jobs from beginning to end, how many pods they have at a time, and what these pods look like. */
import type { Scenario } from "../scenario.ts";

export const BASICS: readonly Scenario[] = [
  { name: "one-pod", rows: ["J1", "J7", "J24", "J40", "14.6"], job: { backoffLimit: 4 } },
  { name: "fixed-count", rows: ["J41", "J52", "M2"], job: { completions: 5, parallelism: 2 } },
  { name: "parallelism-above-completions", rows: ["J52"], job: { completions: 2, parallelism: 10 } },
  { name: "completions-0", rows: ["S22", "13.29"], job: { completions: 0, parallelism: 2 } },
  { name: "work-queue", rows: ["J43", "J45", "J46"], job: { parallelism: 3 } },
  {
    name: "work-queue-fails",
    rows: ["J47", "13.6"],
    job: { parallelism: 2, backoffLimit: 1 },
    outcome: { runMs: "forever" },
    // The other one is the first, whether the deletion of the second has been seen or not. Both before one is replaced.
    actions: [
      { when: { pods: { Ready: 2 } }, afterMs: 3_000, deletePod: { nth: 1 } },
      { afterMs: 2_000, deletePod: {} },
    ],
  },
  {
    name: "indexed",
    rows: ["J42", "J61", "J62", "J63", "J65", "J66"],
    job: { completionMode: "Indexed", completions: 4, parallelism: 2 },
  },
  {
    name: "parallelism-0-then-2",
    rows: ["J51"],
    job: { completions: 3, parallelism: 0 },
    actions: [{ patchJob: { spec: { parallelism: 2 } }, afterMs: 2_000 }],
  },
  {
    name: "more-parallelism",
    rows: ["J51", "2.3"],
    job: { completions: 4, parallelism: 1 },
    outcome: { runMs: 20_000 },
    actions: [{ when: { pods: { Ready: 1 } }, afterMs: 500, patchJob: { spec: { parallelism: 4 } } }],
  },
  {
    name: "less-parallelism",
    rows: ["J52", "M3", "M-del", "W48"],
    job: { completions: 4, parallelism: 4 },
    outcome: { runMs: 30_000 },
    actions: [
      { when: { pods: { Ready: 4 } }, afterMs: 3_000, patchJob: { spec: { parallelism: 1 } } },
      { when: { gone: 3 }, afterMs: 3_000, patchJob: { spec: { parallelism: 4 } } },
    ],
  },
  {
    name: "less-parallelism-indexed",
    rows: ["M3"],
    job: { completionMode: "Indexed", completions: 4, parallelism: 3 },
    outcome: { runMs: 20_000 },
    actions: [
      { when: { pods: { Ready: 3 } }, afterMs: 3_000, patchJob: { spec: { parallelism: 0 } } },
      { when: { gone: 3 }, afterMs: 3_000, patchJob: { spec: { parallelism: 4 } } },
    ],
  },
  { name: "twelve-pods", rows: ["7", "14.6"], job: { completions: 12, parallelism: 12 }, outcome: { runMs: 12_000 } },
  { name: "thirty-pods", rows: ["7", "14.6"], job: { completions: 30, parallelism: 30 }, outcome: { runMs: 20_000 } },
  {
    name: "forty-indexes",
    rows: ["M9", "W50"],
    job: { completionMode: "Indexed", completions: 40, parallelism: 20 },
    outcome: { runMs: 15_000 },
  },
  {
    name: "a-name-so-long-that-the-names-of-its-pods-have-to-be-cut-off",
    rows: ["5", "J31"],
    job: { completionMode: "Indexed", completions: 2, parallelism: 2 },
  },
  {
    name: "template-metadata",
    rows: ["5", "J37"],
    job: {
      template: {
        metadata: {
          labels: { app: "parity", tier: "batch" },
          annotations: { "example.com/note": "kept" },
          finalizers: ["example.com/kept"],
        },
      },
    },
  },
  {
    name: "own-index-variable",
    rows: ["5", "J65"],
    job: {
      completionMode: "Indexed",
      completions: 2,
      parallelism: 2,
      template: {
        spec: {
          hostname: "overwritten",
          initContainers: [{ name: "prepare", image: "example.com/simulated" }],
          containers: [
            { name: "main", image: "example.com/simulated", env: [{ name: "JOB_COMPLETION_INDEX", value: "mine" }] },
            { name: "second", image: "example.com/simulated", env: [{ name: "BEFORE", value: "1" }] },
          ],
        },
      },
    },
  },
  {
    name: "sidecar",
    rows: ["3.2", "J105"],
    job: {
      backoffLimit: 1,
      template: {
        spec: { initContainers: [{ name: "proxy", image: "example.com/simulated", restartPolicy: "Always" }] },
      },
    },
    outcome: { exitCodes: [1, 0] },
  },
  { name: "reserved-manager", rows: ["2.8", "J241"], job: { managedBy: "kubernetes.io/job-controller" } },
  { name: "foreign-manager", rows: ["S4", "J241"], job: { managedBy: "example.com/other" }, until: {} },
];
