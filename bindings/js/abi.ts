/**
 * The words of the ABI, for JavaScript. Written by scripts/abi-words.ts from bindings/ABI.md: change them there.
 * engine.ts has the calls.
 */

/** The ABI that this binding speaks. Another major version is refused; a newer minor one is fine. */
export const ABI_VERSION = 1;

/** The most bytes that one review may have. There is room for two objects of the largest size that etcd takes. */
export const MAX_REVIEW_BYTES = 8388608;

/** What the bytes passed to `ingest` are. */
export const IngestKind = {
  /** A list of this source starts; an unfinished one is abandoned. Input: none. */
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
  /** No request of this id is in flight. */
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
   * and no deletionTimestamp says that the pod does not match any more, and it is released. A Job with its own selector
   * (spec.manualSelector) is `Refused` then. The selector of `stint controller` is
   * `batch.kubernetes.io/controller-uid`, a label that the API server gives to the pods of every Job whose selector it
   * generated.
   */
  readonly isSelection?: boolean;
}

/** Upstream's constants; one that is left out has upstream's value. */
export interface EngineConstants {
  /** Time between the syncs of one Job that pod events cause, once the burst is used up. Default: 1000 milliseconds. */
  syncBatchPeriodMs: number;
  /**
   * Syncs of one Job that pod events may cause at once, and again once it was idle for as many periods; when the last
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
  /**
   * The streams that feed the engine; absent, since 1.6: none, of an engine that only answers questions such as
   * `review` (at least one of Jobs and one of Pods).
   */
  readonly sources?: readonly EngineSource[];
  /**
   * This engine runs the Jobs whose spec.managedBy is this value, and no others. Absent: those without the field, or
   * with `kubernetes.io/job-controller`. A domain, a slash and a path, at most 63 bytes.
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
   * The version of Kubernetes as which `review` answers: `"1.33"` to `"1.37"`; absent: `"1.37"`. The controller behaves
   * alike in all of them (since 1.6).
   */
  readonly kubernetes?: string;
  /**
   * A Job without a controller gets a Workload and a PodGroup (`scheduling.k8s.io/v1beta1`) before it gets pods, and
   * one whose controller delegates it a PodGroup. Needs at least one source of `workloads` and one of `podgroups`,
   * which are refused without it.
   */
  readonly gangScheduling?: boolean;
}

