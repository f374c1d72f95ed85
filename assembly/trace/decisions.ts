/**
 * Every decision of the controller, one on a line: `decision("Name", "numbers", "sentence")`. At the end are the states
 * of a Job that only an explanation reports, because no decision says them. row.ts explains the rows, sentence.ts the
 * sentences.
 *
 * When you add a row, also write in docs/decisions.md what it means and what to do about it. `npm run abi` brings that
 * page, bindings/ABI.md and the bindings up to date, and a test checks that. The formatter leaves this file alone, so
 * that a row stays one line.
 */
import { decision, jobState } from "./row";

export const REFUSED = decision("Refused", "", "not run: {text}");
export const FOREIGN = decision("Foreign", "", "not run: spec.managedBy says that {text} manages this Job");
export const UNREADABLE = decision("Unreadable", "", "stopped: {text}");
export const DELETING = decision("Deleting", ";sinceMs,pods", "the Job is being deleted[ since {sinceMs:clock}]: no pod is created any more, and pods lose their finalizer[; {pods} pod{pods:s} must go first]");
export const CREATING = decision("Creating", "pods,active,wanted,succeeded", "creating {pods} pod{pods:s}: {active} of {wanted} wanted active, {succeeded} succeeded");
export const CREATE_FAILED = decision("CreateFailed", "status;tries,sinceMs,remainingMs", "creating a pod was refused{again}: {text}");
export const BACKOFF = decision("Backoff", "remainingMs,failures,lastFailureMs,backoffMs;ignored,rule", "waiting {remainingMs:span} before the next pod is created: {failures} failure{failures:s} in a row, back-off {backoffMs:span} since {lastFailureMs:clock}[; rules of podFailurePolicy with the action Ignore keep {ignored} of them out of status.failed][: the only such rule is at index {rule}]");
export const DELETING_SURPLUS = decision("DeletingSurplus", "pods,active,wanted", "deleting {pods} surplus pod{pods:s}: {active} active, {wanted} wanted");
export const TOO_MANY_FAILURES = decision("TooManyFailures", "failed,backoffLimit", "the Job fails: {failed} failed pod{failed:s}, more than backoffLimit {backoffLimit} allows");
export const TOO_MANY_RESTARTS = decision("TooManyRestarts", "restarts,backoffLimit", "the Job fails: {restarts} container restart{restarts:s}, and backoffLimit is {backoffLimit}");
export const DEADLINE_PASSED = decision("DeadlinePassed", "deadlineMs,startMs", "the Job fails: activeDeadlineSeconds of {deadlineMs:span} have passed since {startMs:clock}");
export const COMPLETIONS_REACHED = decision("CompletionsReached", "succeeded,completions", "the Job completes: {succeeded}[ of {completions}] succeeded");
export const WAITING_FOR_PODS = decision("WaitingForPods", "active,ready,succeeded,completions;index,ignored,rule", "waiting for pods: {active} active, {ready} of them ready, {succeeded} succeeded[ of {completions}][; the one of index {index} is active][; {ignored} pod{ignored:s} failed since the last success, and rules of podFailurePolicy with the action Ignore keep them out of status.failed][: the only such rule is at index {rule}]");
export const WAITING_FOR_TERMINATION = decision("WaitingForTermination", "terminating", "every pod is decided; waiting for {terminating} pod{terminating:s} to end");
export const PARALLELISM_IS_ZERO = decision("ParallelismIsZero", "", "parallelism is 0: no pod is wanted");
export const STATUS_WRITE_FAILED = decision("StatusWriteFailed", "status;tries,sinceMs,remainingMs", "writing the status failed{again}: {text}");
export const FINALIZER_FAILED = decision("FinalizerFailed", "status;tries,sinceMs,remainingMs", "removing a finalizer failed{again}: {text}");
export const DELETE_FAILED = decision("DeleteFailed", "status;tries,sinceMs,remainingMs", "deleting a pod failed{again}: {text}");
export const LIST_FAILED = decision("ListFailed", "status;tries,sinceMs,remainingMs", "listing the pods of this Job failed{again}: {text}");
export const OUTCOME_UNKNOWN = decision("OutcomeUnknown", ";tries,sinceMs,remainingMs", "the answer to a pod creation was lost{again}: the pods of the Job are listed before another one is created");
export const WAITING_FOR_PODS_TO_BE_CLEAR = decision("WaitingForPodsToBeClear", ";version,neededVersion", "waiting until the pod watch has caught up[, from version {version} to {neededVersion}]: no pod is created until then");
export const NO_LABELS = decision("NoLabels", ";tries,sinceMs,remainingMs", "creating a pod was not possible{again}: the pod template has no labels");
export const TEMPLATE_UNREADABLE = decision("TemplateUnreadable", ";tries,sinceMs,remainingMs", "creating a pod was not possible{again}: the pod template cannot be read");
export const COUNTED = decision("Counted", "succeeded,failed,uncounted", "counted: {succeeded} succeeded, {failed} failed; uncounted: {uncounted}");
export const ENDED = decision("Ended", "succeeded,failed", "the Job has ended with {text}: {succeeded} succeeded, {failed} failed");
export const RETRY = decision("Retry", "delayMs,failures", "trying again in {delayMs:span}, after {failures} failure{failures:s}");
export const SUSPENDING = decision("Suspending", "pods", "the Job is suspended: deleting {pods} active pod{pods:s}, not counted as failed");
export const SUSPENDED = decision("Suspended", "terminating;sinceMs", "the Job is suspended[ since {sinceMs:clock}]: no pod is created until spec.suspend is false");
export const POLICY_FAILS_JOB = decision("PolicyFailsJob", "", "the Job fails: {text}");
export const TOO_MANY_FAILED_INDEXES = decision("TooManyFailedIndexes", "failedIndexes,maxFailedIndexes", "the Job fails: {failedIndexes} failed indexes, more than maxFailedIndexes {maxFailedIndexes} allows");
export const INDEXES_FAILED = decision("IndexesFailed", "failedIndexes,succeeded", "the Job fails: every index is decided, {succeeded} succeeded and {failedIndexes} failed");
export const SUCCESS_POLICY_MET = decision("SuccessPolicyMet", "rule,succeeded", "the Job succeeds: rule {rule} of its success policy is met by the {succeeded} indexes that have succeeded");
export const INDEX_BACKOFF = decision("IndexBackoff", "remainingMs,index,failures,backoffMs;lastFailureMs,indexes", "waiting {remainingMs:span} before index {index} is tried again: {failures} failure{failures:s}, back-off {backoffMs:span}[ since {lastFailureMs:clock}][; {indexes} indexes wait][; indexes {text} wait]");
export const REMOVAL_FAILED = decision("RemovalFailed", "status;tries,sinceMs,remainingMs", "deleting the Job, whose time to live is over, failed{again}: {text}");
export const STATUS_NOT_SENT = decision("StatusNotSent", ";tries,sinceMs,remainingMs", "the status is not written, for the API server would refuse it{again}: {text}");
export const WORKLOAD_CREATED = decision("WorkloadCreated", "minCount", "created Workload {text}[: a gang of at least {minCount} pods]");
export const POD_GROUP_CREATED = decision("PodGroupCreated", "", "created PodGroup {text}");
export const GANG_RESIZED = decision("GangResized", "minCount", "resized {text}: a gang of at least {minCount} pods");
export const GANG_FAILED = decision("GangFailed", "status;tries,sinceMs,remainingMs", "creating pods was not possible{again}: ensuring Workload and PodGroup for Job {text}");
export const GANG_FALLBACK = decision("GangFallback", "", "pods are created without a PodGroup: {text}");
export const CLAIMING = decision("Claiming", "adopted,released", "claiming pods: {adopted} to adopt, {released} to release because the selector does not match");
export const REMOVING = decision("Removing", "ttlMs,sinceMs", "deleting the Job: its time to live of {ttlMs:span} is over since its end at {sinceMs:clock}");
export const CLAIM_FAILED = decision("ClaimFailed", "status;tries,sinceMs,remainingMs", "claiming a pod failed{again}, and nothing is counted before it works: {text}");

