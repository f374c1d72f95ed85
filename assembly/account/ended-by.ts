/**
 * Who or what ended a pod: the codes of ABI.md, "account", and how they are derived from the pod, its Job and their
 * Events. A code is given only for what proves it; else it is Unknown.
 *
 * Source: the reasons of the condition DisruptionTarget (docs/spec/api.md 5), the kubelet's reasons for a failed pod,
 * and the Events of kubelet and controllers.
 */
import { findCondition } from "../admission/conditions";
import { timeOf } from "../admission/status-facts";
import { ABSENT, after, firstOf, JsonNode, listOf, objectOf, stringOf } from "../json/tree";
import { deletionAskedMs } from "../verdict/pod-tally";
import { Attempt } from "./attempt";
import { ContainerEnd } from "./containers";
import { Events, isCombined, lastMs, messageOf, relatedName } from "./pod-events";

export const UNKNOWN = "Unknown";
const COMPLETED = "Completed";
const EXITED = "Exited";
const OUT_OF_MEMORY = "OutOfMemory";
const CANNOT_START = "CannotStart";
const LIVENESS_PROBE = "LivenessProbe";
const STARTUP_PROBE = "StartupProbe";
const KUBELET_EVICTION = "KubeletEviction";
const KUBELET_PREEMPTION = "KubeletPreemption";
const NODE_SHUTDOWN = "NodeShutdown";
const NODE_LOST = "NodeLost";
const NODE_REJECTED = "NodeRejected";
const PREEMPTED = "Preempted";
const TAINT_EVICTION = "TaintEviction";
const API_EVICTION = "ApiEviction";
const POD_DEADLINE = "PodDeadline";
const JOB_DEADLINE = "JobDeadline";
const FAILURE_POLICY = "FailurePolicy";
const JOB_END = "JobEnd";
const JOB_DELETED = "JobDeleted";
const SUSPENDED = "Suspended";
const SCALED_DOWN = "ScaledDown";
const DELETED = "Deleted";

/** The controller deletes pods and writes the condition of the Job in one sync; times have whole seconds. */
const SAME_SYNC_MS: f64 = 10000;
/** By so much two times of the same moment may differ, of one clock. */
const ROUNDING_MS: f64 = 1000;
/** The kubelet kills a container within its grace period, and does what follows; this is the slack beyond it. */
const KILL_SLACK_MS: f64 = 5000;
const DEFAULT_GRACE_SECONDS: i64 = 30;

/** Who or what ended a pod, or a container of it that was started again. */
export class EndedBy {
  code: string;
  /** The other object or resource: the pod that preempted it, the resource that was low; "": not known, or none. */
  by: string;

  constructor(code: string, by: string = "") {
    this.code = code;
    this.by = by;
  }

  /** Whether it counts as a failure: the Job controller did not end it, and it did not succeed. */
  get isFailure(): bool {
    const code = this.code;
    if (code == COMPLETED || code == JOB_DEADLINE || code == FAILURE_POLICY || code == JOB_END) return false;
    return code != JOB_DELETED && code != SUSPENDED && code != SCALED_DOWN;
  }
}

/** Null: nothing has ended the pod yet. */
export function whoEnded(attempt: Attempt, job: JsonNode, events: Events): EndedBy | null {
  if (attempt.phase == "Failed") {
    const byKubelet = kubeletsReason(attempt);
    if (byKubelet !== null) return byKubelet;
  }
  const disruption = attempt.disruption;
  const isOver = attempt.isOver;
  if ((disruption !== null || attempt.isDeleted) && !hasEndedBefore(attempt, events)) {
    if (disruption === null) return deletedBy(attempt, job, events);
    if (attempt.isDeleted || (isOver && isByNode(disruption))) return disruptedBy(attempt, disruption, events);
  }
  if (attempt.failure !== null) return containerEnd(attempt, attempt.failure!, events);
  if (!isOver) return null;
  if (attempt.phase == "Failed") return new EndedBy(UNKNOWN);
  const killed = killedWell(attempt, events);
  return killed === null ? new EndedBy(COMPLETED) : killed;
}

// Whether the pod had ended by itself when it was disrupted or deleted. A program that exits at once on SIGTERM ends in
// the same second; of one that has succeeded in that second only the Event of the kubelet shows that it got the signal.
function hasEndedBefore(attempt: Attempt, events: Events): bool {
  const disruption = attempt.disruption;
  const stopMs = firstStopMs(attempt, events);
  const atMs = disruption !== null ? timeOf(disruption, "lastTransitionTime") : podDeletionMs(attempt, stopMs);
  if (attempt.phase == "Succeeded") return isNaN(stopMs) && !(attempt.endMs > atMs);
  const failure = attempt.failure;
  if (failure === null || !isNaN(stopMsOf(attempt, failure, events))) return false;
  // The clock of a node may be behind, and a signal is rather an effect of the deletion.
  return isNaN(atMs) || failure.atMs < atMs - (failure.isSignalled ? KILL_SLACK_MS : 0);
}

