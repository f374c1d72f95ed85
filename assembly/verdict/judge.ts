/**
 * The rules of a verdict, in the order in which they are tried. A Job has ended if and only if its condition Complete
 * or Failed is True; counters and pods prove nothing. The other rules say why it has not.
 *
 * Source: docs/spec/controller.md 3 and 8. Invariant: `evidence` is the path of a field in the input, also when that
 * field is not there.
 */
import { findCondition } from "../admission/conditions";
import { defaultObject } from "../admission/default-fields";
import { timeOf } from "../admission/status-facts";
import { joined } from "../json/text";
import { ABSENT, after, JsonNode, objectOf, stringOf } from "../json/tree";
import { createdMs, deletionAskedMs, PodTally } from "./pod-tally";
import { nextTry } from "./retry";
import { begin, quoteText, say, sayCount, sayNumber, sayPods, saySpan, sayWhy } from "./words";

const SUCCEEDED = "Succeeded";
const FAILED = "Failed";
const RUNNING = "Running";
const RETRYING = "Retrying";
const SUSPENDED = "Suspended";
const STUCK = "Stuck";
const DELETING = "Deleting";

/** Controllers sync a Job within seconds. A Job without a change for this long needs a person's attention. */
const LATE_MS: f64 = 60000;
const BUILT_IN_MANAGER = "kubernetes.io/job-controller";

/** A verdict; its sentence is in words.ts. */
export class Judgement {
  verdict: string = RUNNING;
  isFinished: bool = false;
  /** How the Job will end, or has; "": open. */
  decided: string = "";
  reason: string = "";
  message: string = "";
  /** Wall clock, in milliseconds; NaN: not known. The same holds for the next. */
  sinceMs: f64 = NaN;
  nextMs: f64 = NaN;
  isNextBound: bool = false;
  evidence: string = "";
}

/** Which controller runs a Job with this spec instead of the built-in one; "": none. */
export function managerOf(spec: JsonNode | null): string {
  const manager = stringOf(spec, "managedBy");
  return manager == BUILT_IN_MANAGER ? "" : manager;
}

/** What a rule looks at. */
class Subject {
  job: JsonNode;
  spec: JsonNode;
  status: JsonNode;
  metadata: JsonNode;
  /** Null: the pods are not known. */
  pods: PodTally | null;
  nowMs: f64;
  to: Judgement = new Judgement();

  constructor(job: JsonNode, pods: PodTally | null, nowMs: f64) {
    this.job = job;
    this.spec = part(job, "spec");
    this.status = part(job, "status");
    this.metadata = part(job, "metadata");
    this.pods = pods;
    this.nowMs = nowMs;
  }

  /** A counter of the status; 0 if it is not there. */
  count(name: string): i64 {
    return max<i64>(0, this.status.integer(name));
  }

  get active(): i64 {
    const pods = this.pods;
    return pods === null ? this.count("active") : pods.active;
  }

  get terminating(): i64 {
    const pods = this.pods;
    return pods === null ? this.count("terminating") : pods.terminating;
  }

  get failed(): i64 {
    const pods = this.pods;
    return pods === null ? this.count("failed") : max<i64>(this.count("failed"), pods.failed.length);
  }

  /** The condition of this type, if its status is True. */
  condition(type: string): JsonNode | null {
    const condition = findCondition(this.status, type);
    return condition !== null && condition.string("status") == "True" ? condition : null;
  }

  get manager(): string {
    return managerOf(this.spec);
  }

  /** Sets the verdict, its reason, and the field that proves it. */
  conclude(verdict: string, reason: string, evidence: string): Judgement {
    this.to.verdict = verdict;
    this.to.reason = reason;
    this.to.evidence = evidence;
    return this.to;
  }

  /** The same, from a condition. */
  concludeFrom(condition: JsonNode, verdict: string): Judgement {
    this.to.message = condition.string("message");
    this.to.sinceMs = timeOf(condition, "lastTransitionTime");
    return this.conclude(verdict, condition.string("reason"), condition.path());
  }

  /** How long ago this was; NaN if it is not known. */
  ago(ms: f64): f64 {
    return this.nowMs - ms;
  }
}

