/**
 * The purpose of each decision of the controller, and the fields of the Job that its rule reads. One row a code of
 * assembly/trace/decisions.ts; a test holds the list complete. What the codes mean to users: docs/decisions.md.
 */
import type { DecisionCode, ExplainCode } from "../../bindings/js/abi.ts";

/** What a decision leads to. */
export const Role = {
  /** No action: the controller waits, or reports a state. */
  WAITS: 0,
  CREATES: 1,
  DELETES: 2,
  /** The Job's end is decided: the controller writes an interim condition, and deletes its pods. */
  DECIDES_END: 3,
  COUNTS: 4,
  /** The final condition is stored. */
  ENDS: 5,
  CLAIMS: 6,
  /** Something failed. */
  FAILS: 7,
} as const;
export type Role = (typeof Role)[keyof typeof Role];

interface Rule {
  readonly role: Role;
  /** Paths in the manifest of the Job. */
  readonly fields: readonly string[];
}

type Code = (typeof DecisionCode)[keyof typeof DecisionCode] | (typeof ExplainCode)[keyof typeof ExplainCode];

const POD = "spec.template.spec";

export const RULES: Readonly<Record<Code, Rule>> = {
  Refused: { role: Role.WAITS, fields: ["spec.completionMode", "spec.manualSelector", "spec.selector"] },
  Foreign: { role: Role.WAITS, fields: ["spec.managedBy"] },
  Unreadable: { role: Role.FAILS, fields: [] },
  Deleting: { role: Role.DELETES, fields: ["metadata.finalizers"] },
  Creating: { role: Role.CREATES, fields: ["spec.parallelism", "spec.completions"] },
  CreateFailed: { role: Role.FAILS, fields: ["spec.template"] },
  Backoff: { role: Role.WAITS, fields: ["spec.backoffLimit", `${POD}.restartPolicy`] },
  DeletingSurplus: { role: Role.DELETES, fields: ["spec.parallelism", "spec.completions"] },
  TooManyFailures: { role: Role.DECIDES_END, fields: ["spec.backoffLimit"] },
  TooManyRestarts: { role: Role.DECIDES_END, fields: ["spec.backoffLimit", `${POD}.restartPolicy`] },
  DeadlinePassed: { role: Role.DECIDES_END, fields: ["spec.activeDeadlineSeconds"] },
  CompletionsReached: { role: Role.DECIDES_END, fields: ["spec.completions"] },
  WaitingForPods: { role: Role.WAITS, fields: ["spec.parallelism", "spec.completions", "spec.activeDeadlineSeconds"] },
  WaitingForTermination: { role: Role.WAITS, fields: [`${POD}.terminationGracePeriodSeconds`] },
  ParallelismIsZero: { role: Role.WAITS, fields: ["spec.parallelism"] },
  StatusWriteFailed: { role: Role.FAILS, fields: [] },
  FinalizerFailed: { role: Role.FAILS, fields: [] },
  DeleteFailed: { role: Role.FAILS, fields: [] },
  ListFailed: { role: Role.FAILS, fields: [] },
  OutcomeUnknown: { role: Role.FAILS, fields: [] },
  WaitingForPodsToBeClear: { role: Role.WAITS, fields: [] },
  NoLabels: { role: Role.FAILS, fields: ["spec.template.metadata.labels"] },
  TemplateUnreadable: { role: Role.FAILS, fields: ["spec.template"] },
  Counted: { role: Role.COUNTS, fields: ["spec.completions", "spec.backoffLimit", "spec.podFailurePolicy"] },
  Ended: { role: Role.ENDS, fields: ["spec.completions", "spec.backoffLimit", "spec.ttlSecondsAfterFinished"] },
  Retry: { role: Role.FAILS, fields: [] },
  Suspending: { role: Role.DELETES, fields: ["spec.suspend"] },
  Suspended: { role: Role.WAITS, fields: ["spec.suspend"] },
  PolicyFailsJob: { role: Role.DECIDES_END, fields: ["spec.podFailurePolicy"] },
  TooManyFailedIndexes: { role: Role.DECIDES_END, fields: ["spec.maxFailedIndexes", "spec.backoffLimitPerIndex"] },
  IndexesFailed: { role: Role.DECIDES_END, fields: ["spec.backoffLimitPerIndex"] },
  SuccessPolicyMet: { role: Role.DECIDES_END, fields: ["spec.successPolicy"] },
  IndexBackoff: { role: Role.WAITS, fields: ["spec.backoffLimitPerIndex"] },
  Removing: { role: Role.DELETES, fields: ["spec.ttlSecondsAfterFinished"] },
  RemovalFailed: { role: Role.FAILS, fields: ["spec.ttlSecondsAfterFinished"] },
  StatusNotSent: { role: Role.FAILS, fields: [] },
  WorkloadCreated: { role: Role.CREATES, fields: ["spec.scheduling", "spec.parallelism"] },
  PodGroupCreated: { role: Role.CREATES, fields: ["spec.scheduling"] },
  GangResized: { role: Role.WAITS, fields: ["spec.scheduling", "spec.parallelism"] },
  GangFailed: { role: Role.FAILS, fields: [] },
  GangFallback: { role: Role.WAITS, fields: [] },
  Claiming: { role: Role.CLAIMS, fields: ["spec.selector"] },
  ClaimFailed: { role: Role.FAILS, fields: ["spec.selector"] },
  NotListed: { role: Role.WAITS, fields: [] },
  Complete: { role: Role.WAITS, fields: ["spec.completions", "spec.successPolicy", "spec.ttlSecondsAfterFinished"] },
  Failed: { role: Role.WAITS, fields: ["spec.backoffLimit", "spec.ttlSecondsAfterFinished"] },
  HeldByFinalizer: { role: Role.WAITS, fields: ["metadata.finalizers"] },
  Failing: { role: Role.WAITS, fields: [`${POD}.terminationGracePeriodSeconds`] },
  Succeeding: { role: Role.WAITS, fields: [`${POD}.terminationGracePeriodSeconds`] },
  WaitingToReplace: {
    role: Role.WAITS,
    fields: ["spec.podReplacementPolicy", "spec.podFailurePolicy", `${POD}.terminationGracePeriodSeconds`],
  },
  PodsStuck: { role: Role.WAITS, fields: [`${POD}.containers`, `${POD}.nodeSelector`, "spec.parallelism"] },
  Queued: { role: Role.WAITS, fields: [] },
  AtWork: { role: Role.WAITS, fields: [] },
  WaitingForChange: { role: Role.WAITS, fields: [] },
};

/** The rule of a code. An unknown code of a newer engine has a rule without consequences. */
export function ruleOf(code: string): Rule {
  return (RULES as Readonly<Record<string, Rule>>)[code] ?? { role: Role.WAITS, fields: [] };
}