// When the deletion of the pod was asked for. The kubelet asks for the last one, without a period, when the containers
// have ended: the timestamp then tells of that, and an earlier time is known from its Events alone.
function podDeletionMs(attempt: Attempt, stopMs: f64): f64 {
  const metadata = attempt.metadata!;
  const askedMs = deletionAskedMs(metadata);
  return metadata.integer("deletionGracePeriodSeconds") <= 0 && stopMs < askedMs ? stopMs : askedMs;
}

// When the kubelet first stopped a container that does the work of the pod; NaN: no Event says so.
function firstStopMs(attempt: Attempt, events: Events): f64 {
  let first: f64 = NaN;
  const containers = attempt.containers;
  for (let i = 0; i < containers.length; i++) {
    const end = containers[i].end;
    if (end === null || containers[i].isHelper) continue;
    const stopMs = stopMsOf(attempt, new ContainerEnd(containers[i], end), events);
    if (!(stopMs >= first)) first = isNaN(stopMs) ? first : stopMs;
  }
  return first;
}

// When the kubelet stopped this start of a container, with its pod; NaN: no Event says so.
function stopMsOf(attempt: Attempt, end: ContainerEnd, events: Events): f64 {
  const startedMs = timeOf(end.terminated, "startedAt");
  const found = events.of("Pod", attempt.metadata);
  if (found.length == 0) return NaN;
  const message = "Stopping container " + end.container.name;
  for (let i = 0; i < found.length; i++) {
    if (found[i].string("reason") != "Killing" || messageOf(found[i]) != message) continue;
    const atMs = lastMs(found[i]);
    if (!(atMs < startedMs) && atMs <= end.atMs) return atMs;
  }
  return NaN;
}

// Whether the pod ends by the disruption without being deleted first. The others delete it, and a pod whose deletion
// failed keeps their condition.
function isByNode(disruption: JsonNode): bool {
  const reason = disruption.string("reason");
  return reason == "DeletionByPodGC" || reason == "TerminationByKubelet";
}

// The probe for which the kubelet stopped a container that then ended with exit code 0; null: there was none.
function killedWell(attempt: Attempt, events: Events): EndedBy | null {
  const containers = attempt.containers;
  for (let i = 0; i < containers.length; i++) {
    const end = containers[i].end;
    if (end === null || containers[i].isHelper) continue;
    const probe = failedProbe(attempt, new ContainerEnd(containers[i], end), events);
    if (probe.length > 0) return new EndedBy(probe, containers[i].name);
  }
  return null;
}

// The reason of a pod that failed as a whole.
function kubeletsReason(attempt: Attempt): EndedBy | null {
  const reason = attempt.reason;
  if (reason.length == 0) return null;
  if (reason == "DeadlineExceeded") return new EndedBy(POD_DEADLINE);
  if (reason == "Preempting") return new EndedBy(KUBELET_PREEMPTION);
  if (reason == "NodeLost") return new EndedBy(NODE_LOST, attempt.node);
  if (reason == "NodeShutdown" || reason == "Terminated" || reason == "Shutdown")
    return new EndedBy(NODE_SHUTDOWN, attempt.node);
  if (reason == "Evicted" && !attempt.message.includes("The node had condition"))
    return new EndedBy(KUBELET_EVICTION, resourceIn(attempt.message));
  return attempt.hasRun ? null : new EndedBy(NODE_REJECTED, reason);
}

// The resource that an eviction by the kubelet names; "": none.
function resourceIn(message: string): string {
  const low = "low on resource: ";
  const at = message.indexOf(low);
  if (at >= 0) {
    const from = at + low.length;
    const end = message.indexOf(".", from);
    return message.substring(from, end < 0 ? message.length : end);
  }
  return message.includes("ephemeral") ? "ephemeral-storage" : "";
}

function containerEnd(attempt: Attempt, end: ContainerEnd, events: Events): EndedBy {
  const reason = end.reason;
  const name = end.container.name;
  if (reason == "OOMKilled") return new EndedBy(OUT_OF_MEMORY, name);
  if (reason == "ContainerStatusUnknown") return new EndedBy(UNKNOWN);
  if (reason == "StartError" || reason == "ContainerCannotRun") return new EndedBy(CANNOT_START, name);
  const probe = failedProbe(attempt, end, events);
  if (probe.length > 0) return new EndedBy(probe, name);
  return end.isSignalled || mayBeStopped(attempt, end, events) ? new EndedBy(UNKNOWN) : new EndedBy(EXITED, name);
}

