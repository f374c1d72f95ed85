/**
 * What `stint doctor` can find: one table. docs/doctor.md has a section for each id, which says what it means, how it
 * is found, and what to look at before the command is run.
 */

/** `error`: something is stuck, and no controller will fix it. `warning`: it may be intended. */
export type Severity = "error" | "warning";

export const FINDINGS = {
  FinalizerLeft: { severity: "error", meaning: "pods keep a finalizer that no controller will remove" },
  LabelLost: { severity: "error", meaning: "pods of Jobs whose selector does not match them" },
  ForeignFinalizer: { severity: "error", meaning: "pods are tracked for another controller than that of their Job" },
  NotCounted: { severity: "error", meaning: "pods have ended, and their Job does not count them" },
  NobodyManages: { severity: "error", meaning: "Jobs that no controller has looked at" },
  StatusRefused: { severity: "error", meaning: "statuses that the API server would refuse" },
  WebhookUnreachable: {
    severity: "error",
    meaning: "webhooks refuse a controller's writes, because no server answers at their address",
  },
  PatchDenied: { severity: "error", meaning: "the finalizer of a pod may not be removed" },
  PodsRefused: { severity: "error", meaning: "Jobs whose pods the API server refuses" },
  PodNotEnding: { severity: "error", meaning: "pods should have ended, and nothing ends them" },
  KeptByOthers: { severity: "error", meaning: "pods are kept by finalizers of other programs" },
  CronJobFrozen: { severity: "error", meaning: "CronJobs that create no Job, because the last one has not ended" },
  NodeRejectsPods: { severity: "error", meaning: "nodes that reject pod after pod of Jobs" },
  CronJobPilesUp: { severity: "warning", meaning: "CronJobs whose unfinished Jobs pile up" },
  BudgetBlocksDrains: { severity: "warning", meaning: "budgets that let no running pod of a Job be evicted" },
  WaitsForever: { severity: "warning", meaning: "Jobs without a deadline whose pods cannot run" },
  ParallelismZero: { severity: "warning", meaning: "Jobs that may have no pod" },
  SuspendedLong: { severity: "warning", meaning: "Jobs that are suspended for long" },
  FinishedKept: { severity: "warning", meaning: "finished Jobs that nothing deletes" },
} as const satisfies Readonly<Record<string, { readonly severity: Severity; readonly meaning: string }>>;

export type FindingId = keyof typeof FINDINGS;

export interface Finding {
  readonly id: FindingId;
  /** As kubectl names it, in small letters: `pod`, `job`, `validatingwebhookconfiguration`, `namespace`. */
  readonly kind: string;
  /** Undefined: the object is in none. */
  readonly namespace?: string | undefined;
  readonly name: string;
  /** What is wrong, without a capital and a full stop. */
  readonly sentence: string;
  /** The shell command that fixes it. */
  readonly fix: string;
}

/** A check that was not made, or only in part. */
export interface Skipped {
  /** What was not checked: `webhooks`. */
  readonly what: string;
  readonly reason: string;
}

/** The result of all checks. */
export interface Diagnosis {
  readonly findings: readonly Finding[];
  /** Findings beyond the most that are kept. */
  readonly left: number;
  readonly skipped: readonly Skipped[];
  readonly jobs: number;
  readonly pods: number;
}
