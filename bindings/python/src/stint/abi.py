"""The words of the ABI, for Python. Written by scripts/abi-words.ts from bindings/ABI.md: change them there. engine.py
has the calls.
"""

from enum import IntEnum, StrEnum
from typing import Final, Literal, NotRequired, TypedDict

ABI_VERSION: Final = 1
"""The ABI that this binding speaks. Another major version is refused; a newer minor one is fine."""

METHODS: Final = ("", "GET", "POST", "PUT", "PATCH", "DELETE")
"""Methods of requests, by number."""


class IngestKind(IntEnum):
    """What `Engine.ingest` is told about the bytes it gets."""

    LIST_BEGIN = 0
    """A list of this source starts; one under way is given up. Input: none."""
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
    """No request of this id is under way."""
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
    and no deletionTimestamp says that the pod does not match any more, and it is released.
    """


class EngineConstants(TypedDict, total=False):
    """Upstream's constants; one that is left out has upstream's value."""

    syncBatchPeriodMs: int
    """Time between the syncs of one Job that pod events cause, once the burst is used up. Default: 1000 milliseconds.
    """
    syncBurst: int
    """Syncs of one Job that pod events may cause at once, and again once it was quiet for as many periods; when the
    last pods of a Job have ended, so that none is active or terminating, they wait for none. 0: each sync waits a
    period, as upstream's do. Default: 4 syncs.
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
    sources: list[Source]
    """The streams that feed the engine (at least one of Jobs and one of Pods)."""
    managedBy: NotRequired[str]
    """This engine runs the Jobs whose spec.managedBy is this value, and no others. Absent: those that name nobody or
    `kubernetes.io/job-controller`. A domain, a slash and a path, at most 63 bytes.
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
    gangScheduling: NotRequired[bool]
    """An Indexed Job whose pods all run at once gets a Workload and a PodGroup (`scheduling.k8s.io/v1alpha2`) before it
    gets pods. Needs at least one source of `workloads` and one of `podgroups`, which are refused without it.
    """


class DecisionCode(StrEnum):
    """What a decision may say; a newer engine may say more."""

    REFUSED = "Refused"
    """Not run: the value of spec.completionMode is not known, or the Job has a selector of its own and only pods with
    the label `batch.kubernetes.io/controller-uid` are watched (`isSelection`).
    """
    FOREIGN = "Foreign"
    """Not run: `spec.managedBy` says that another controller manages the Job."""
    UNREADABLE = "Unreadable"
    """Stopped: an object of the Job cannot be read."""
    DELETING = "Deleting"
    """The Job is being deleted: no pod is created, pods lose their finalizer."""
    CREATING = "Creating"
    """Pods are created."""
    CREATE_FAILED = "CreateFailed"
    """A creation was refused."""
    BACKOFF = "Backoff"
    """The next pod waits, for pods have failed."""
    DELETING_SURPLUS = "DeletingSurplus"
    """More pods are active than wanted, or some must not be: these are deleted."""
    TOO_MANY_FAILURES = "TooManyFailures"
    """The Job fails: more failed pods than backoffLimit allows."""
    TOO_MANY_RESTARTS = "TooManyRestarts"
    """The Job fails: container restarts have reached backoffLimit."""
    DEADLINE_PASSED = "DeadlinePassed"
    """The Job fails: activeDeadlineSeconds have passed."""
    COMPLETIONS_REACHED = "CompletionsReached"
    """The Job completes."""
    WAITING_FOR_PODS = "WaitingForPods"
    """Pods are active, and there is nothing else to do now."""
    WAITING_FOR_TERMINATION = "WaitingForTermination"
    """The Job has ended but for pods that still terminate."""
    PARALLELISM_IS_ZERO = "ParallelismIsZero"
    """No pod is wanted."""
    STATUS_WRITE_FAILED = "StatusWriteFailed"
    """A status write failed."""
    FINALIZER_FAILED = "FinalizerFailed"
    """Removing a finalizer failed."""
    DELETE_FAILED = "DeleteFailed"
    """Deleting a pod failed."""
    LIST_FAILED = "ListFailed"
    """Listing the pods of the Job failed."""
    OUTCOME_UNKNOWN = "OutcomeUnknown"
    """The answer to a creation was lost."""
    WAITING_FOR_PODS_TO_BE_CLEAR = "WaitingForPodsToBeClear"
    """No pod of this Job is created until the pod source has caught up: after a lost answer, for a Job with a selector
    of its own; or with the version of a status that somebody else has written, and then nothing is counted either.
    """
    NO_LABELS = "NoLabels"
    """No pod can be created: the template has no labels."""
    TEMPLATE_UNREADABLE = "TemplateUnreadable"
    """No pod can be created: the template cannot be read."""
    COUNTED = "Counted"
    """Counters went up."""
    ENDED = "Ended"
    """The Job has its final condition."""
    RETRY = "Retry"
    """Something failed: the Job is tried again."""
    SUSPENDING = "Suspending"
    """The Job is suspended: its active pods are deleted, and not counted."""
    SUSPENDED = "Suspended"
    """The Job is suspended: no pod is created."""
    POLICY_FAILS_JOB = "PolicyFailsJob"
    """The Job fails: a pod failed in a way that podFailurePolicy calls final."""
    TOO_MANY_FAILED_INDEXES = "TooManyFailedIndexes"
    """The Job fails: more indexes have failed than maxFailedIndexes allows."""
    INDEXES_FAILED = "IndexesFailed"
    """The Job fails: every index is decided, and some have failed."""
    SUCCESS_POLICY_MET = "SuccessPolicyMet"
    """The Job succeeds: a rule of its success policy is met."""
    INDEX_BACKOFF = "IndexBackoff"
    """An index waits before it is tried again."""
    REMOVAL_FAILED = "RemovalFailed"
    """Deleting a finished Job whose time to live is over failed."""
    STATUS_NOT_SENT = "StatusNotSent"
    """A status was not written, for the API server would refuse it."""
    WORKLOAD_CREATED = "WorkloadCreated"
    """The Job has a Workload now: its pods are to be scheduled together."""
    GANG_FAILED = "GangFailed"
    """No pod is created, for the Workload or the PodGroup of the Job could not be created or read."""
    GANG_FALLBACK = "GangFallback"
    """Pods are created without a PodGroup, for the Workload or the PodGroup found cannot be used, or the Job has begun
    without them.
    """
    CLAIMING = "Claiming"
    """Pods of nobody that the selector matches are to be adopted, own pods that it does not match are to be released.
    """
    CLAIM_FAILED = "ClaimFailed"
    """Adopting or releasing a pod failed; nothing is counted before it works."""


class ExplainCode(StrEnum):
    """What `explain` may say beside the codes of decisions; a newer engine may say more."""

    NOT_LISTED = "NotListed"
    """Not every source has been listed yet."""
    COMPLETE = "Complete"
    """It is complete; with a time to live, when it is deleted."""
    FAILED = "Failed"
    """It has failed."""
    HELD_BY_FINALIZER = "HeldByFinalizer"
    """It is being deleted and has no pods left: others have to remove a finalizer."""
    FAILING = "Failing"
    """Its failure is decided: it waits for its pods to end."""
    SUCCEEDING = "Succeeding"
    """Its success is decided: it waits for its pods to end."""
    WAITING_TO_REPLACE = "WaitingToReplace"
    """Pods are replaced only after they have ended."""
    PODS_STUCK = "PodsStuck"
    """Pods are active that cannot run: see `pods`. `restarts`: of all containers of pending and running pods, where
    restartPolicy is OnFailure and they count.
    """
    QUEUED = "Queued"
    """It is about to be looked at."""
