"""The words of the ABI, for Python. Written by scripts/abi-words.ts from bindings/ABI.md: change them there. engine.py
has the calls.
"""

from enum import IntEnum, StrEnum
from typing import Final, Literal, NotRequired, TypedDict

ABI_VERSION: Final = 1
"""The ABI that this binding speaks. Another major version is refused; a newer minor one is fine."""

MAX_REVIEW_BYTES: Final = 8388608
"""The most bytes that one review may have. There is room for two objects of the largest size that etcd takes."""

METHODS: Final = ("", "GET", "POST", "PUT", "PATCH", "DELETE")
"""Methods of requests, by number."""


class IngestKind(IntEnum):
    """What the bytes passed to `Engine.ingest` are."""

    LIST_BEGIN = 0
    """A list of this source starts; an unfinished one is abandoned. Input: none."""
    PAGE = 1
    """After list-begin, any number of times. Input: one whole `…List` document."""
    LIST_END = 2
    """After the last page. Input: none."""
    WATCH_LINES = 3
    """Any time. Input: whole watch events, each ending in a newline (0x0A)."""
    STREAM_LOST = 4
    """A list or a watch broke. Input: none."""


class ErrorCode(IntEnum):
    """The return codes. A newer engine may return others: they are refusals, too."""

    OK = 0
    """Taken."""
    NOT_CONFIGURED = 1
    """`configure` has not succeeded yet."""
    BAD_CONFIGURATION = 2
    """The configuration was refused, all of it; nothing has changed."""
    UNKNOWN_SOURCE = 3
    """No source of this id is configured."""
    PARTIAL_LINE = 4
    """Watch lines do not end in a newline; nothing was taken."""
    BAD_JSON = 5
    """A document is not JSON, or not of the form that it must have; what stood before the error was taken."""
    TOO_LARGE = 6
    """An input is larger than 64 MiB; nothing was taken."""
    UNKNOWN_REQUEST = 7
    """No request of this id is in flight."""
    UNREADABLE_OBJECT = 8
    """Everything was taken but one object or more; the first of them is named."""
    OUT_OF_ORDER = 9
    """This kind cannot come now, or is none; or a list is older than what its source has shown."""
    WRONG_DOCUMENT = 10
    """A page, a watched object or a bookmark is not what its source shows, or lacks what it must have; the source has
    to be listed again, and nothing is believed gone.
    """
    BAD_TIME = 11
    """`now` is no time that is allowed; nothing was taken."""


class Source(TypedDict):
    """One stream that feeds the engine."""

    id: int
    """The `source` of `ingest`, `watch_version` and `list_continue` (0 to 63, unique)."""
    resource: Literal["jobs", "pods", "workloads", "podgroups"]
    """What the stream shows."""
    namespace: NotRequired[str]
    """The namespace that the stream is limited to; absent or empty: all. An object of another namespace is not taken
    (code 8).
    """
    isSelection: NotRequired[bool]
    """The stream shows the pods that a label selector matches: a DELETED event of a pod that has its tracking finalizer
    and no deletionTimestamp says that the pod does not match any more, and it is released. A Job with its own selector
    (spec.manualSelector) is `Refused` then. The selector of `stint controller` is `batch.kubernetes.io/controller-uid`,
    a label that the API server gives to the pods of every Job whose selector it generated.
    """


class EngineConstants(TypedDict, total=False):
    """Upstream's constants; one that is left out has upstream's value."""

    syncBatchPeriodMs: int
    """Time between the syncs of one Job that pod events cause, once the burst is used up. Default: 1000 milliseconds.
    """
    syncBurst: int
    """Syncs of one Job that pod events may cause at once, and again once it was idle for as many periods; when the last
    pods of a Job have ended, so that none is active or terminating, they wait for none. 0: each sync waits a period, as
    upstream's do. Default: 4 syncs.
    """
    syncCoalesceMs: int
    """How long the first of a burst of pod events waits for the others. Default: 10 milliseconds."""
    syncRetryBaseMs: int
    """Delay after the first failed sync of a Job; doubles with each failure in a row. Default: 1000 milliseconds."""
    syncRetryMaxMs: int
    """The longest such delay. Default: 60000 milliseconds."""
    podBackoffBaseMs: int
    """Delay of the next pod after the first failed one; doubles with each failure in a row. Default: 10000
    milliseconds.
    """
    podBackoffMaxMs: int
    """The longest such delay. Default: 600000 milliseconds."""
    maxUncountedPods: int
    """Pods that one sync counts at most. Default: 500 pods."""
    maxPodsPerSync: int
    """Pods that one sync creates or deletes at most. Default: 500 pods."""


