/**
 * What the pods of a Job say: how many are active, what those wait for that do not run, and which have failed. Source:
 * docs/spec/controller.md 3.1, 3.2. Pods of another controller do not count: an earlier Job of the same name has left
 * them. Invariant: pods alone never decide whether a Job has ended.
 */
import { conditionStatus, findCondition } from "../admission/conditions";
import { timeOf } from "../admission/status-facts";
import { after, JsonNode, listOf, objectOf, stringOf } from "../json/tree";
import {
  backoffMs,
  CONTAINER_BACKOFF_BASE_MS,
  CONTAINER_BACKOFF_MAX_MS,
  GROWN_BACKOFF_FAILURES,
} from "../model/backoff";

/** A pod that exists this long after its grace period stays until a person intervenes. */
export const OVERDUE_MS: f64 = 60000;

const CONTAINER_LISTS: StaticArray<string> = ["initContainerStatuses", "containerStatuses"];

/** The pods of one Job. */
export class PodTally {
  active: i32 = 0;
  ready: i32 = 0;
  terminating: i32 = 0;
  /** Active pods that cannot run before something changes, without those of `crashing`. */
  troubled: i32 = 0;
  /** Active pods with a container that the kubelet starts again after a wait. */
  crashing: i32 = 0;
  /** The oldest pod of `troubled`, and what it waits for: a condition, or the state of a container. */
  stuckPod: JsonNode | null = null;
  trouble: JsonNode | null = null;
  /** The first pod of `crashing` that is tried again. */
  crash: JsonNode | null = null;
  restartMs: f64 = NaN;
  /** A pod whose grace period has been over for long. */
  overdue: JsonNode | null = null;
  failed: JsonNode[] = [];
  succeeded: JsonNode[] = [];
  running: JsonNode[] = [];
}

/** `onlyReplaceFailed`: a pod that is being deleted has not failed yet. */
export function tallyPods(pods: JsonNode, jobUid: string, onlyReplaceFailed: bool, nowMs: f64): PodTally {
  const tally = new PodTally();
  for (let pod = pods.first; pod !== null; pod = after(pod)) {
    const metadata = pod.object("metadata");
    if (isForeign(metadata, jobUid)) continue;
    const status = pod.object("status");
    const phase = stringOf(status, "phase");
    if (phase == "Succeeded") tally.succeeded.push(pod);
    else if (phase == "Failed") tally.failed.push(pod);
    else if (metadata !== null && metadata.has("deletionTimestamp")) {
      ++tally.terminating;
      if (timeOf(metadata, "deletionTimestamp") + OVERDUE_MS < nowMs) tally.overdue = pod;
      if (!onlyReplaceFailed) tally.failed.push(pod);
    } else addActive(tally, pod, status);
  }
  return tally;
}

/** When the pod ended; NaN: nothing says so. */
export function finishMs(pod: JsonNode): f64 {
  const status = pod.object("status");
  if (status !== null) {
    const containersMs = terminatedMs(status);
    if (!isNaN(containersMs)) return containersMs;
    const ready = findCondition(status, "Ready");
    if (ready !== null && ready.string("status") == "False") {
      const sinceMs = timeOf(ready, "lastTransitionTime");
      if (!isNaN(sinceMs)) return sinceMs;
    }
  }
  const metadata = pod.object("metadata");
  return metadata === null ? NaN : metadata.has("deletionTimestamp") ? deletionAskedMs(metadata) : createdMs(metadata);
}

/** When the deletion of an object was asked for; NaN: it was not. */
export function deletionAskedMs(metadata: JsonNode): f64 {
  const graceSeconds = metadata.integer("deletionGracePeriodSeconds");
  return timeOf(metadata, "deletionTimestamp") - f64(max<i64>(0, graceSeconds)) * 1000;
}

/** When an object was created; NaN: it was not yet. */
export function createdMs(metadata: JsonNode | null): f64 {
  return metadata === null ? NaN : timeOf(metadata, "creationTimestamp");
}

