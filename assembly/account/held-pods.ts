/**
 * What holds the pods of a Job: those without a node, those whose containers cannot start, those that run on after
 * their work, and those that are being ended. Invariant: pods that are held by the same are one hold.
 */
import { conditionStatus, findCondition } from "../admission/conditions";
import { timeOf } from "../admission/status-facts";
import { joined } from "../json/text";
import { after, firstOf, JsonNode, listOf, objectOf, stringOf } from "../json/tree";
import { isStartedAgain } from "../lint/restarts";
import { managerOf } from "../verdict/judge";
import { createdMs, OVERDUE_MS } from "../verdict/pod-tally";
import { Attempt } from "./attempt";
import { Container, isWorkOver } from "./containers";
import { Hold } from "./hold";
import { Events, lastMs, messageOf } from "./pod-events";

/** A pod whose containers have ended for this long, but for some, is held by those. */
const KEPT_MS: f64 = 60000;
/** Pods of a Job are alike, so there are few kinds of holds; this bounds the search among them. */
const MAX_FOUND: i32 = 32;
/** A scheduler looks at a new pod within seconds. */
const UNSEEN_MS: f64 = 60000;
/** That of a pod that names none. */
export const DEFAULT_SCHEDULER = "default-scheduler";
/** How the finalizer of a Job controller is named, if it is not told otherwise, whatever its domain. */
const TRACKING = "/job-tracking";
/** States on the way to a start. */
const STARTING: StaticArray<string> = ["ContainerCreating", "PodInitializing"];
/** Reasons of Events about pods whose volumes or network are not there. */
const SETUP_FAILURES: StaticArray<string> = [
  "FailedMount",
  "FailedAttachVolume",
  "FailedMapVolume",
  "FailedCreatePodSandBox",
  "FailedPrepareDynamicResources",
  "NetworkNotReady",
];
/** Reasons of Events that come when they are. */
const AFTER_SETUP: StaticArray<string> = ["Pulling", "Pulled", "Created", "Started"];

/** The holds of pods, in the order in which they were found. */
export class HeldPods {
  readonly found: Hold[] = [];
  private readonly events: Events;
  private readonly nowMs: f64;
  private readonly jobSpec: JsonNode | null;

  constructor(events: Events, nowMs: f64, jobSpec: JsonNode | null) {
    this.events = events;
    this.nowMs = nowMs;
    this.jobSpec = jobSpec;
  }

  /** Adds a pod of the Job, if something holds it. */
  add(attempt: Attempt): void {
    if (attempt.isOver) return;
    if (attempt.isDeleted) return this.addEnding(attempt);
    const status = attempt.status;
    if (status === null) return;
    const scheduled = findCondition(status, "PodScheduled");
    if (scheduled !== null && scheduled.string("status") == "False" && scheduled.has("reason"))
      return this.addUnscheduled(attempt, scheduled);
    // A kubelet that has written of its containers has the pod.
    const isUnseen = attempt.phase == "Pending" && scheduled === null && attempt.containers.length == 0;
    if (isUnseen && attempt.node.length == 0) return this.addUnseen(attempt);
    if (!this.addWaiting(attempt) && !this.addSetup(attempt)) this.addKept(attempt);
  }

  private addUnscheduled(attempt: Attempt, scheduled: JsonNode): void {
    const reason = scheduled.string("reason");
    const message = scheduled.string("message");
    const sinceMs = timeOf(scheduled, "lastTransitionTime");
    const group = stringOf(objectOf(attempt.spec, "schedulingGroup"), "podGroupName");
    if (reason == "SchedulingGated")
      this.count(attempt, "SchedulingGated", gatesOf(attempt.spec), reason, message, sinceMs);
    else if (group.length > 0) this.count(attempt, "GangUnscheduled", group, reason, message, sinceMs);
    else this.count(attempt, "Unschedulable", "", reason, message, sinceMs);
  }

  // No scheduler has written a condition: the one of the pod does not run.
  private addUnseen(attempt: Attempt): void {
    const sinceMs = createdMs(attempt.metadata);
    if (!(this.nowMs - sinceMs >= UNSEEN_MS)) return;
    // The pods of a group are looked at when there are enough of them.
    const group = stringOf(objectOf(attempt.spec, "schedulingGroup"), "podGroupName");
    if (group.length > 0) return this.count(attempt, "GangUnscheduled", group, "", "", sinceMs);
    const name = stringOf(attempt.spec, "schedulerName");
    this.count(attempt, "NoScheduler", name.length > 0 ? name : DEFAULT_SCHEDULER, "", "", sinceMs);
  }

  // Whether a container waits for more than its start.
  private addWaiting(attempt: Attempt): bool {
    let restarted: Container | null = null;
    const containers = attempt.containers;
    for (let i = 0; i < containers.length; i++) {
      const waiting = objectOf(containers[i].status.object("state"), "waiting");
      const reason = stringOf(waiting, "reason");
      if (reason.length == 0 || STARTING.includes(reason)) continue;
      if (reason == "CrashLoopBackOff") {
        if (restarted === null) restarted = containers[i];
        continue;
      }
      const message = stringOf(waiting, "message");
      this.count(attempt, "CannotStart", containers[i].name, reason, message, createdMs(attempt.metadata));
      return true;
    }
    if (restarted === null) return false;
    const waiting = restarted.status.object("state")!.object("waiting")!;
    const end = restarted.lastEnd;
    const sinceMs = end === null ? NaN : timeOf(end, "finishedAt");
    this.count(attempt, "CrashLoopBackOff", restarted.name, "CrashLoopBackOff", waiting.string("message"), sinceMs);
    return true;
  }