/** What a decision may say; a newer engine may say more. */
export const DecisionCode = {
  /** The controller does not run the Job, because that could do harm. */
  Refused: "Refused",
  /** `spec.managedBy` of the Job names another controller than this one. */
  Foreign: "Foreign",
  /** The Job or one of its pods has a value that the controller cannot read, and it does not guess. */
  Unreadable: "Unreadable",
  /** The Job was deleted, so no more pods are created. */
  Deleting: "Deleting",
  /**
   * Fewer pods are active than the Job wants, so the controller creates the difference: first one, then two, then four
   * at a time, as long as the API server accepts them.
   */
  Creating: "Creating",
  /** The API server refused a new pod. */
  CreateFailed: "CreateFailed",
  /** Pods of the Job have failed, so the next one is not created at once. */
  Backoff: "Backoff",
  /**
   * More pods are active than the Job wants: `parallelism` was lowered, enough pods have succeeded, two pods have the
   * same completion index, or a pod has an index out of range.
   */
  DeletingSurplus: "DeletingSurplus",
  /** More pods have failed than `spec.backoffLimit` allows (by default 6), so the Job fails. */
  TooManyFailures: "TooManyFailures",
  /** Containers of the Job have restarted as often as `spec.backoffLimit` says, so the Job fails. */
  TooManyRestarts: "TooManyRestarts",
  /** `spec.activeDeadlineSeconds` have passed since the Job started, or since it was resumed, so the Job fails. */
  DeadlinePassed: "DeadlinePassed",
  /** Enough pods have succeeded, so the Job completes. */
  CompletionsReached: "CompletionsReached",
  /** Pods of the Job are active, and there is nothing else to do now. */
  WaitingForPods: "WaitingForPods",
  /** No more pods are needed, but some pods have not ended yet. */
  WaitingForTermination: "WaitingForTermination",
  /** The Job has `spec.parallelism: 0`, so no pod may run. */
  ParallelismIsZero: "ParallelismIsZero",
  /** The controller could not store the status of the Job. */
  StatusWriteFailed: "StatusWriteFailed",
  /** The controller could not remove the finalizer of a pod. */
  FinalizerFailed: "FinalizerFailed",
  /** The controller could not delete a pod. */
  DeleteFailed: "DeleteFailed",
  /** The controller could not list the pods of the Job, which it needs after OutcomeUnknown. */
  ListFailed: "ListFailed",
  /** The controller sent the creation of a pod, and no answer came: the pod may exist or not. */
  OutcomeUnknown: "OutcomeUnknown",
  /**
   * No pod of the Job is created until the pod watch has caught up, because the controller does not know which pods
   * exist.
   */
  WaitingForPodsToBeClear: "WaitingForPodsToBeClear",
  /** The template of the Job has no labels, so the controller could not recognize its pods, and creates none. */
  NoLabels: "NoLabels",
  /** The template of the Job is invalid: a field of its metadata has the wrong type. */
  TemplateUnreadable: "TemplateUnreadable",
  /** Pods have ended, and the stored status of the Job counts them now. */
  Counted: "Counted",
  /** The final condition of the Job is stored, and the controller does nothing more with it. */
  Ended: "Ended",
  /** A step of the last sync of the Job failed, and the controller syncs the Job again. */
  Retry: "Retry",
  /** The Job was suspended while pods were active: these are deleted, and count neither as failed nor as succeeded. */
  Suspending: "Suspending",
  /** The Job has `spec.suspend: true`, so no pod is created. */
  Suspended: "Suspended",
  /** A pod failure matched a rule of `spec.podFailurePolicy` with the action `FailJob`, so the Job fails. */
  PolicyFailsJob: "PolicyFailsJob",
  /** More indexes have failed for good than `spec.maxFailedIndexes` allows, so the Job fails. */
  TooManyFailedIndexes: "TooManyFailedIndexes",
  /** Every index has succeeded or has failed for good, and some have failed, so the Job fails. */
  IndexesFailed: "IndexesFailed",
  /** The indexes that have succeeded are enough for a rule of `spec.successPolicy`, so the Job completes. */
  SuccessPolicyMet: "SuccessPolicyMet",
  /** Pods of an index have failed, so that index is not tried again at once. */
  IndexBackoff: "IndexBackoff",
  /**
   * The Job has finished, its `ttlSecondsAfterFinished` have passed, and the controller could not read or delete it.
   */
  RemovalFailed: "RemovalFailed",
  /** The new status violates a rule of the API server, so the controller does not send it. */
  StatusNotSent: "StatusNotSent",
  /** The Job has a Workload now, which tells the scheduler about its pods. */
  WorkloadCreated: "WorkloadCreated",
  /** The Job has a PodGroup now, to which all later pods belong. */
  PodGroupCreated: "PodGroupCreated",
  /** The size of the gang follows the Job: its `minCount` or, without one, its `parallelism`. */
  GangResized: "GangResized",
  /**
   * The controller could not create, read or change the Workload or the PodGroup of the Job (see WorkloadCreated), or
   * the Workload does not have exactly one template.
   */
  GangFailed: "GangFailed",
  /** The Job should have a PodGroup, but its pods are created without one, and are scheduled one by one. */
  GangFallback: "GangFallback",
  /**
   * Pods without an owner that the selector matches are adopted, and pods of the Job that it no longer matches are
   * released.
   */
  Claiming: "Claiming",
  /**
   * The Job has finished, its `ttlSecondsAfterFinished` are over, and it is deleted: first its pods, then the Job
   * itself.
   */
  Removing: "Removing",
  /** The controller could not adopt or release a pod (see Claiming). */
  ClaimFailed: "ClaimFailed",
} as const;
export type DecisionCode = (typeof DecisionCode)[keyof typeof DecisionCode];