// Whether nothing tells if the program exited by itself, or because the pod was deleted: without Events the last
// deletion alone is known, for which the kubelet asks within seconds.
function mayBeStopped(attempt: Attempt, end: ContainerEnd, events: Events): bool {
  const metadata = attempt.metadata;
  if (metadata === null || attempt.disruption !== null || !attempt.isDeleted) return false;
  if (metadata.integer("deletionGracePeriodSeconds") > 0 || events.of("Pod", metadata).length > 0) return false;
  return end.atMs >= deletionAskedMs(metadata) - KILL_SLACK_MS;
}

// The probe for which the kubelet killed the container; "": it killed it for none.
function failedProbe(attempt: Attempt, end: ContainerEnd, events: Events): string {
  const startedMs = timeOf(end.terminated, "startedAt");
  const found = events.of("Pod", attempt.metadata);
  if (found.length == 0) return "";
  const begins = "Container " + end.container.name + " failed ";
  for (let i = 0; i < found.length; i++) {
    if (found[i].string("reason") != "Killing") continue;
    const message = messageOf(found[i]);
    if (!message.startsWith(begins)) continue;
    const isLiveness = message.startsWith("liveness probe", begins.length);
    if (!isLiveness && !message.startsWith("startup probe", begins.length)) continue;
    const killedMs = lastMs(found[i]);
    // It killed an earlier start of the container.
    if (killedMs < startedMs) continue;
    const beforeMs = end.atMs - killedMs;
    const graceMs = probeGraceMs(attempt, end, isLiveness ? "livenessProbe" : "startupProbe");
    if (beforeMs >= -KILL_SLACK_MS && beforeMs <= graceMs + KILL_SLACK_MS)
      return isLiveness ? LIVENESS_PROBE : STARTUP_PROBE;
  }
  return "";
}

// For how long the container may run on when this probe has failed: the time of the probe, or else of the pod.
function probeGraceMs(attempt: Attempt, end: ContainerEnd, probe: string): f64 {
  const ofProbe = graceSeconds(objectOf(end.container.spec, probe));
  const grace = ofProbe != ABSENT ? ofProbe : graceSeconds(attempt.spec);
  return f64(grace != ABSENT ? grace : DEFAULT_GRACE_SECONDS) * 1000;
}

function graceSeconds(owner: JsonNode | null): i64 {
  const seconds = owner === null ? ABSENT : owner.integer("terminationGracePeriodSeconds");
  return seconds < 0 ? ABSENT : seconds;
}

function disruptedBy(attempt: Attempt, condition: JsonNode, events: Events): EndedBy {
  const reason = condition.string("reason");
  if (reason == "PreemptionByScheduler") return new EndedBy(PREEMPTED, preemptorOf(attempt, events));
  if (reason == "DeletionByTaintManager") return new EndedBy(TAINT_EVICTION, attempt.node);
  if (reason == "EvictionByEvictionAPI") return new EndedBy(API_EVICTION);
  if (reason == "DeletionByPodGC") return new EndedBy(NODE_LOST, attempt.node);
  if (reason == "TerminationByKubelet") return new EndedBy(NODE_SHUTDOWN, attempt.node);
  return new EndedBy(UNKNOWN);
}

// The pod for which the scheduler made room: its name, or else the UID that the message names.
function preemptorOf(attempt: Attempt, events: Events): string {
  const found = events.of("Pod", attempt.metadata);
  const begins = "Preempted by pod ";
  for (let i = 0; i < found.length; i++) {
    if (found[i].string("reason") != "Preempted") continue;
    const name = relatedName(found[i]);
    if (name.length > 0) return name;
    const message = messageOf(found[i]);
    if (!message.startsWith(begins)) continue;
    const end = message.indexOf(" ", begins.length);
    return message.substring(begins.length, end < 0 ? message.length : end);
  }
  return "";
}