/** Judges a Job whose defaults are set. `pods` is null if they are not known. */
export function judge(job: JsonNode, pods: PodTally | null, nowMs: f64): Judgement {
  const subject = new Subject(job, pods, nowMs);
  begin();
  say("the Job ");
  const end = endOf(subject.status);
  if (end !== null) return ended(subject, end);
  const success = subject.condition("SuccessCriteriaMet");
  const target = success === null ? subject.condition("FailureTarget") : success;
  if (target !== null) subject.to.decided = success === null ? FAILED : SUCCEEDED;
  if (subject.metadata.has("deletionTimestamp")) return deleting(subject);
  if (target !== null) return ending(subject, target);
  if (subject.spec.boolean("suspend")) return suspended(subject);
  return unfinished(subject);
}

function part(job: JsonNode, name: string): JsonNode {
  const found = defaultObject(job, name);
  // The field has another type: the reader has recorded that, and the question is refused at the end.
  return found === null ? JsonNode.object() : found;
}

// The first condition that ends the Job. A condition that is not True ends nothing.
function endOf(status: JsonNode): JsonNode | null {
  const conditions = status.list("conditions");
  if (conditions === null) return null;
  for (let condition = conditions.first; condition !== null; condition = after(condition)) {
    const type = condition.string("type");
    if ((type == "Complete" || type == FAILED) && condition.string("status") == "True") return condition;
  }
  return null;
}

function ended(subject: Subject, end: JsonNode): Judgement {
  const hasSucceeded = end.string("type") == "Complete";
  const to = subject.concludeFrom(end, hasSucceeded ? SUCCEEDED : FAILED);
  to.isFinished = true;
  to.decided = to.verdict;
  if (isNaN(to.sinceMs)) to.sinceMs = timeOf(subject.status, "completionTime");
  say(hasSucceeded ? "has succeeded" : "has failed");
  saySpan(" ", subject.ago(to.sinceMs), " ago");
  sayWhy(to.reason, to.message);
  if (subject.metadata.has("deletionTimestamp")) {
    say("; it is being deleted");
    return to;
  }
  const ttlSeconds = subject.spec.integer("ttlSecondsAfterFinished");
  if (ttlSeconds == ABSENT || isNaN(to.sinceMs)) return to;
  to.nextMs = max(to.sinceMs + f64(ttlSeconds) * 1000, subject.nowMs);
  saySpan("; its time to live ends in ", to.nextMs - subject.nowMs, "");
  return to;
}

function deleting(subject: Subject): Judgement {
  const metadata = subject.metadata;
  const to = subject.conclude(DELETING, "DeletionRequested", metadata.pathOf("deletionTimestamp"));
  to.sinceMs = deletionAskedMs(metadata);
  say("is being deleted before it has ended");
  saySpan(", asked for ", subject.ago(to.sinceMs), " ago");
  const finalizers = metadata.list("finalizers");
  if (finalizers === null || finalizers.length == 0) return to;
  const names = new Array<string>();
  for (let name = finalizers.first; name !== null; name = after(name)) names.push(name.asString());
  to.message = joined(names, ", ");
  say("; it stays until these finalizers are gone: ");
  quoteText(to.message);
  return to;
}

// The end is decided and stored, and the last pods end.
function ending(subject: Subject, target: JsonNode): Judgement {
  const to = subject.concludeFrom(target, RUNNING);
  say(to.decided == FAILED ? "is to fail" : "is to succeed");
  sayWhy(to.reason, to.message);
  const left = subject.active + subject.terminating;
  say(", and ");
  if (left > 0) {
    sayPods(left);
    say(left == 1 ? " has not ended yet" : " have not ended yet");
  } else {
    say("its controller has not stored its end yet");
  }
  return overdue(subject) ? waitsForOverdue(subject) : to;
}

function suspended(subject: Subject): Judgement {
  const condition = subject.condition("Suspended");
  const to =
    condition === null
      ? subject.conclude(SUSPENDED, "SuspendRequested", subject.spec.pathOf("suspend"))
      : subject.concludeFrom(condition, SUSPENDED);
  say("is suspended");
  saySpan(" for ", subject.ago(to.sinceMs), "");
  say(": no pod is created until spec.suspend is false");
  sayCount(subject.active + subject.terminating, " not ended yet");
  return to;
}

