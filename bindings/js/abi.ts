/**
 * The words of the ABI, for JavaScript. Written by scripts/abi-words.ts from bindings/ABI.md: change them there.
 * engine.ts has the calls.
 */

/** The ABI that this binding speaks. Another major version is refused; a newer minor one is fine. */
export const ABI_VERSION = 1;

/** What `ingest` is told about the bytes it gets. */
export const IngestKind = {
  /** A list of this source starts; one under way is given up. Input: none. */
  listBegin: 0,
  /** After list-begin, any number of times. Input: one whole `…List` document. */
  page: 1,
  /** After the last page. Input: none. */
  listEnd: 2,
  /** Any time. Input: whole watch events, each ending in a newline (0x0A). */
  watchLines: 3,
  /** A list or a watch broke. Input: none. */
  streamLost: 4,
} as const;
export type IngestKind = (typeof IngestKind)[keyof typeof IngestKind];

/** The return codes. `last_error` says more. A newer engine may return others: they are refusals, too. */
export const ErrorCode = {
  /** Taken. */
  ok: 0,
  /** `configure` has not succeeded yet. */
  notConfigured: 1,
  /** The configuration was refused, all of it; nothing has changed. */
  badConfiguration: 2,
  /** No source of this id is configured. */
  unknownSource: 3,
  /** Watch lines do not end in a newline; nothing was taken. */
  partialLine: 4,
  /** A document is not JSON, or not of the form that it must have; what stood before the error was taken. */
  badJson: 5,
  /** An input is larger than 64 MiB; nothing was taken. */
  tooLarge: 6,
  /** No request of this id is under way. */
  unknownRequest: 7,
  /** Everything was taken but one object or more; the first of them is named. */
  unreadableObject: 8,
  /** This kind cannot come now, or is none; or a list is older than what its source has shown. */
  outOfOrder: 9,
  /**
   * A page, a watched object or a bookmark is not what its source shows, or lacks what it must have; the source has to
   * be listed again, and nothing is believed gone.
   */
  wrongDocument: 10,
  /** `now` is no time that is allowed; nothing was taken. */
  badTime: 11,
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** Methods of requests, by number. */
export const METHODS = ["", "GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = Exclude<(typeof METHODS)[number], "">;

/** One stream that feeds the engine. */
export interface EngineSource {
  /** The `source` of `ingest`, `watch_version` and `list_continue` (0 to 63, unique). */
  readonly id: number;
  /** What the stream shows. */
  readonly resource: "jobs" | "pods" | "workloads" | "podgroups";
  /**
   * The namespace that the stream is limited to; absent or empty: all. An object of another namespace is not taken
   * (code 8).
   */
  readonly namespace?: string;
  /**
   * The stream shows the pods that a label selector matches: a DELETED event of a pod that has its tracking finalizer
   * and no deletionTimestamp says that the pod does not match any more, and it is released.
   */
  readonly isSelection?: boolean;
}

/** Upstream's constants; one that is left out has upstream's value. */
export interface EngineConstants {
  /** Time between the syncs of one Job that pod events cause, once the burst is used up. Default: 1000 milliseconds. */
  syncBatchPeriodMs: number;
  /**
   * Syncs of one Job that pod events may cause at once, and again once it was quiet for as many periods; when the last
   * pods of a Job have ended, so that none is active or terminating, they wait for none. 0: each sync waits a period,
   * as upstream's do. Default: 4 syncs.
   */
  syncBurst: number;
  /** How long the first of a burst of pod events waits for the others. Default: 10 milliseconds. */
  syncCoalesceMs: number;
  /** Delay after the first failed sync of a Job; doubles with each failure in a row. Default: 1000 milliseconds. */
  syncRetryBaseMs: number;
  /** The longest such delay. Default: 60000 milliseconds. */
  syncRetryMaxMs: number;
  /**
   * Delay of the next pod after the first failed one; doubles with each failure in a row. Default: 10000 milliseconds.
   */
  podBackoffBaseMs: number;
  /** The longest such delay. Default: 600000 milliseconds. */
  podBackoffMaxMs: number;
  /** Pods that one sync counts at most. Default: 500 pods. */
  maxUncountedPods: number;
  /** Pods that one sync creates or deletes at most. Default: 500 pods. */
  maxPodsPerSync: number;
}

/** Who an engine is. */
export interface EngineConfiguration {
  /** Tells this engine's event names from those of other engines (at most 32 bytes). */
  readonly instance?: string;
  /** The streams that feed the engine (at least one of Jobs and one of Pods). */
  readonly sources: readonly EngineSource[];
  /**
   * This engine runs the Jobs whose spec.managedBy is this value, and no others. Absent: those that name nobody or
   * `kubernetes.io/job-controller`. A domain, a slash and a path, at most 63 bytes.
   */
  readonly managedBy?: string;
  /**
   * The tracking finalizer; absent: `batch.kubernetes.io/job-tracking`. A domain, a slash and a name. Needed with
   * `managedBy`, and then another one than that.
   */
  readonly finalizer?: string;
  /**
   * Finished Jobs are deleted when their ttlSecondsAfterFinished is over; absent: true without `managedBy`, for Jobs of
   * every manager, and false with it, for upstream's removal asks for no manager. With `managedBy` it is about this
   * engine's Jobs alone.
   */
  readonly removesFinished?: boolean;
  /** Upstream's constants, by name. */
  readonly constants?: Readonly<Partial<EngineConstants>>;
  /**
   * An Indexed Job whose pods all run at once gets a Workload and a PodGroup (`scheduling.k8s.io/v1alpha2`) before it
   * gets pods. Needs at least one source of `workloads` and one of `podgroups`, which are refused without it.
   */
  readonly gangScheduling?: boolean;
}

/** What a decision may say; a newer engine may say more. */
export const DecisionCode = {
  /**
   * Not run: the value of spec.completionMode is not known, or the Job has a selector of its own and only pods with the
   * label `batch.kubernetes.io/controller-uid` are watched (`isSelection`).
   */
  Refused: "Refused",
  /** Not run: `spec.managedBy` says that another controller manages the Job. */
  Foreign: "Foreign",
  /** Stopped: an object of the Job cannot be read. */
  Unreadable: "Unreadable",
  /** The Job is being deleted: no pod is created, pods lose their finalizer. */
  Deleting: "Deleting",
  /** Pods are created. */
  Creating: "Creating",
  /** A creation was refused. */
  CreateFailed: "CreateFailed",
  /** The next pod waits, for pods have failed. */
  Backoff: "Backoff",
  /** More pods are active than wanted, or some must not be: these are deleted. */
  DeletingSurplus: "DeletingSurplus",
  /** The Job fails: more failed pods than backoffLimit allows. */
  TooManyFailures: "TooManyFailures",
  /** The Job fails: container restarts have reached backoffLimit. */
  TooManyRestarts: "TooManyRestarts",
  /** The Job fails: activeDeadlineSeconds have passed. */
  DeadlinePassed: "DeadlinePassed",
  /** The Job completes. */
  CompletionsReached: "CompletionsReached",
  /** Pods are active, and there is nothing else to do now. */
  WaitingForPods: "WaitingForPods",
  /** The Job has ended but for pods that still terminate. */
  WaitingForTermination: "WaitingForTermination",
  /** No pod is wanted. */
  ParallelismIsZero: "ParallelismIsZero",
  /** A status write failed. */
  StatusWriteFailed: "StatusWriteFailed",
  /** Removing a finalizer failed. */
  FinalizerFailed: "FinalizerFailed",
  /** Deleting a pod failed. */
  DeleteFailed: "DeleteFailed",
  /** Listing the pods of the Job failed. */
  ListFailed: "ListFailed",
  /** The answer to a creation was lost. */
  OutcomeUnknown: "OutcomeUnknown",
  /**
   * No pod of this Job is created until the pod source has caught up: after a lost answer, for a Job with a selector of
   * its own; or with the version of a status that somebody else has written, and then nothing is counted either.
   */
  WaitingForPodsToBeClear: "WaitingForPodsToBeClear",
  /** No pod can be created: the template has no labels. */
  NoLabels: "NoLabels",
  /** No pod can be created: the template cannot be read. */
  TemplateUnreadable: "TemplateUnreadable",
  /** Counters went up. */
  Counted: "Counted",
  /** The Job has its final condition. */
  Ended: "Ended",
  /** Something failed: the Job is tried again. */
  Retry: "Retry",
  /** The Job is suspended: its active pods are deleted, and not counted. */
  Suspending: "Suspending",
  /** The Job is suspended: no pod is created. */
  Suspended: "Suspended",
  /** The Job fails: a pod failed in a way that podFailurePolicy calls final. */
  PolicyFailsJob: "PolicyFailsJob",
  /** The Job fails: more indexes have failed than maxFailedIndexes allows. */
  TooManyFailedIndexes: "TooManyFailedIndexes",
  /** The Job fails: every index is decided, and some have failed. */
  IndexesFailed: "IndexesFailed",
  /** The Job succeeds: a rule of its success policy is met. */
  SuccessPolicyMet: "SuccessPolicyMet",
  /** An index waits before it is tried again. */
  IndexBackoff: "IndexBackoff",
  /** Deleting a finished Job whose time to live is over failed. */
  RemovalFailed: "RemovalFailed",
  /** A status was not written, for the API server would refuse it. */
  StatusNotSent: "StatusNotSent",
  /** The Job has a Workload now: its pods are to be scheduled together. */
  WorkloadCreated: "WorkloadCreated",
  /** No pod is created, for the Workload or the PodGroup of the Job could not be created or read. */
  GangFailed: "GangFailed",
  /**
   * Pods are created without a PodGroup, for the Workload or the PodGroup found cannot be used, or the Job has begun
   * without them.
   */
  GangFallback: "GangFallback",
  /** Pods of nobody that the selector matches are to be adopted, own pods that it does not match are to be released. */
  Claiming: "Claiming",
  /** Adopting or releasing a pod failed; nothing is counted before it works. */
  ClaimFailed: "ClaimFailed",
} as const;
export type DecisionCode = (typeof DecisionCode)[keyof typeof DecisionCode];

/** What `explain` may say beside the codes of decisions; a newer engine may say more. */
export const ExplainCode = {
  /** Not every source has been listed yet. */
  NotListed: "NotListed",
  /** It is complete; with a time to live, when it is deleted. */
  Complete: "Complete",
  /** It has failed. */
  Failed: "Failed",
  /** It is being deleted and has no pods left: others have to remove a finalizer. */
  HeldByFinalizer: "HeldByFinalizer",
  /** Its failure is decided: it waits for its pods to end. */
  Failing: "Failing",
  /** Its success is decided: it waits for its pods to end. */
  Succeeding: "Succeeding",
  /** Pods are replaced only after they have ended. */
  WaitingToReplace: "WaitingToReplace",
  /**
   * Pods are active that cannot run: see `pods`. `restarts`: of all containers of pending and running pods, where
   * restartPolicy is OnFailure and they count.
   */
  PodsStuck: "PodsStuck",
  /** It is about to be looked at. */
  Queued: "Queued",
} as const;
export type ExplainCode = (typeof ExplainCode)[keyof typeof ExplainCode];