/** What `explain` may say beside the codes of decisions; a newer engine may say more. */
export const ExplainCode = {
  /** The controller has just started, and lists all Jobs and Pods before it acts. */
  NotListed: "NotListed",
  /** The Job has completed. */
  Complete: "Complete",
  /** The Job has failed for good. */
  Failed: "Failed",
  /** The Job was deleted and its pods are gone, but it has a finalizer of another controller or client. */
  HeldByFinalizer: "HeldByFinalizer",
  /** The Job's failure is decided and stored, and the Job is `Failed` when its pods have ended. */
  Failing: "Failing",
  /** The Job's success is decided and stored, and the Job is `Complete` when its pods have ended. */
  Succeeding: "Succeeding",
  /** A pod that is being deleted is replaced only when it has really ended. */
  WaitingToReplace: "WaitingToReplace",
  /**
   * Pods of the Job exist, but something keeps them from running: no node has room for them, an image cannot be pulled,
   * a volume or a ConfigMap is missing.
   */
  PodsStuck: "PodsStuck",
  /**
   * The Job is in the work queue and will be synced soon: the controller batches pod events for a moment, and syncs a
   * busy Job once a second.
   */
  Queued: "Queued",
  /** The controller has sent requests for the Job, and waits for the answers before it continues. */
  AtWork: "AtWork",
  /**
   * No pod of the Job is active, no pod has to be created now, and no timer is set: the controller syncs the Job again
   * when the Job or one of its pods changes.
   */
  WaitingForChange: "WaitingForChange",
} as const;
export type ExplainCode = (typeof ExplainCode)[keyof typeof ExplainCode];

/** What `verdict` may say of a Job. */
export const VerdictWord = {
  /** The condition `Complete` is True. No number of succeeded pods says so. */
  Succeeded: "Succeeded",
  /** The condition `Failed` is True. No number of failed pods says so. */
  Failed: "Failed",
  /** The Job has a deletionTimestamp, and had not ended before. */
  Deleting: "Deleting",
  /** Spec.suspend is true, or parallelism is 0: no pod is created until you change that. */
  Suspended: "Suspended",
  /**
   * The Job is in progress. This includes a Job whose end is decided, and one whose counters say that it has ended
   * while no condition does.
   */
  Running: "Running",
  /** Pods or containers have failed, none runs, and the next try comes automatically. */
  Retrying: "Retrying",
  /**
   * The Job makes no progress until a person intervenes: no pod of it can run, none can be created, or no controller
   * runs it.
   */
  Stuck: "Stuck",
} as const;
export type VerdictWord = (typeof VerdictWord)[keyof typeof VerdictWord];

/** The reasons of a verdict that no condition and no pod gives; a newer engine may say more. */
export const VerdictReason = {
  /** `message` names the finalizers that keep it. */
  DeletionRequested: "DeletionRequested",
  /** Spec.suspend is true, and the controller has not confirmed it yet. */
  SuspendRequested: "SuspendRequested",
  /** Spec.parallelism is 0. */
  ParallelismIsZero: "ParallelismIsZero",
  /** No controller has written a status yet. */
  NotStarted: "NotStarted",
  /** Pods are active. */
  PodsActive: "PodsActive",
  /** Pods that are being deleted have to end first. Stuck: the grace period of one was over 60 s ago. */
  PodsTerminating: "PodsTerminating",
  /**
   * There is no active pod, and none has failed. Stuck: that is so for 60 s, or the back-off was over 60 s ago: the API
   * server may refuse pods, for a quota for example.
   */
  NoPods: "NoPods",
  /** By its counters or its deadline the Job is over, but its controller has not said so. */
  NotConfirmed: "NotConfirmed",
  /**
   * The next pod is created at `nextMs`, by upstream's back-off. If all failed pods are given, that is exact (a
   * controller that was restarted may be earlier), otherwise a bound. It is null for a Job of another controller
   * (`managedBy`).
   */
  Backoff: "Backoff",
  /** The kubelet starts a container again at `nextMs` at the latest. */
  CrashLoopBackOff: "CrashLoopBackOff",
  /** No controller has written a status for 60 s: `message` names the one that should. */
  NoController: "NoController",
} as const;
export type VerdictReason = (typeof VerdictReason)[keyof typeof VerdictReason];