class EngineConfiguration(TypedDict):
    """Who an engine is."""

    instance: NotRequired[str]
    """Tells this engine's event names from those of other engines (at most 32 bytes)."""
    sources: NotRequired[list[Source]]
    """The streams that feed the engine; absent, since 1.6: none, of an engine that only answers questions such as
    `review` (at least one of Jobs and one of Pods).
    """
    managedBy: NotRequired[str]
    """This engine runs the Jobs whose spec.managedBy is this value, and no others. Absent: those without the field, or
    with `kubernetes.io/job-controller`. A domain, a slash and a path, at most 63 bytes.
    """
    finalizer: NotRequired[str]
    """The tracking finalizer; absent: `batch.kubernetes.io/job-tracking`. A domain, a slash and a name. Needed with
    `managedBy`, and then another one than that.
    """
    removesFinished: NotRequired[bool]
    """Finished Jobs are deleted when their ttlSecondsAfterFinished is over; absent: true without `managedBy`, for Jobs
    of every manager, and false with it, for upstream's removal asks for no manager. With `managedBy` it is about this
    engine's Jobs alone.
    """
    constants: NotRequired[EngineConstants]
    """Upstream's constants, by name."""
    kubernetes: NotRequired[str]
    """The version of Kubernetes as which `review` answers: `"1.33"` to `"1.37"`; absent: `"1.37"`. The controller
    behaves alike in all of them (since 1.6).
    """
    gangScheduling: NotRequired[bool]
    """A Job without a controller gets a Workload and a PodGroup (`scheduling.k8s.io/v1beta1`) before it gets pods, and
    one whose controller delegates it a PodGroup. Needs at least one source of `workloads` and one of `podgroups`, which
    are refused without it.
    """


