/**
 * One controller is killed in the middle, in every state that its writes can leave behind, and the other one finishes:
 * both ways round.
 */
import type { HeldWrites, Moment, Scenario } from "../scenario.ts";

const FINALIZER_PATCHES = "^PATCH .*/pods/";
const STATUS_WRITES = "^(PUT|PATCH) .*/jobs/.*/status";

interface Moments extends Pick<Scenario, "name" | "rows" | "job" | "outcome" | "actions" | "until" | "shows"> {
  readonly hold?: HeldWrites;
  readonly killWhen?: Moment;
  readonly killAfterMs?: number;
}

const FOUR = { completions: 4, parallelism: 4 };
const INDEXED_4 = { ...FOUR, completionMode: "Indexed" };

const MOMENTS: readonly Moments[] = [
  {
    name: "some-pods-are-created",
    rows: ["M9", "4.8"],
    job: FOUR,
    outcome: { runMs: 30_000 },
    hold: { requests: "^POST .*/pods", after: 2 },
  },
  {
    name: "ended-and-not-written",
    rows: ["T9", "4.8"],
    job: FOUR,
    outcome: { runMs: 5_000 },
    hold: { requests: STATUS_WRITES, after: 1 },
    killWhen: { pods: { Succeeded: 4 } },
  },
  {
    name: "uncounted-with-finalizers",
    rows: ["T5", "B21"],
    job: FOUR,
    outcome: { runMs: 5_000 },
    hold: { requests: FINALIZER_PATCHES },
  },
  {
    name: "some-finalizers-are-off",
    rows: ["T13", "B22"],
    job: FOUR,
    outcome: { runMs: 5_000 },
    hold: { requests: FINALIZER_PATCHES, after: 2 },
  },
  {
    name: "finalizers-off-not-counted",
    rows: ["T4", "T15", "B23"],
    job: FOUR,
    outcome: { runMs: 5_000 },
    hold: { requests: STATUS_WRITES, armedBy: FINALIZER_PATCHES },
  },
  {
    name: "indexes-succeed-and-fail",
    rows: ["T6", "T5"],
    job: { ...INDEXED_4, backoffLimitPerIndex: 0 },
    outcome: { runMs: 5_000, byIndex: { "1": { runMs: 10_000, exitCode: 1 }, "3": { runMs: 25_000 } } },
    hold: { requests: FINALIZER_PATCHES, after: 2 },
  },
  {
    name: "the-failure-is-decided",
    rows: ["T7", "S16"],
    job: { ...INDEXED_4, backoffLimit: 0 },
    outcome: {
      runMs: "forever",
      sigterm: { exitCode: 143, afterMs: 12_000 },
      byIndex: { "0": { runMs: 6_000, exitCode: 1 } },
    },
    killWhen: { condition: "FailureTarget" },
  },
  {
    name: "the-success-is-decided",
    rows: ["T8", "S15"],
    job: { ...INDEXED_4, successPolicy: { rules: [{ succeededCount: 1 }] } },
    outcome: { runMs: "forever", sigterm: { exitCode: 0, afterMs: 12_000 }, byIndex: { "0": { runMs: 6_000 } } },
    killWhen: { condition: "SuccessCriteriaMet" },
    killAfterMs: 1_500,
  },
  {
    name: "a-retry-waits",
    rows: ["13.12", "S14"],
    job: { backoffLimit: 2 },
    outcome: { exitCodes: [1, 0] },
    killWhen: { status: { failed: 1 } },
  },
  {
    name: "half-suspended",
    rows: ["M1", "13.34"],
    job: FOUR,
    outcome: { runMs: "forever" },
    hold: { requests: "^DELETE .*/pods", after: 2 },
    actions: [{ when: { pods: { Ready: 4 } }, afterMs: 3_000, patchJob: { spec: { suspend: true } } }],
    until: { condition: "Suspended", gone: 4 },
    shows: [{ change: "deadline-of-a-suspended-job", aspects: ["status", "order"] }],
  },
  {
    name: "deleted-meanwhile",
    rows: ["2.6", "13.28"],
    // With this policy a pod that the garbage collector deletes is no failure before it has ended: who is faster does
    // not matter.
    job: { ...FOUR, podReplacementPolicy: "Failed" },
    outcome: { runMs: "forever", sigterm: { exitCode: 143, afterMs: 12_000 } },
    hold: { requests: FINALIZER_PATCHES, after: 1 },
    actions: [{ when: { pods: { Ready: 4 } }, afterMs: 3_000, deleteJob: "Foreground" }],
    until: "gone",
  },
  {
    name: "deleted-with-pods-left",
    rows: ["2.6", "J156"],
    job: FOUR,
    outcome: { runMs: "forever" },
    // The Job is gone by then, and its pods keep a finalizer that no controller removes.
    hold: { requests: FINALIZER_PATCHES, after: 1 },
    actions: [{ when: { pods: { Ready: 4 } }, afterMs: 3_000, deleteJob: "Background" }],
    until: { gone: 4 },
  },
  {
    name: "half-ended-by-the-deadline",
    rows: ["S17", "S21"],
    job: { ...FOUR, activeDeadlineSeconds: 8 },
    outcome: { runMs: "forever" },
    hold: { requests: "^DELETE .*/pods", after: 2 },
  },
  {
    name: "waits-for-its-time-to-live",
    rows: ["10"],
    job: { ttlSecondsAfterFinished: 8 },
    killWhen: { condition: "Complete" },
    until: "gone",
  },
  {
    name: "a-work-queue-has-begun",
    rows: ["J45", "J46"],
    job: { parallelism: 3 },
    outcome: { runMs: 8_000 },
    killWhen: { pods: { Ready: 3 } },
  },
];

export const TAKEOVERS: readonly Scenario[] = (["upstream", "stint"] as const).flatMap((from) =>
  MOMENTS.map(({ name, rows, hold, killWhen, killAfterMs, shows, ...scenario }) => ({
    ...scenario,
    // The controller that finishes the Job decides: in both runs of the other direction that is upstream's.
    ...(shows === undefined || from === "stint" ? {} : { shows }),
    name: `from-${from}-${name}`,
    rows,
    takeover: {
      from,
      ...(hold === undefined ? {} : { hold }),
      ...(killWhen === undefined ? {} : { killWhen }),
      ...(killAfterMs === undefined ? {} : { killAfterMs }),
    },
  })),
);