/** Who or what ended an attempt, by `account`; a newer engine may say more. */
export const EndCode = {
  /** All that had to run has succeeded. */
  Completed: "Completed",
  /** The container failed by itself. */
  Exited: "Exited",
  /** The kernel killed the container, because it used more memory than its limit. */
  OutOfMemory: "OutOfMemory",
  /** The container could not be started: there is no such command, for example. */
  CannotStart: "CannotStart",
  /** The kubelet killed the container, because its liveness probe failed. Needs Events. */
  LivenessProbe: "LivenessProbe",
  /** The kubelet killed the container, because its startup probe failed. Needs Events. */
  StartupProbe: "StartupProbe",
  /** The kubelet evicted the pod, because its node was low on a resource, or it used more than its limit. */
  KubeletEviction: "KubeletEviction",
  /** The kubelet ended the pod to admit a critical one. */
  KubeletPreemption: "KubeletPreemption",
  /** The kubelet ended the pod, because its node shuts down. */
  NodeShutdown: "NodeShutdown",
  /** The node is gone, and the pod garbage collector or the node controller ended the pod. */
  NodeLost: "NodeLost",
  /** The kubelet refused the pod before any container ran; `by` is its reason. */
  NodeRejected: "NodeRejected",
  /** The scheduler preempted the pod for one of a higher priority. */
  Preempted: "Preempted",
  /** A taint of its node evicted the pod. */
  TaintEviction: "TaintEviction",
  /** The pod was evicted through the API, as `kubectl drain` and the descheduler do it. */
  ApiEviction: "ApiEviction",
  /** The activeDeadlineSeconds of the pod itself were over. */
  PodDeadline: "PodDeadline",
  /** The Job controller deleted it, because the activeDeadlineSeconds of the Job were over. */
  JobDeadline: "JobDeadline",
  /** The Job controller deleted it, because a rule of podFailurePolicy failed the Job. */
  FailurePolicy: "FailurePolicy",
  /**
   * The Job controller deleted it when the Job ended; `by` is the reason of that. Needs Events where the pod was over
   * in the same second.
   */
  JobEnd: "JobEnd",
  /** It was deleted with the Job. */
  JobDeleted: "JobDeleted",
  /** The Job controller deleted it, because the Job is suspended. */
  Suspended: "Suspended",
  /** The Job controller deleted it, because the Job wants fewer pods. Needs Events. */
  ScaledDown: "ScaledDown",
  /** It was deleted, and nothing says by whom. */
  Deleted: "Deleted",
  /** It was ended, and nothing says by whom: the exit code of a signal alone, for example. */
  Unknown: "Unknown",
} as const;
export type EndCode = (typeof EndCode)[keyof typeof EndCode];

/** What holds a Job, by `account`; a newer engine may say more. */
export const HoldCode = {
  /** The Job is being deleted, and the finalizers in `by` keep it. */
  Deleting: "Deleting",
  /** No controller has written a status for 60 s; `by` is the one that spec.managedBy names. */
  NoController: "NoController",
  /**
   * Spec.suspend is true. `reason` is `Kueue`, and `by` the queue; `JobSet`, and `by` its name; or empty, and `by` the
   * manager that has set the field last.
   */
  Suspended: "Suspended",
  /** Spec.parallelism is 0. */
  ParallelismIsZero: "ParallelismIsZero",
  /**
   * The API server refuses new pods. `reason` is `Quota`, `Webhook`, `ServiceAccount`, `PriorityClass`, whose name is
   * in `by`, `PodSecurity` or empty. Needs Events.
   */
  CreationRefused: "CreationRefused",
  /**
   * The container in `by` cannot start, with the kubelet's reason; without `by` the pod cannot be set up, which needs
   * Events.
   */
  CannotStart: "CannotStart",
  /** The kubelet waits before it starts the container in `by` again. */
  CrashLoopBackOff: "CrashLoopBackOff",
  /** The scheduler finds no node. */
  Unschedulable: "Unschedulable",
  /** The scheduler in `by` has written no condition for 60 s: it does not run, or there is none. */
  NoScheduler: "NoScheduler",
  /** The scheduler finds no nodes for all of the PodGroup in `by`. */
  GangUnscheduled: "GangUnscheduled",
  /** The scheduling gates in `by` have not been removed. */
  SchedulingGated: "SchedulingGated",
  /**
   * The containers in `by` run on although the others have ended for 60 s. `reason` is `RestartPolicyAlways` where the
   * kubelet starts them again whenever they end.
   */
  KeptByContainer: "KeptByContainer",
  /** The kubelet of the node in `by` has rejected the last pods, two at least, with the reason. */
  NodeRejects: "NodeRejects",
  /**
   * A deleted pod has not ended. `reason` is `Finalizer`, which `by` names; `Overdue`: its grace period is over; or
   * `GracePeriod`. Of a Job that is being deleted also one that has ended: `reason` is `Kept`, and `by` the finalizer.
   * One that is named `job-tracking`, of whatever domain, is that of a Job controller, and never meant; nor, of a Job
   * that `spec.managedBy` gives to another controller than the built-in one, is one that the pod template does not
   * have.
   */
  Terminating: "Terminating",
  /** The controller waits before it creates the next pod, and nothing else holds the Job. */
  Backoff: "Backoff",
  /** No pod is active, and the controller has created none for 60 s. */
  NoPods: "NoPods",
  /** By its counters or its deadline the Job is over, and its controller has not stored its end. */
  NotConfirmed: "NotConfirmed",
} as const;
export type HoldCode = (typeof HoldCode)[keyof typeof HoldCode];