// Who deleted a pod that no disruption ended: the end or the suspension of its Job, as far as the times fit.
function deletedBy(attempt: Attempt, job: JsonNode, events: Events): EndedBy {
  const metadata = job.object("metadata");
  const atMs = podDeletionMs(attempt, firstStopMs(attempt, events));
  const status = job.object("status");
  const end = firstEnd(status);
  const ofJob = events.of("Job", metadata);
  const isOurs = namedBy(attempt, ofJob) !== null;
  if (end !== null) {
    const decidedMs = timeOf(end, "lastTransitionTime");
    if (isByEnd(attempt, atMs, decidedMs, ofJob)) {
      const reason = end.string("reason");
      if (reason == "DeadlineExceeded") return new EndedBy(JOB_DEADLINE);
      return new EndedBy(reason == "PodFailurePolicy" ? FAILURE_POLICY : JOB_END, reason);
    }
    if (isOurs && isJustBefore(attempt, ofJob, decidedMs)) return new EndedBy(UNKNOWN);
    const isBefore = attempt.endMs == decidedMs || atMs < decidedMs - ROUNDING_MS;
    if (ofJob.length == 0 && atMs >= decidedMs - SAME_SYNC_MS && !(attempt.endMs < decidedMs) && isBefore)
      return new EndedBy(UNKNOWN);
  }
  const suspended: JsonNode | null = status === null ? null : findCondition(status, "Suspended");
  if (suspended !== null) {
    const sinceMs = timeOf(suspended, "lastTransitionTime");
    const isNow = suspended.string("status") == "True";
    if (isNow && isByController(attempt, isOurs, atMs, sinceMs, ofJob)) return new EndedBy(SUSPENDED);
    // The controller deleted it for a suspension that is over, or before this one for fewer pods.
    if (isOurs && atMs < sinceMs) return new EndedBy(UNKNOWN);
  }
  if (isOurs) return new EndedBy(SCALED_DOWN);
  const isWithJob = metadata !== null && metadata.has("deletionTimestamp");
  if (isWithJob && atMs >= deletionAskedMs(metadata!) - SAME_SYNC_MS) return new EndedBy(JOB_DELETED);
  return new EndedBy(DELETED);
}

// Whether the controller said so within the time of a sync before it decided the end: for fewer pods; or in an earlier
// try to end the Job, which it decides again when a deletion has failed.
function isJustBefore(attempt: Attempt, ofJob: JsonNode[], decidedMs: f64): bool {
  const saidMs = lastMs(namedBy(attempt, ofJob)!);
  return saidMs < decidedMs && saidMs >= decidedMs - SAME_SYNC_MS;
}

// Whether the Job controller deleted the pod because it had decided the end of the Job. It decides first and deletes
// then, and its Event has the time of the clock that the condition has. The time of the deletion is the API server's,
// whose clock may be another one: without Events a deletion before that end may also have been its cause.
function isByEnd(attempt: Attempt, atMs: f64, decidedMs: f64, ofJob: JsonNode[]): bool {
  const event = namedBy(attempt, ofJob);
  const saidMs = event === null ? NaN : lastMs(event);
  if (!isNaN(saidMs)) return saidMs >= decidedMs;
  if (ofJob.length == 0 && atMs < decidedMs - ROUNDING_MS) return false;
  return isByController(attempt, event !== null, atMs, decidedMs, ofJob);
}

// Whether the Job controller deleted the pod when it decided the end or the suspension of the Job. It deletes the pods
// that are active then: none that was over before, nor one that is deleted already. Within a second only the Event
// about the deletion tells, and of many deletions the controller combines the Events. Without Events a pod that was
// over in that second may be the cause.
function isByController(attempt: Attempt, isNamed: bool, atMs: f64, decidedMs: f64, ofJob: JsonNode[]): bool {
  if (atMs < decidedMs - SAME_SYNC_MS) return false;
  if (isNamed) return true;
  if (attempt.endMs < decidedMs) return false;
  if (atMs > decidedMs || hasCombined(ofJob)) return true;
  return ofJob.length == 0 && attempt.endMs != decidedMs;
}

// Whether the controller has deleted so many pods that Events do not name each.
function hasCombined(events: JsonNode[]): bool {
  for (let i = 0; i < events.length; i++) {
    if (isCombined(events[i]) && events[i].string("reason") == "SuccessfulDelete") return true;
  }
  return false;
}

// The first condition that decided the end of the Job.
function firstEnd(status: JsonNode | null): JsonNode | null {
  const conditions = listOf(status, "conditions");
  for (let condition = firstOf(conditions); condition !== null; condition = after(condition)) {
    const type = condition.string("type");
    const isEnd = type == "FailureTarget" || type == "SuccessCriteriaMet" || type == "Failed" || type == "Complete";
    if (isEnd && condition.string("status") == "True") return condition;
  }
  return null;
}

// The Event by which the Job's controller says that it deleted the pod; null: there is none.
function namedBy(attempt: Attempt, events: JsonNode[]): JsonNode | null {
  const message = "Deleted pod: " + attempt.name;
  for (let i = 0; i < events.length; i++) {
    if (events[i].string("reason") == "SuccessfulDelete" && messageOf(events[i]) == message) return events[i];
  }
  return null;
}