class DecisionCode(StrEnum):
    """What a decision may say; a newer engine may say more."""

    REFUSED = "Refused"
    """The controller does not run the Job, because that could do harm."""
    FOREIGN = "Foreign"
    """`spec.managedBy` of the Job names another controller than this one."""
    UNREADABLE = "Unreadable"
    """The Job or one of its pods has a value that the controller cannot read, and it does not guess."""
    DELETING = "Deleting"
    """The Job was deleted, so no more pods are created."""
    CREATING = "Creating"
    """Fewer pods are active than the Job wants, so the controller creates the difference: first one, then two, then
    four at a time, as long as the API server accepts them.
    """
    CREATE_FAILED = "CreateFailed"
    """The API server refused a new pod."""
    BACKOFF = "Backoff"
    """Pods of the Job have failed, so the next one is not created at once."""
    DELETING_SURPLUS = "DeletingSurplus"
    """More pods are active than the Job wants: `parallelism` was lowered, enough pods have succeeded, two pods have the
    same completion index, or a pod has an index out of range.
    """
    TOO_MANY_FAILURES = "TooManyFailures"
    """More pods have failed than `spec.backoffLimit` allows (by default 6), so the Job fails."""
    TOO_MANY_RESTARTS = "TooManyRestarts"
    """Containers of the Job have restarted as often as `spec.backoffLimit` says, so the Job fails."""
    DEADLINE_PASSED = "DeadlinePassed"
    """`spec.activeDeadlineSeconds` have passed since the Job started, or since it was resumed, so the Job fails."""
    COMPLETIONS_REACHED = "CompletionsReached"
    """Enough pods have succeeded, so the Job completes."""
    WAITING_FOR_PODS = "WaitingForPods"
    """Pods of the Job are active, and there is nothing else to do now."""
    WAITING_FOR_TERMINATION = "WaitingForTermination"
    """No more pods are needed, but some pods have not ended yet."""
    PARALLELISM_IS_ZERO = "ParallelismIsZero"
    """The Job has `spec.parallelism: 0`, so no pod may run."""
    STATUS_WRITE_FAILED = "StatusWriteFailed"
    """The controller could not store the status of the Job."""
    FINALIZER_FAILED = "FinalizerFailed"
    """The controller could not remove the finalizer of a pod."""
    DELETE_FAILED = "DeleteFailed"
    """The controller could not delete a pod."""
    LIST_FAILED = "ListFailed"
    """The controller could not list the pods of the Job, which it needs after OutcomeUnknown."""
    OUTCOME_UNKNOWN = "OutcomeUnknown"
    """The controller sent the creation of a pod, and no answer came: the pod may exist or not."""
    WAITING_FOR_PODS_TO_BE_CLEAR = "WaitingForPodsToBeClear"
    """No pod of the Job is created until the pod watch has caught up, because the controller does not know which pods
    exist.
    """
    NO_LABELS = "NoLabels"
    """The template of the Job has no labels, so the controller could not recognize its pods, and creates none."""
    TEMPLATE_UNREADABLE = "TemplateUnreadable"
    """The template of the Job is invalid: a field of its metadata has the wrong type."""
    COUNTED = "Counted"
    """Pods have ended, and the stored status of the Job counts them now."""
    ENDED = "Ended"
    """The final condition of the Job is stored, and the controller does nothing more with it."""
    RETRY = "Retry"
    """A step of the last sync of the Job failed, and the controller syncs the Job again."""
    SUSPENDING = "Suspending"
    """The Job was suspended while pods were active: these are deleted, and count neither as failed nor as succeeded."""
    SUSPENDED = "Suspended"
    """The Job has `spec.suspend: true`, so no pod is created."""
    POLICY_FAILS_JOB = "PolicyFailsJob"
    """A pod failure matched a rule of `spec.podFailurePolicy` with the action `FailJob`, so the Job fails."""
    TOO_MANY_FAILED_INDEXES = "TooManyFailedIndexes"
    """More indexes have failed for good than `spec.maxFailedIndexes` allows, so the Job fails."""
    INDEXES_FAILED = "IndexesFailed"
    """Every index has succeeded or has failed for good, and some have failed, so the Job fails."""
    SUCCESS_POLICY_MET = "SuccessPolicyMet"
    """The indexes that have succeeded are enough for a rule of `spec.successPolicy`, so the Job completes."""
    INDEX_BACKOFF = "IndexBackoff"
    """Pods of an index have failed, so that index is not tried again at once."""
    REMOVAL_FAILED = "RemovalFailed"
    """The Job has finished, its `ttlSecondsAfterFinished` have passed, and the controller could not read or delete it.
    """
    STATUS_NOT_SENT = "StatusNotSent"
    """The new status violates a rule of the API server, so the controller does not send it."""
    WORKLOAD_CREATED = "WorkloadCreated"
    """The Job has a Workload now, which tells the scheduler about its pods."""
    POD_GROUP_CREATED = "PodGroupCreated"
    """The Job has a PodGroup now, to which all later pods belong."""
    GANG_RESIZED = "GangResized"
    """The size of the gang follows the Job: its `minCount` or, without one, its `parallelism`."""
    GANG_FAILED = "GangFailed"
    """The controller could not create, read or change the Workload or the PodGroup of the Job (see WorkloadCreated), or
    the Workload does not have exactly one template.
    """
    GANG_FALLBACK = "GangFallback"
    """The Job should have a PodGroup, but its pods are created without one, and are scheduled one by one."""
    CLAIMING = "Claiming"
    """Pods without an owner that the selector matches are adopted, and pods of the Job that it no longer matches are
    released.
    """
    REMOVING = "Removing"
    """The Job has finished, its `ttlSecondsAfterFinished` are over, and it is deleted: first its pods, then the Job
    itself.
    """
    CLAIM_FAILED = "ClaimFailed"
    """The controller could not adopt or release a pod (see Claiming)."""