function unfinished(subject: Subject): Judgement {
  const to = subject.to;
  to.sinceMs = timeOf(subject.status, "startTime");
  const deadlineSeconds = subject.spec.integer("activeDeadlineSeconds");
  const deadlineMs = deadlineSeconds == ABSENT ? NaN : to.sinceMs + f64(deadlineSeconds) * 1000;
  if (isUntouched(subject)) return untouched(subject);
  if (isOverCounted(subject) || deadlineMs <= subject.nowMs) return unconfirmed(subject, deadlineMs);
  if (subject.active > 0) active(subject);
  else idle(subject);
  if (to.verdict != SUSPENDED && !isNaN(deadlineMs)) {
    saySpan("; activeDeadlineSeconds end it in ", deadlineMs - subject.nowMs, "");
    if (!(to.nextMs < deadlineMs)) {
      to.nextMs = deadlineMs;
      to.isNextBound = false;
    }
  }
  return to;
}

// Whether no controller has written anything.
function isUntouched(subject: Subject): bool {
  const conditions = subject.status.list("conditions");
  return (
    !subject.status.has("startTime") &&
    (conditions === null || conditions.length == 0) &&
    subject.active + subject.failed + subject.count("succeeded") == 0
  );
}

function untouched(subject: Subject): Judgement {
  const manager = subject.manager;
  const to = subject.conclude(RUNNING, "NotStarted", subject.status.pathOf("startTime"));
  to.sinceMs = createdMs(subject.metadata);
  const ageMs = subject.ago(to.sinceMs);
  if (ageMs >= LATE_MS) {
    to.verdict = STUCK;
    to.reason = "NoController";
  }
  if (manager.length > 0) to.evidence = subject.spec.pathOf("managedBy");
  to.message = manager.length > 0 ? manager : BUILT_IN_MANAGER;
  say("has not started: its controller ");
  quoteText(to.message);
  say(" has written no status");
  saySpan(", ", ageMs, " after the Job was created");
  return to;
}

// Whether the counters say that the Job is over. They are no proof: the controller decides, and then says so.
function isOverCounted(subject: Subject): bool {
  const succeeded = subject.count("succeeded");
  const completions = subject.spec.integer("completions");
  if (completions == ABSENT ? succeeded > 0 && subject.active == 0 : succeeded >= completions) return true;
  return !subject.spec.has("backoffLimitPerIndex") && subject.failed > subject.spec.integer("backoffLimit");
}

function unconfirmed(subject: Subject, deadlineMs: f64): Judgement {
  const to = subject.conclude(RUNNING, "NotConfirmed", subject.status.pathOf("conditions"));
  say("has not ended: ");
  sayCounts(subject);
  if (deadlineMs <= subject.nowMs) saySpan(", activeDeadlineSeconds over for ", subject.ago(deadlineMs), "");
  say(", and no condition of it says Complete or Failed");
  return to;
}

function active(subject: Subject): void {
  const pods = subject.pods;
  if (pods === null || pods.active > pods.troubled + pods.crashing) {
    subject.conclude(RUNNING, "PodsActive", pods === null ? subject.status.pathOf("active") : "pods");
    say("is running: ");
    sayCounts(subject);
    if (pods !== null) sayCount(pods.troubled + pods.crashing, " cannot run");
    return;
  }
  const crash = pods.crash;
  const trouble = crash === null ? pods.trouble! : crash;
  const to = subject.conclude(crash === null ? STUCK : RETRYING, trouble.string("reason"), trouble.path());
  to.message = trouble.string("message");
  say(crash === null ? "is stuck, for no pod of it can run: " : "is retrying, for containers fail: ");
  sayCounts(subject);
  sayWhy(to.reason, to.message);
  if (crash === null) {
    to.sinceMs = createdMs(pods.stuckPod!.object("metadata"));
    return;
  }
  to.nextMs = max(pods.restartMs, subject.nowMs);
  to.isNextBound = !isNaN(to.nextMs);
  saySpan("; the next start is in at most ", to.nextMs - subject.nowMs, "");
}

