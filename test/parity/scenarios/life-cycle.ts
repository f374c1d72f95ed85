/** Suspending, resizing, deleting, time to live, and pods that change hands. */
import type { Scenario } from "../scenario.ts";

const SUSPEND = { patchJob: { spec: { suspend: true } } };
const RESUME = { patchJob: { spec: { suspend: false } } };
const ELASTIC_4 = { completionMode: "Indexed", completions: 4, parallelism: 4 };
const resize = (count: number) => ({ patchJob: { spec: { parallelism: count, completions: count } } });
/** A Job with its own selector, and pods that it selects. */
const selecting = (app: string) => ({
  manualSelector: true,
  selector: { matchLabels: { app } },
  template: { metadata: { labels: { app } } },
});

/** Before this change a suspended Job keeps its start time. */
const KEPT_START_TIME = [{ change: "deadline-of-a-suspended-job", aspects: ["order"] }] as const;

export const LIFE_CYCLE: readonly Scenario[] = [
  {
    name: "suspended-from-the-start",
    rows: ["J200", "J201", "J208", "J209", "J212"],
    job: { completions: 2, parallelism: 2, suspend: true },
    actions: [{ ...RESUME, when: { condition: "Suspended" }, afterMs: 3_000 }],
  },
  {
    name: "suspended-for-good",
    rows: ["J206", "J208", "J212"],
    job: { completions: 5, parallelism: 1, suspend: true },
    until: { condition: "Suspended" },
  },
  {
    name: "suspended-while-running",
    shows: KEPT_START_TIME,
    rows: ["J3", "J202", "J203", "J205", "J211"],
    job: { completions: 2, parallelism: 2 },
    outcome: { runMs: 20_000 },
    actions: [
      { ...SUSPEND, when: { pods: { Ready: 2 } }, afterMs: 3_000 },
      { ...RESUME, when: { gone: 2 }, afterMs: 3_000 },
    ],
  },
  {
    name: "suspended-with-grace",
    shows: KEPT_START_TIME,
    rows: ["J204", "13.30"],
    job: { completions: 3, parallelism: 3 },
    outcome: { runMs: 20_000, sigterm: { exitCode: 143, afterMs: 3_000 } },
    actions: [
      { ...SUSPEND, when: { pods: { Ready: 3 } }, afterMs: 3_000 },
      { ...RESUME, when: { gone: 3 }, afterMs: 3_000 },
    ],
  },
  {
    name: "suspended-after-a-success",
    shows: KEPT_START_TIME,
    rows: ["J205"],
    job: { completionMode: "Indexed", completions: 2, parallelism: 2 },
    outcome: { runMs: 40_000, byIndex: { "0": { runMs: 4_000 } } },
    actions: [
      { ...SUSPEND, when: { status: { succeeded: 1, ready: 1 } } },
      { ...RESUME, when: { gone: 1 }, afterMs: 3_000 },
    ],
  },
  {
    name: "suspended-twice",
    shows: KEPT_START_TIME,
    rows: ["J201", "J211", "8"],
    job: {},
    outcome: { runMs: 20_000 },
    actions: [
      { ...SUSPEND, when: { pods: { Ready: 1 } }, afterMs: 3_000 },
      { ...RESUME, when: { gone: 1 }, afterMs: 3_000 },
      { ...SUSPEND, when: { created: 2, pods: { Ready: 1 } }, afterMs: 3_000 },
      { ...RESUME, when: { gone: 2 }, afterMs: 3_000 },
    ],
  },
  {
    name: "the-deadline-restarts-on-resume",
    rows: ["J203", "13.31"],
    // Over before it is resumed, had the time not begun again; afterwards there is time enough for slow machines.
    job: { activeDeadlineSeconds: 24 },
    outcome: { runMs: 12_000 },
    actions: [
      { ...SUSPEND, when: { pods: { Ready: 1 } }, afterMs: 3_000 },
      { ...RESUME, when: { gone: 1 }, afterMs: 24_000 },
    ],
    // Then it fails as it is resumed.
    shows: [
      {
        change: "deadline-of-a-suspended-job",
        aspects: ["status", "order", "events", "pods created", "pods left"],
      },
    ],
  },
  { name: "suspended-without-completions", rows: ["13.29"], job: { completions: 0, suspend: true } },
  {
    name: "a-suspended-work-queue",
    rows: ["J201", "J43"],
    job: { parallelism: 2, suspend: true },
    actions: [{ ...RESUME, when: { condition: "Suspended" }, afterMs: 3_000 }],
  },
  {
    name: "placed-while-suspended",
    rows: ["J214", "J215", "J219", "13.32"],
    job: { suspend: true },
    actions: [
      {
        when: { condition: "Suspended" },
        patchJob: {
          spec: {
            template: {
              metadata: { annotations: { "example.com/zone": "a" } },
              spec: {
                nodeSelector: { "kubernetes.io/hostname": "parity-node" },
                tolerations: [{ key: "gpu", operator: "Exists" }],
              },
            },
          },
        },
      },
      { ...RESUME, afterMs: 500 },
    ],
  },
  {
    name: "elastic-down",
    rows: ["J234", "J235", "3.10"],
    job: ELASTIC_4,
    outcome: { runMs: 20_000 },
    actions: [{ ...resize(2), when: { pods: { Ready: 4 } }, afterMs: 3_000 }],
  },
  {
    name: "elastic-up",
    rows: ["J234"],
    job: { ...ELASTIC_4, completions: 2, parallelism: 2 },
    outcome: { runMs: 20_000 },
    actions: [{ ...resize(4), when: { pods: { Ready: 2 } }, afterMs: 3_000 }],
  },
  {
    name: "elastic-down-and-up",
    rows: ["14.6", "3.10"],
    job: { ...ELASTIC_4, completions: 3, parallelism: 3 },
    outcome: { runMs: 30_000, byIndex: { "2": { runMs: 4_000 } } },
    actions: [
      { ...resize(2), when: { status: { succeeded: 1 } }, afterMs: 3_000 },
      { ...resize(3), afterMs: 6_000 },
    ],
  },
  {
    name: "suspended-with-enough-successes",
    rows: ["13.29", "A"],
    job: { ...ELASTIC_4, completions: 3, parallelism: 3 },
    outcome: { byIndex: { "2": { runMs: "forever" } } },
    actions: [
      { ...SUSPEND, when: { status: { succeeded: 2 } }, afterMs: 1_000 },
      { ...resize(2), when: { gone: 1 }, afterMs: 3_000 },
    ],
    until: { condition: "Suspended" },
    differences: [
      {
        row: "A suspended Job that ends: enough indexes are done already, or too many pods have failed",
        excuses: ["status", "order", "events"],
      },
    ],
    upstreamBreaks: ["no status is refused as invalid"],
    shows: KEPT_START_TIME,
  },
  {
    name: "elastic-to-0",
    rows: ["3.10", "14.1"],
    job: { ...ELASTIC_4, completions: 2, parallelism: 2 },
    outcome: { runMs: "forever" },
    actions: [{ ...resize(0), when: { pods: { Ready: 2 } }, afterMs: 3_000 }],
  },
  { name: "time-to-live", rows: ["J182", "J183", "J184", "10"], job: { ttlSecondsAfterFinished: 3 }, until: "gone" },
  { name: "time-to-live-0", rows: ["J185"], job: { ttlSecondsAfterFinished: 0 }, until: "gone" },
  {
    name: "time-to-live-of-a-failed-job",
    rows: ["J182"],
    job: { ttlSecondsAfterFinished: 2, backoffLimit: 0 },
    outcome: { exitCode: 1 },
    until: "gone",
  },
  {
    name: "time-to-live-added-later",
    rows: ["10", "J186"],
    job: {},
    actions: [{ when: { condition: "Complete" }, afterMs: 1_000, patchJob: { spec: { ttlSecondsAfterFinished: 1 } } }],
    until: "gone",
  },
  {
    name: "time-to-live-of-a-foreign-job",
    rows: ["J187"],
    job: { managedBy: "example.com/other", ttlSecondsAfterFinished: 1 },
    actions: [
      {
        afterMs: 1_000,
        subresource: "status",
        patchJob: {
          status: {
            startTime: "2026-01-01T00:00:00Z",
            completionTime: "2026-01-01T00:00:01Z",
            conditions: ["SuccessCriteriaMet", "Complete"].map((type) => ({
              type,
              status: "True",
              lastTransitionTime: "2026-01-01T00:00:01Z",
              lastProbeTime: "2026-01-01T00:00:01Z",
            })),
          },
        },
      },
    ],
    until: "gone",
  },
  {
    name: "deleted-in-the-background",
    rows: ["J2", "J156", "14.6"],
    job: { completions: 2, parallelism: 2 },
    outcome: { runMs: "forever" },
    actions: [{ when: { pods: { Ready: 2 } }, afterMs: 3_000, deleteJob: "Background" }],
    until: { gone: 2 },
  },
  {
    name: "deleted-in-the-foreground",
    rows: ["J156", "4.9"],
    // With this policy a pod that the garbage collector deletes is no failure before it has ended: who is faster does
    // not matter.
    job: { completions: 2, parallelism: 2, podReplacementPolicy: "Failed" },
    outcome: { runMs: "forever", sigterm: { exitCode: 143, afterMs: 4_000 } },
    actions: [{ when: { pods: { Ready: 2 } }, afterMs: 3_000, deleteJob: "Foreground" }],
    until: "gone",
  },
  {
    name: "deleted-and-orphaned",
    rows: ["J188", "2.6"],
    job: { completions: 2, parallelism: 2 },
    outcome: { runMs: 20_000 },
    actions: [{ when: { pods: { Ready: 2 } }, afterMs: 3_000, deleteJob: "Orphan" }],
    until: { pods: { Succeeded: 2 } },
  },
  {
    name: "deleted-when-finished",
    rows: ["J154", "J155", "J156"],
    job: { completions: 2, parallelism: 2 },
    actions: [{ when: { condition: "Complete" }, afterMs: 500, deleteJob: "Background" }],
    until: { gone: 2 },
  },
  {
    name: "deleted-and-recreated",
    rows: ["13.22", "2.3"],
    job: {},
    outcome: { runMs: 20_000 },
    actions: [
      { when: { pods: { Ready: 1 } }, afterMs: 3_000, deleteJob: "Background" },
      { when: { gone: 1 }, create: [{ kind: "Job" }] },
    ],
  },
  {
    name: "pods-change-hands",
    rows: ["J226", "J227", "J230"],
    job: { ...selecting("changes-hands"), completions: 2, parallelism: 2 },
    outcome: { runMs: 24_000 },
    actions: [
      { when: { pods: { Ready: 2 } }, afterMs: 3_000, deleteJob: "Orphan" },
      {
        afterMs: 3_000,
        create: [
          {
            kind: "Job",
            metadata: { name: "new" },
            spec: { ...selecting("changes-hands"), completions: 2, parallelism: 2 },
          },
        ],
      },
    ],
    until: { events: { Completed: 1 } },
  },
  {
    name: "a-pod-without-an-owner-is-adopted",
    rows: ["2.7", "J224"],
    before: [
      {
        kind: "Pod",
        metadata: {
          name: "made-by-hand",
          labels: { app: "adopted" },
          annotations: { "stint.dev/simulate": '{"runMs":20000}' },
        },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/simulated" }] },
      },
    ],
    job: selecting("adopted"),
  },
  {
    name: "a-pod-is-released",
    rows: ["2.7", "J225"],
    job: selecting("released"),
    outcome: { runMs: 20_000 },
    actions: [
      { when: { pods: { Ready: 1 } }, afterMs: 3_000, patchPod: {}, with: { metadata: { labels: { app: "other" } } } },
    ],
  },
  {
    name: "a-pod-loses-the-label-of-its-job",
    rows: ["2.7", "J225"],
    job: {},
    outcome: { runMs: 20_000 },
    actions: [
      {
        when: { pods: { Ready: 1 } },
        afterMs: 3_000,
        patchPod: {},
        with: { metadata: { labels: { "batch.kubernetes.io/controller-uid": null } } },
      },
    ],
  },
  {
    name: "a-user-removes-the-finalizer",
    rows: ["13.19", "P45"],
    job: {},
    outcome: { runMs: 20_000 },
    actions: [
      {
        when: { pods: { Ready: 1 } },
        afterMs: 3_000,
        patchPod: {},
        with: { metadata: { "$deleteFromPrimitiveList/finalizers": ["batch.kubernetes.io/job-tracking"] } },
      },
    ],
  },
  {
    name: "a-quota",
    rows: ["J55", "J191", "6"],
    ownNamespace: true,
    before: [{ kind: "ResourceQuota", metadata: { name: "two" }, spec: { hard: { pods: "2" } } }],
    job: { completions: 4, parallelism: 4 },
    // How often a creation is refused, and when one is granted, depends on when it is tried.
    differences: [{ row: "When a pod event leads to a sync", excuses: ["events", "pods at once"] }],
  },
  {
    name: "the-namespace-goes",
    rows: ["6"],
    // Before, a namespace deletes Jobs and pods in an order that is drawn each time (OrderedNamespaceDeletion).
    since: "1.33",
    ownNamespace: true,
    job: { completions: 2, parallelism: 2 },
    outcome: { runMs: "forever" },
    actions: [{ when: { pods: { Ready: 2 }, events: { SuccessfulCreate: 2 } }, afterMs: 3_000, deleteNamespace: true }],
    until: "gone",
  },
  {
    name: "the-namespace-goes-with-a-finished-job",
    rows: ["6", "4.9"],
    ownNamespace: true,
    job: {},
    actions: [
      {
        when: { condition: "Complete", events: { SuccessfulCreate: 1, Completed: 1 } },
        afterMs: 500,
        deleteNamespace: true,
      },
    ],
    until: "gone",
  },
];