class ExplainCode(StrEnum):
    """What `explain` may say beside the codes of decisions; a newer engine may say more."""

    NOT_LISTED = "NotListed"
    """The controller has just started, and lists all Jobs and Pods before it acts."""
    COMPLETE = "Complete"
    """The Job has completed."""
    FAILED = "Failed"
    """The Job has failed for good."""
    HELD_BY_FINALIZER = "HeldByFinalizer"
    """The Job was deleted and its pods are gone, but it has a finalizer of another controller or client."""
    FAILING = "Failing"
    """The Job's failure is decided and stored, and the Job is `Failed` when its pods have ended."""
    SUCCEEDING = "Succeeding"
    """The Job's success is decided and stored, and the Job is `Complete` when its pods have ended."""
    WAITING_TO_REPLACE = "WaitingToReplace"
    """A pod that is being deleted is replaced only when it has really ended."""
    PODS_STUCK = "PodsStuck"
    """Pods of the Job exist, but something keeps them from running: no node has room for them, an image cannot be
    pulled, a volume or a ConfigMap is missing.
    """
    QUEUED = "Queued"
    """The Job is in the work queue and will be synced soon: the controller batches pod events for a moment, and syncs a
    busy Job once a second.
    """
    AT_WORK = "AtWork"
    """The controller has sent requests for the Job, and waits for the answers before it continues."""
    WAITING_FOR_CHANGE = "WaitingForChange"
    """No pod of the Job is active, no pod has to be created now, and no timer is set: the controller syncs the Job
    again when the Job or one of its pods changes.
    """


class VerdictWord(StrEnum):
    """What `verdict` may say of a Job."""

    SUCCEEDED = "Succeeded"
    """The condition `Complete` is True. No number of succeeded pods says so."""
    FAILED = "Failed"
    """The condition `Failed` is True. No number of failed pods says so."""
    DELETING = "Deleting"
    """The Job has a deletionTimestamp, and had not ended before."""
    SUSPENDED = "Suspended"
    """Spec.suspend is true, or parallelism is 0: no pod is created until you change that."""
    RUNNING = "Running"
    """The Job is in progress. This includes a Job whose end is decided, and one whose counters say that it has ended
    while no condition does.
    """
    RETRYING = "Retrying"
    """Pods or containers have failed, none runs, and the next try comes automatically."""
    STUCK = "Stuck"
    """The Job makes no progress until a person intervenes: no pod of it can run, none can be created, or no controller
    runs it.
    """


class VerdictReason(StrEnum):
    """The reasons of a verdict that no condition and no pod gives; a newer engine may say more."""

    DELETION_REQUESTED = "DeletionRequested"
    """`message` names the finalizers that keep it."""
    SUSPEND_REQUESTED = "SuspendRequested"
    """Spec.suspend is true, and the controller has not confirmed it yet."""
    PARALLELISM_IS_ZERO = "ParallelismIsZero"
    """Spec.parallelism is 0."""
    NOT_STARTED = "NotStarted"
    """No controller has written a status yet."""
    PODS_ACTIVE = "PodsActive"
    """Pods are active."""
    PODS_TERMINATING = "PodsTerminating"
    """Pods that are being deleted have to end first. Stuck: the grace period of one was over 60 s ago."""
    NO_PODS = "NoPods"
    """There is no active pod, and none has failed. Stuck: that is so for 60 s, or the back-off was over 60 s ago: the
    API server may refuse pods, for a quota for example.
    """
    NOT_CONFIRMED = "NotConfirmed"
    """By its counters or its deadline the Job is over, but its controller has not said so."""
    BACKOFF = "Backoff"
    """The next pod is created at `nextMs`, by upstream's back-off. If all failed pods are given, that is exact (a
    controller that was restarted may be earlier), otherwise a bound. It is null for a Job of another controller
    (`managedBy`).
    """
    CRASH_LOOP_BACK_OFF = "CrashLoopBackOff"
    """The kubelet starts a container again at `nextMs` at the latest."""
    NO_CONTROLLER = "NoController"
    """No controller has written a status for 60 s: `message` names the one that should."""