/** The rules of `lint`; a newer engine may have more. */
export const LintCode = {
  /**
   * The last retry of a Job with `restartPolicy: OnFailure` and a small backoffLimit is killed before it can succeed.
   */
  LastRetryKilled: "LastRetryKilled",
  /** A Job with `restartPolicy: OnFailure` loses the logs of its failure, whatever its backoffLimit is. */
  FailedLogsLost: "FailedLogsLost",
  /** The limit of the whole Job is reached before any index can use up its own. */
  LimitPerIndexUnused: "LimitPerIndexUnused",
  /** There are not more indexes than `maxFailedIndexes` allows to fail, so that the limit never ends the Job. */
  FailedIndexesUnlimited: "FailedIndexesUnlimited",
  /** More pods run at once than the Job has retries, and a pod that is evicted counts as failed. */
  DisruptionsCount: "DisruptionsCount",
  /** Neither the Job nor its pods have a deadline, so a pod that hangs keeps the Job from ending. */
  NoDeadline: "NoDeadline",
  /** The deadline comes before all retries that backoffLimit allows can have started. */
  RetriesPastDeadline: "RetriesPastDeadline",
  /** The grace period of the pods is longer than the deadline of the Job. */
  GracePastDeadline: "GracePastDeadline",
  /** A pod that is being deleted gets a successor while it still ends, by the default `podReplacementPolicy`. */
  ReplacedWhileTerminating: "ReplacedWhileTerminating",
  /** No known owner, tool or setting will delete the Job: it stays with its pods until a client deletes it. */
  NoTimeToLive: "NoTimeToLive",
  /** The Job is deleted in the moment in which it has ended. */
  TimeToLiveZero: "TimeToLiveZero",
  /** A tool that keeps the cluster as a repository says finds the deleted Job missing, and may create it again. */
  TimeToLiveUnderGitOps: "TimeToLiveUnderGitOps",
  /** The CronJob should keep failed Jobs for inspection, but the time to live deletes them first. */
  TimeToLiveInCronJob: "TimeToLiveInCronJob",
  /** The CronJob has `concurrencyPolicy: Forbid`, and neither its Jobs nor their pods have a deadline. */
  ForbidWithoutDeadline: "ForbidWithoutDeadline",
  /** The CronJob has `concurrencyPolicy: Allow`, the default, and neither its Jobs nor their pods have a deadline. */
  AllowWithoutDeadline: "AllowWithoutDeadline",
  /** No date of the next years matches the schedule, such as 31 February. */
  ScheduleNeverFires: "ScheduleNeverFires",
  /** The first field of the schedule is a star, and the hours are chosen, so each minute of them starts a Job. */
  EveryMinute: "EveryMinute",
  /** The schedule has a `timeZone` in which clocks change within a year, at a local time that it names. */
  ClockChanges: "ClockChanges",
  /** The controller may look at a CronJob up to 10 seconds after a time of its schedule. */
  StartingDeadlineShort: "StartingDeadlineShort",
  /** With `failedJobsHistoryLimit: 0` the CronJob keeps no Job that has failed. */
  NoFailedHistory: "NoFailedHistory",
  /**
   * The delete policy of a Helm hook leaves the Job in the cluster after one of its two ends, and the next release
   * fails with `jobs.batch "NAME" already exists`.
   */
  HookFindsOldJob: "HookFindsOldJob",
  /** The delete policy of a hook deletes the failed Job at once, and its pods and their logs with it. */
  HookFailureDeleted: "HookFailureDeleted",
  /**
   * A Helm hook with the default `backoffLimit` of 6, or a larger one, is retried for longer than Helm waits: the waits
   * between seven tries alone take more than 10 min.
   */
  HookOutlivesHelm: "HookOutlivesHelm",
  /** The Job of a hook is deleted less than a minute after its end, and the tool may not have seen the end yet. */
  HookTimeToLive: "HookTimeToLive",
  /** No more pods than completions ever run at once, so the larger parallelism has no effect. */
  ParallelismUnused: "ParallelismUnused",
  /** The pods belong to a gang, and fewer of them exist at once than parallelism says. */
  GangNeverWhole: "GangNeverWhole",
  /** The quota of the namespace has no room for as many pods as the Job wants at once. */
  ParallelismAboveQuota: "ParallelismAboveQuota",
  /** With `parallelism: 0` the Job has no pods and never ends. */
  NoPodsWanted: "NoPodsWanted",
  /** With `completions: 0` the Job is complete at once, and no pod has run. */
  NoCompletionsWanted: "NoCompletionsWanted",
  /**
   * The list of completed indexes may get longer than etcd takes for one object, and no status could be stored from
   * then on.
   */
  StatusTooLarge: "StatusTooLarge",
  /**
   * A ResourceQuota of the namespace counts processor time or memory, and a container sets no request or limit for it.
   */
  QuotaNeedsResources: "QuotaNeedsResources",
  /**
   * A PodDisruptionBudget selects the pods of the Job and allows no eviction of any, so that `kubectl drain` and
   * cluster autoscalers wait until the pods end.
   */
  BudgetBlocksDrains: "BudgetBlocksDrains",
  /** No pod can ever meet what a rule of the policy asks for. */
  RuleNeverMatches: "RuleNeverMatches",
  /** Earlier rules of the policy match whatever this one would match, so it never decides. */
  RuleShadowed: "RuleShadowed",
  /** A rule on exit codes also looks at sidecars, which end with a code that says nothing about the work. */
  RuleMatchesSidecar: "RuleMatchesSidecar",
  /**
   * The kubelet restarts the container in place with the exit code that the rule asks for, so the pod does not fail
   * with it.
   */
  RuleNeverSees: "RuleNeverSees",
  /** A container is restarted even when it has succeeded, so its pod never ends, and the Job does not complete. */
  ContainerNeverEnds: "ContainerNeverEnds",
  /** A sidecar is known to keep running when the other containers have ended. */
  LegacySidecar: "LegacySidecar",
  /** A container requests memory and has no limit for it, so it may take all that its node has. */
  MemoryUnlimited: "MemoryUnlimited",
  /** No controller is known that runs Jobs of this `managedBy`, and the built-in one leaves them alone. */
  UnknownManager: "UnknownManager",
  /** The Job has a custom selector, which may match pods that are not its own. */
  OwnSelector: "OwnSelector",
  /** Two objects of the input have the same kind, namespace and name. */
  SameName: "SameName",
  /** The API server will refuse each Job of this template, for its name and its indexes are too long together. */
  GeneratedNameTooLong: "GeneratedNameTooLong",
  /** The name of the Job is too long to be a part of its pods' names, and is cut there. */
  PodNamesCut: "PodNamesCut",
} as const;
export type LintCode = (typeof LintCode)[keyof typeof LintCode];
