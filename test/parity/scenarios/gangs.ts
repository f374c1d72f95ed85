/** Gang scheduling: the Workload and the PodGroup of a Job, and their size. */
import type { Scenario } from "../scenario.ts";

const GANG = { schedulingPolicy: { gang: {} } };
const RESUME = { patchJob: { spec: { suspend: false } } };

export const GANGS: readonly Scenario[] = [
  {
    name: "gang",
    rows: ["J69", "J77", "J78", "J79", "J81", "11"],
    gang: true,
    job: { completionMode: "Indexed", completions: 3, parallelism: 3, scheduling: GANG },
  },
  {
    name: "no-gang-unless-asked-for",
    rows: ["J71", "J73", "J75"],
    gang: true,
    job: { completionMode: "Indexed", completions: 3, parallelism: 3 },
  },
  {
    name: "a-gang-without-indexes",
    rows: ["J72", "11"],
    gang: true,
    job: {
      completions: 4,
      parallelism: 3,
      scheduling: { schedulingPolicy: { gang: { minCount: 2 } }, disruptionMode: { all: {} } },
    },
  },
  {
    name: "a-gang-grows",
    rows: ["J85", "J88", "11"],
    gang: true,
    job: { completionMode: "Indexed", completions: 2, parallelism: 2, scheduling: GANG },
    outcome: { runMs: 12_000 },
    actions: [
      { when: { pods: { Ready: 2 } }, patchJob: { spec: { completions: 4, parallelism: 4 } } },
      { when: { pods: { Ready: 4 } }, patchJob: { spec: { completions: 3, parallelism: 3 } } },
    ],
  },
  {
    name: "a-gang-of-another-size",
    rows: ["11"],
    gang: true,
    job: { completionMode: "Indexed", completions: 3, parallelism: 3, suspend: true, scheduling: GANG },
    actions: [
      {
        when: { condition: "Suspended" },
        afterMs: 3_000,
        patchJob: { spec: { scheduling: { schedulingPolicy: { gang: { minCount: 2 } } } } },
      },
      { ...RESUME, afterMs: 3_000 },
    ],
  },
  {
    name: "a-workload-of-others",
    rows: ["J80", "11"],
    gang: true,
    before: [
      {
        kind: "Workload",
        metadata: { name: "other" },
        spec: {
          controllerRef: { apiGroup: "batch", kind: "Job", name: "a-workload-of-others" },
          podGroupTemplates: [{ name: "one", schedulingPolicy: { basic: {} } }],
        },
      },
    ],
    job: { completions: 2, parallelism: 2 },
  },
  {
    name: "a-suspended-gang",
    rows: ["J86"],
    gang: true,
    job: { completionMode: "Indexed", completions: 2, parallelism: 2, suspend: true, scheduling: GANG },
    actions: [{ ...RESUME, when: { condition: "Suspended" }, afterMs: 3_000 }],
  },
];