// These rows are states, not decisions.
export const NOT_LISTED = jobState("NotListed", "", "not all Jobs and Pods have been listed yet, and nothing is done before");
export const COMPLETE = jobState("Complete", "sinceMs,succeeded,failed,remainingMs,ttlMs", "the Job is complete[ since {sinceMs:clock}]: {text}[; it is deleted in {remainingMs:span}, {ttlMs:span} after its end]");
export const FAILED = jobState("Failed", "sinceMs,succeeded,failed,remainingMs,ttlMs", "the Job failed[ at {sinceMs:clock}]: {text}[; it is deleted in {remainingMs:span}, {ttlMs:span} after its end]");
export const HELD_BY_FINALIZER = jobState("HeldByFinalizer", "sinceMs", "the Job is being deleted[ since {sinceMs:clock}] and has no pods left: a finalizer of somebody else keeps it");
export const FAILING = jobState("Failing", "sinceMs,active,terminating", "the Job fails once its pods have ended, as was decided[ at {sinceMs:clock}]: {text}");
export const SUCCEEDING = jobState("Succeeding", "sinceMs,active,terminating", "the Job succeeds once its pods have ended, as was decided[ at {sinceMs:clock}]: {text}");
export const WAITING_TO_REPLACE = jobState("WaitingToReplace", "wanted,active,terminating", "waiting for {terminating} terminating pod{terminating:s}, {active} of {wanted} wanted active: a pod is replaced only after it has ended");
export const PODS_STUCK = jobState("PodsStuck", "stuck,active,succeeded,completions,restarts,backoffLimit", "{stuck} of {active} active pod{active:s} cannot run, {succeeded} succeeded[ of {completions}][; {restarts} container restart{restarts:s}, and backoffLimit is {backoffLimit}]");
export const QUEUED = jobState("Queued", "remainingMs", "the controller is about to look at the Job[, in {remainingMs:span}]");
export const AT_WORK = jobState("AtWork", "", "the controller is syncing the Job and waits for answers of the API server");
export const WAITING_FOR_CHANGE = jobState("WaitingForChange", "active,terminating,succeeded,completions", "nothing is due: {active} active, {terminating} terminating, {succeeded} succeeded[ of {completions}]; the controller looks at the Job again when the Job or a pod of it changes");