// No pod is active.
function idle(subject: Subject): void {
  if (subject.spec.integer("parallelism") == 0) {
    subject.conclude(SUSPENDED, "ParallelismIsZero", subject.spec.pathOf("parallelism"));
    say("has spec.parallelism 0: no pod is created until that is larger");
  } else if (subject.terminating > 0 && (subject.failed == 0 || waitsForTermination(subject))) {
    subject.conclude(RUNNING, "PodsTerminating", subject.pods === null ? subject.status.pathOf("terminating") : "pods");
    say("goes on when ");
    sayPods(subject.terminating);
    say(subject.terminating == 1 ? " has ended" : " have ended");
    if (overdue(subject)) waitsForOverdue(subject);
  } else if (subject.failed > 0) {
    retrying(subject);
  } else {
    subject.conclude(RUNNING, "NoPods", subject.status.pathOf("active"));
    say("has no active pod");
    late(subject, lastChangeMs(subject));
  }
}

function retrying(subject: Subject): void {
  const to = subject.conclude(RETRYING, "Backoff", subject.status.pathOf("failed"));
  say("is retrying: ");
  sayCounts(subject);
  // Another controller may retry by other rules.
  if (subject.manager.length > 0) return;
  const retry = nextTry(subject.spec, subject.status, subject.pods, subject.failed, subject.nowMs);
  if (!isNaN(retry.sinceMs)) {
    to.sinceMs = retry.sinceMs;
    to.evidence = "pods";
  }
  to.isNextBound = retry.isBound;
  to.nextMs = max(retry.nextMs, subject.nowMs);
  const leftMs = to.nextMs - subject.nowMs;
  saySpan(retry.isBound ? "; the next pod is created in at most " : "; the next pod is created in ", leftMs, "");
  late(subject, retry.nextMs);
}

// If nothing has happened since then, something keeps pods from being created.
function late(subject: Subject, sinceMs: f64): void {
  const waitedMs = subject.ago(sinceMs);
  if (!(waitedMs >= LATE_MS)) return;
  const to = subject.conclude(STUCK, "NoPods", subject.to.evidence);
  to.sinceMs = sinceMs;
  to.nextMs = NaN;
  saySpan("; none was created for ", waitedMs, "");
  say(", and the Events of the Job may say why: a quota, a webhook, a missing service account");
}

// The latest time in the Job's own fields.
function lastChangeMs(subject: Subject): f64 {
  let lastMs = timeOf(subject.status, "startTime");
  const createdAtMs = createdMs(subject.metadata);
  if (!(createdAtMs < lastMs)) lastMs = createdAtMs;
  const conditions = subject.status.list("conditions");
  if (conditions === null) return lastMs;
  for (let condition = conditions.first; condition !== null; condition = after(condition)) {
    const changedMs = timeOf(condition, "lastTransitionTime");
    if (changedMs > lastMs) lastMs = changedMs;
  }
  return lastMs;
}

// Whether pods that are being deleted hold back their successors.
function waitsForTermination(subject: Subject): bool {
  return subject.spec.string("podReplacementPolicy") == FAILED;
}

function overdue(subject: Subject): bool {
  const pods = subject.pods;
  return pods !== null && pods.overdue !== null;
}

// A pod outlives its grace period: perhaps the kubelet of its node no longer answers.
function waitsForOverdue(subject: Subject): Judgement {
  const pod = subject.pods!.overdue!;
  const metadata = objectOf(pod, "metadata")!;
  const to = subject.conclude(STUCK, "PodsTerminating", metadata.pathOf("deletionTimestamp"));
  to.message = "the grace period of pod " + stringOf(metadata, "name") + " is over, and it is still there";
  to.sinceMs = timeOf(metadata, "deletionTimestamp");
  say("; ");
  quoteText(to.message);
  return to;
}

// `2 active, 1 ready, 3 of 5 succeeded, 1 failed`
function sayCounts(subject: Subject): void {
  const pods = subject.pods;
  sayNumber(subject.active, " active");
  sayCount(pods === null ? subject.count("ready") : pods.ready, " ready");
  sayCount(subject.terminating, " terminating");
  const completions = subject.spec.integer("completions");
  say(", ");
  sayNumber(subject.count("succeeded"), completions == ABSENT ? " succeeded" : " of ");
  if (completions != ABSENT) sayNumber(completions, " succeeded");
  sayCount(subject.failed, " failed");
}