function addActive(tally: PodTally, pod: JsonNode, status: JsonNode | null): void {
  ++tally.active;
  tally.running.push(pod);
  if (status === null) return;
  if (conditionStatus(status, "Ready") == "True") ++tally.ready;
  const trouble = troubleOf(status);
  if (trouble === null) return;
  if (trouble.string("reason") == "CrashLoopBackOff") {
    ++tally.crashing;
    const restartMs = restartOf(trouble);
    if (tally.crash !== null && !(restartMs < tally.restartMs)) return;
    tally.crash = trouble;
    tally.restartMs = restartMs;
    return;
  }
  ++tally.troubled;
  const oldest = tally.stuckPod;
  if (oldest !== null && !(createdMs(pod.object("metadata")) < createdMs(oldest.object("metadata")))) return;
  tally.stuckPod = pod;
  tally.trouble = trouble;
}

/** Whether another controller than the Job owns the pod. */
export function isForeign(metadata: JsonNode | null, jobUid: string): bool {
  const owners = listOf(metadata, "ownerReferences");
  if (owners === null || jobUid.length == 0) return false;
  for (let owner = owners.first; owner !== null; owner = after(owner)) {
    if (owner.boolean("controller")) return owner.string("uid") != jobUid;
  }
  return false;
}

// Why the pod cannot run: scheduler and kubelet give a reason. A container that the kubelet restarts is reported only
// if no other container has trouble.
function troubleOf(status: JsonNode): JsonNode | null {
  const scheduled = findCondition(status, "PodScheduled");
  if (scheduled !== null && scheduled.string("status") == "False" && scheduled.has("reason")) return scheduled;
  let found: JsonNode | null = null;
  for (let i = 0; i < CONTAINER_LISTS.length; i++) {
    const containers = status.list(CONTAINER_LISTS[i]);
    if (containers === null) continue;
    for (let container = containers.first; container !== null; container = after(container)) {
      const waiting = objectOf(container.object("state"), "waiting");
      const reason = stringOf(waiting, "reason");
      if (reason.length == 0 || reason == "ContainerCreating" || reason == "PodInitializing") continue;
      if (reason != "CrashLoopBackOff") return waiting;
      if (found === null) found = waiting;
    }
  }
  return found;
}

// When the kubelet starts the container again at the latest; NaN: nothing says when it ended.
function restartOf(waiting: JsonNode): f64 {
  const container = waiting.parent!.parent!;
  const ended = objectOf(container.object("lastState"), "terminated");
  const restarts = i32(min(max<i64>(container.integer("restartCount"), 0), i64(GROWN_BACKOFF_FAILURES)));
  const waitMs = backoffMs(restarts, CONTAINER_BACKOFF_BASE_MS, CONTAINER_BACKOFF_MAX_MS);
  return ended === null ? NaN : timeOf(ended, "finishedAt") + waitMs;
}

// When the last container ended; NaN: one has not, or has no time. Sidecars count, other init containers do not.
function terminatedMs(status: JsonNode): f64 {
  let latestMs = latestEnd(status.list("containerStatuses"), null);
  const inits = listOf(status.parent!.object("spec"), "initContainers");
  if (inits === null) return latestMs;
  for (let init = inits.first; init !== null; init = after(init)) {
    if (init.string("restartPolicy") != "Always") continue;
    const endMs = latestEnd(status.list("initContainerStatuses"), init);
    if (isNaN(endMs)) return NaN;
    if (!(endMs < latestMs)) latestMs = endMs;
  }
  return latestMs;
}

// The latest end of these containers, or only of that with the name of `named`. NaN: none, or one has not ended.
function latestEnd(statuses: JsonNode | null, named: JsonNode | null): f64 {
  let latestMs: f64 = NaN;
  if (statuses === null) return NaN;
  for (let container = statuses.first; container !== null; container = after(container)) {
    if (named !== null && container.string("name") != named.string("name")) continue;
    const terminated = objectOf(container.object("state"), "terminated");
    const endMs = terminated === null ? NaN : timeOf(terminated, "finishedAt");
    if (isNaN(endMs)) return NaN;
    if (!(endMs < latestMs)) latestMs = endMs;
  }
  return latestMs;
}