  // Whether the kubelet cannot set the pod up: the last Event about that, as long as no container has run.
  private addSetup(attempt: Attempt): bool {
    if (attempt.hasRun || attempt.node.length == 0) return false;
    const status = attempt.status;
    if (status !== null && conditionStatus(status, "PodReadyToStartContainers") == "True") return false;
    const events = this.events.of("Pod", attempt.metadata);
    let last: JsonNode | null = null;
    let setUpMs: f64 = -Infinity;
    for (let i = 0; i < events.length; i++) {
      const reason = events[i].string("reason");
      if (AFTER_SETUP.includes(reason)) setUpMs = max(setUpMs, lastMs(events[i]));
      if (!SETUP_FAILURES.includes(reason)) continue;
      if (last === null || !(lastMs(events[i]) < lastMs(last))) last = events[i];
    }
    if (last === null || lastMs(last) <= setUpMs) return false;
    this.count(attempt, "CannotStart", "", last.string("reason"), messageOf(last), createdMs(attempt.metadata));
    return true;
  }

  // The containers that run on, or are started again, after the others have ended.
  private addKept(attempt: Attempt): void {
    const containers = attempt.containers;
    const names = new Array<string>();
    let endedMs: f64 = NaN;
    let areHelpers = true;
    for (let i = 0; i < containers.length; i++) {
      if (containers[i].isInit) continue;
      const end = containers[i].end;
      if (end === null || containers[i].isHelper) {
        names.push(containers[i].name);
        if (!containers[i].isHelper) areHelpers = false;
      } else if (isStartedAgain(attempt.spec, containers[i].spec, end.integer("exitCode"))) {
        return;
      } else if (!(timeOf(end, "finishedAt") < endedMs)) endedMs = timeOf(end, "finishedAt");
    }
    if (names.length == 0 || isNaN(endedMs)) return;
    const isForever = areHelpers && isWorkOver(containers, attempt.spec);
    if (!isForever && this.nowMs - endedMs < KEPT_MS) return;
    const reason = isForever ? "RestartPolicyAlways" : "";
    this.count(attempt, "KeptByContainer", joined(names, ", "), reason, "", endedMs);
  }

  /** Adds a deleted pod that has ended, if another finalizer keeps it. It holds the deletion of its Job alone. */
  addKeptByFinalizer(attempt: Attempt): void {
    const metadata = attempt.metadata;
    if (metadata === null || !attempt.isOver || !attempt.isDeleted) return;
    const by = this.keeperOf(metadata);
    if (by.length > 0) this.count(attempt, "Terminating", by, "Kept", "", timeOf(metadata, "deletionTimestamp"));
  }

  // A pod that is being ended: another finalizer keeps it, or its containers have not ended yet.
  private addEnding(attempt: Attempt): void {
    const metadata = attempt.metadata!;
    const dueMs = timeOf(metadata, "deletionTimestamp");
    const by = this.keeperOf(metadata);
    const isLate = dueMs + OVERDUE_MS < this.nowMs;
    const reason = by.length > 0 ? "Finalizer" : isLate ? "Overdue" : "GracePeriod";
    this.count(attempt, "Terminating", by, reason, "", dueMs);
  }

  // The first finalizer that is none of a Job controller; "": none is known to be that. The controller that
  // spec.managedBy names may give any name to its own, which pods do not have from their template.
  private keeperOf(metadata: JsonNode): string {
    const template = objectOf(objectOf(this.jobSpec, "template"), "metadata");
    const isNamed = managerOf(this.jobSpec).length == 0;
    for (let name = firstOf(metadata.list("finalizers")); name !== null; name = after(name)) {
      const text = name.asString();
      if (!text.endsWith(TRACKING) && (isNamed || hasFinalizer(template, text))) return text;
    }
    return "";
  }

  private count(attempt: Attempt, code: string, by: string, reason: string, message: string, sinceMs: f64): void {
    let hold: Hold | null = null;
    for (let i = 0; i < this.found.length && hold === null; i++) {
      const other = this.found[i];
      if (other.code == code && other.by == by && other.reason == reason) hold = other;
    }
    if (hold === null) {
      if (this.found.length == MAX_FOUND) return;
      hold = new Hold(code, by);
      hold.reason = reason;
      this.found.push(hold);
    }
    hold.add(attempt.name, attempt.node, sinceMs, message);
  }
}

function hasFinalizer(metadata: JsonNode | null, finalizer: string): bool {
  for (let name = firstOf(listOf(metadata, "finalizers")); name !== null; name = after(name))
    if (name.asString() == finalizer) return true;
  return false;
}

function gatesOf(spec: JsonNode | null): string {
  const names = new Array<string>();
  for (let gate = firstOf(listOf(spec, "schedulingGates")); gate !== null; gate = after(gate))
    names.push(gate.string("name"));
  return joined(names, ", ");
}