class EndCode(StrEnum):
    """Who or what ended an attempt, by `account`; a newer engine may say more."""

    COMPLETED = "Completed"
    """All that had to run has succeeded."""
    EXITED = "Exited"
    """The container failed by itself."""
    OUT_OF_MEMORY = "OutOfMemory"
    """The kernel killed the container, because it used more memory than its limit."""
    CANNOT_START = "CannotStart"
    """The container could not be started: there is no such command, for example."""
    LIVENESS_PROBE = "LivenessProbe"
    """The kubelet killed the container, because its liveness probe failed. Needs Events."""
    STARTUP_PROBE = "StartupProbe"
    """The kubelet killed the container, because its startup probe failed. Needs Events."""
    KUBELET_EVICTION = "KubeletEviction"
    """The kubelet evicted the pod, because its node was low on a resource, or it used more than its limit."""
    KUBELET_PREEMPTION = "KubeletPreemption"
    """The kubelet ended the pod to admit a critical one."""
    NODE_SHUTDOWN = "NodeShutdown"
    """The kubelet ended the pod, because its node shuts down."""
    NODE_LOST = "NodeLost"
    """The node is gone, and the pod garbage collector or the node controller ended the pod."""
    NODE_REJECTED = "NodeRejected"
    """The kubelet refused the pod before any container ran; `by` is its reason."""
    PREEMPTED = "Preempted"
    """The scheduler preempted the pod for one of a higher priority."""
    TAINT_EVICTION = "TaintEviction"
    """A taint of its node evicted the pod."""
    API_EVICTION = "ApiEviction"
    """The pod was evicted through the API, as `kubectl drain` and the descheduler do it."""
    POD_DEADLINE = "PodDeadline"
    """The activeDeadlineSeconds of the pod itself were over."""
    JOB_DEADLINE = "JobDeadline"
    """The Job controller deleted it, because the activeDeadlineSeconds of the Job were over."""
    FAILURE_POLICY = "FailurePolicy"
    """The Job controller deleted it, because a rule of podFailurePolicy failed the Job."""
    JOB_END = "JobEnd"
    """The Job controller deleted it when the Job ended; `by` is the reason of that. Needs Events where the pod was over
    in the same second.
    """
    JOB_DELETED = "JobDeleted"
    """It was deleted with the Job."""
    SUSPENDED = "Suspended"
    """The Job controller deleted it, because the Job is suspended."""
    SCALED_DOWN = "ScaledDown"
    """The Job controller deleted it, because the Job wants fewer pods. Needs Events."""
    DELETED = "Deleted"
    """It was deleted, and nothing says by whom."""
    UNKNOWN = "Unknown"
    """It was ended, and nothing says by whom: the exit code of a signal alone, for example."""


class HoldCode(StrEnum):
    """What holds a Job, by `account`; a newer engine may say more."""

    DELETING = "Deleting"
    """The Job is being deleted, and the finalizers in `by` keep it."""
    NO_CONTROLLER = "NoController"
    """No controller has written a status for 60 s; `by` is the one that spec.managedBy names."""
    SUSPENDED = "Suspended"
    """Spec.suspend is true. `reason` is `Kueue`, and `by` the queue; `JobSet`, and `by` its name; or empty, and `by`
    the manager that has set the field last.
    """
    PARALLELISM_IS_ZERO = "ParallelismIsZero"
    """Spec.parallelism is 0."""
    CREATION_REFUSED = "CreationRefused"
    """The API server refuses new pods. `reason` is `Quota`, `Webhook`, `ServiceAccount`, `PriorityClass`, whose name is
    in `by`, `PodSecurity` or empty. Needs Events.
    """
    CANNOT_START = "CannotStart"
    """The container in `by` cannot start, with the kubelet's reason; without `by` the pod cannot be set up, which needs
    Events.
    """
    CRASH_LOOP_BACK_OFF = "CrashLoopBackOff"
    """The kubelet waits before it starts the container in `by` again."""
    UNSCHEDULABLE = "Unschedulable"
    """The scheduler finds no node."""
    NO_SCHEDULER = "NoScheduler"
    """The scheduler in `by` has written no condition for 60 s: it does not run, or there is none."""
    GANG_UNSCHEDULED = "GangUnscheduled"
    """The scheduler finds no nodes for all of the PodGroup in `by`."""
    SCHEDULING_GATED = "SchedulingGated"
    """The scheduling gates in `by` have not been removed."""
    KEPT_BY_CONTAINER = "KeptByContainer"
    """The containers in `by` run on although the others have ended for 60 s. `reason` is `RestartPolicyAlways` where
    the kubelet starts them again whenever they end.
    """
    NODE_REJECTS = "NodeRejects"
    """The kubelet of the node in `by` has rejected the last pods, two at least, with the reason."""
    TERMINATING = "Terminating"
    """A deleted pod has not ended. `reason` is `Finalizer`, which `by` names; `Overdue`: its grace period is over; or
    `GracePeriod`. Of a Job that is being deleted also one that has ended: `reason` is `Kept`, and `by` the finalizer.
    One that is named `job-tracking`, of whatever domain, is that of a Job controller, and never meant; nor, of a Job
    that `spec.managedBy` gives to another controller than the built-in one, is one that the pod template does not have.
    """
    BACKOFF = "Backoff"
    """The controller waits before it creates the next pod, and nothing else holds the Job."""
    NO_PODS = "NoPods"
    """No pod is active, and the controller has created none for 60 s."""
    NOT_CONFIRMED = "NotConfirmed"
    """By its counters or its deadline the Job is over, and its controller has not stored its end."""


class LintCode(StrEnum):
    """The rules of `lint`; a newer engine may have more."""

    LAST_RETRY_KILLED = "LastRetryKilled"
    """The last retry of a Job with `restartPolicy: OnFailure` and a small backoffLimit is killed before it can succeed.
    """
    FAILED_LOGS_LOST = "FailedLogsLost"
    """A Job with `restartPolicy: OnFailure` loses the logs of its failure, whatever its backoffLimit is."""
    LIMIT_PER_INDEX_UNUSED = "LimitPerIndexUnused"
    """The limit of the whole Job is reached before any index can use up its own."""
    FAILED_INDEXES_UNLIMITED = "FailedIndexesUnlimited"
    """There are not more indexes than `maxFailedIndexes` allows to fail, so that the limit never ends the Job."""
    DISRUPTIONS_COUNT = "DisruptionsCount"
    """More pods run at once than the Job has retries, and a pod that is evicted counts as failed."""
    NO_DEADLINE = "NoDeadline"
    """Neither the Job nor its pods have a deadline, so a pod that hangs keeps the Job from ending."""
    RETRIES_PAST_DEADLINE = "RetriesPastDeadline"
    """The deadline comes before all retries that backoffLimit allows can have started."""
    GRACE_PAST_DEADLINE = "GracePastDeadline"
    """The grace period of the pods is longer than the deadline of the Job."""
    REPLACED_WHILE_TERMINATING = "ReplacedWhileTerminating"
    """A pod that is being deleted gets a successor while it still ends, by the default `podReplacementPolicy`."""
    NO_TIME_TO_LIVE = "NoTimeToLive"
    """No known owner, tool or setting will delete the Job: it stays with its pods until a client deletes it."""
    TIME_TO_LIVE_ZERO = "TimeToLiveZero"
    """The Job is deleted in the moment in which it has ended."""
    TIME_TO_LIVE_UNDER_GIT_OPS = "TimeToLiveUnderGitOps"
    """A tool that keeps the cluster as a repository says finds the deleted Job missing, and may create it again."""
    TIME_TO_LIVE_IN_CRON_JOB = "TimeToLiveInCronJob"
    """The CronJob should keep failed Jobs for inspection, but the time to live deletes them first."""
    FORBID_WITHOUT_DEADLINE = "ForbidWithoutDeadline"
    """The CronJob has `concurrencyPolicy: Forbid`, and neither its Jobs nor their pods have a deadline."""
    ALLOW_WITHOUT_DEADLINE = "AllowWithoutDeadline"
    """The CronJob has `concurrencyPolicy: Allow`, the default, and neither its Jobs nor their pods have a deadline."""
    SCHEDULE_NEVER_FIRES = "ScheduleNeverFires"
    """No date of the next years matches the schedule, such as 31 February."""
    EVERY_MINUTE = "EveryMinute"
    """The first field of the schedule is a star, and the hours are chosen, so each minute of them starts a Job."""
    CLOCK_CHANGES = "ClockChanges"
    """The schedule has a `timeZone` in which clocks change within a year, at a local time that it names."""
    STARTING_DEADLINE_SHORT = "StartingDeadlineShort"
    """The controller may look at a CronJob up to 10 seconds after a time of its schedule."""
    NO_FAILED_HISTORY = "NoFailedHistory"
    """With `failedJobsHistoryLimit: 0` the CronJob keeps no Job that has failed."""
    HOOK_FINDS_OLD_JOB = "HookFindsOldJob"
    """The delete policy of a Helm hook leaves the Job in the cluster after one of its two ends, and the next release
    fails with `jobs.batch "NAME" already exists`.
    """
    HOOK_FAILURE_DELETED = "HookFailureDeleted"
    """The delete policy of a hook deletes the failed Job at once, and its pods and their logs with it."""
    HOOK_OUTLIVES_HELM = "HookOutlivesHelm"
    """A Helm hook with the default `backoffLimit` of 6, or a larger one, is retried for longer than Helm waits: the
    waits between seven tries alone take more than 10 min.
    """
    HOOK_TIME_TO_LIVE = "HookTimeToLive"
    """The Job of a hook is deleted less than a minute after its end, and the tool may not have seen the end yet."""
    PARALLELISM_UNUSED = "ParallelismUnused"
    """No more pods than completions ever run at once, so the larger parallelism has no effect."""
    GANG_NEVER_WHOLE = "GangNeverWhole"
    """The pods belong to a gang, and fewer of them exist at once than parallelism says."""
    PARALLELISM_ABOVE_QUOTA = "ParallelismAboveQuota"
    """The quota of the namespace has no room for as many pods as the Job wants at once."""
    NO_PODS_WANTED = "NoPodsWanted"
    """With `parallelism: 0` the Job has no pods and never ends."""
    NO_COMPLETIONS_WANTED = "NoCompletionsWanted"
    """With `completions: 0` the Job is complete at once, and no pod has run."""
    STATUS_TOO_LARGE = "StatusTooLarge"
    """The list of completed indexes may get longer than etcd takes for one object, and no status could be stored from
    then on.
    """
    QUOTA_NEEDS_RESOURCES = "QuotaNeedsResources"
    """A ResourceQuota of the namespace counts processor time or memory, and a container sets no request or limit for
    it.
    """
    BUDGET_BLOCKS_DRAINS = "BudgetBlocksDrains"
    """A PodDisruptionBudget selects the pods of the Job and allows no eviction of any, so that `kubectl drain` and
    cluster autoscalers wait until the pods end.
    """
    RULE_NEVER_MATCHES = "RuleNeverMatches"
    """No pod can ever meet what a rule of the policy asks for."""
    RULE_SHADOWED = "RuleShadowed"
    """Earlier rules of the policy match whatever this one would match, so it never decides."""
    RULE_MATCHES_SIDECAR = "RuleMatchesSidecar"
    """A rule on exit codes also looks at sidecars, which end with a code that says nothing about the work."""
    RULE_NEVER_SEES = "RuleNeverSees"
    """The kubelet restarts the container in place with the exit code that the rule asks for, so the pod does not fail
    with it.
    """
    CONTAINER_NEVER_ENDS = "ContainerNeverEnds"
    """A container is restarted even when it has succeeded, so its pod never ends, and the Job does not complete."""
    LEGACY_SIDECAR = "LegacySidecar"
    """A sidecar is known to keep running when the other containers have ended."""
    MEMORY_UNLIMITED = "MemoryUnlimited"
    """A container requests memory and has no limit for it, so it may take all that its node has."""
    UNKNOWN_MANAGER = "UnknownManager"
    """No controller is known that runs Jobs of this `managedBy`, and the built-in one leaves them alone."""
    OWN_SELECTOR = "OwnSelector"
    """The Job has a custom selector, which may match pods that are not its own."""
    SAME_NAME = "SameName"
    """Two objects of the input have the same kind, namespace and name."""
    GENERATED_NAME_TOO_LONG = "GeneratedNameTooLong"
    """The API server will refuse each Job of this template, for its name and its indexes are too long together."""
    POD_NAMES_CUT = "PodNamesCut"
    """The name of the Job is too long to be a part of its pods' names, and is cut there."""
