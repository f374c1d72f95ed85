/**
 * What holds a Job now, the most important first: its deletion, its suspension, a controller that does not run it; what
 * the API server refuses; what holds its pods; nodes that reject them; the wait before the next try. A Job that has
 * ended is held by what keeps it from being deleted alone.
 *
 * Invariant: a hold is named only for what the input shows. Source: docs/spec/controller.md 3, 5 and 8.
 */
import { conditionIsTrue } from "../admission/conditions";
import { timeOf } from "../admission/status-facts";
import { joined } from "../json/text";
import { ABSENT, after, firstOf, JsonNode, listOf, objectOf, stringOf } from "../json/tree";
import { Judgement } from "../verdict/judge";
import { deletionAskedMs } from "../verdict/pod-tally";
import { Attempt } from "./attempt";
import { EndedBy } from "./ended-by";
import { HeldPods } from "./held-pods";
import { Hold } from "./hold";
import { Events, lastMs, messageOf } from "./pod-events";

/** The most holds of a Job. */
const MAX_HOLDS: i32 = 8;
/** So many pods that a node has rejected in a row are no accident. */
const REJECTED_IN_A_ROW: i32 = 2;
/** The API server's name for a writer that does not say who it is. */
const UNKNOWN_MANAGER = "unknown";
const QUEUE_LABEL = "kueue.x-k8s.io/queue-name";
const CREATION_ERROR = "Error creating: ";
const BUILT_IN_MANAGER = "kubernetes.io/job-controller";

/** What the holds are found in. */
export class Held {
  job: JsonNode;
  /** What is known around it; null: nothing. */
  around: JsonNode | null;
  attempts: Attempt[];
  /** Who ended each attempt. */
  ends: (EndedBy | null)[];
  events: Events;
  judgement: Judgement;
  nowMs: f64;

  constructor(
    question: JsonNode,
    attempts: Attempt[],
    ends: (EndedBy | null)[],
    events: Events,
    judgement: Judgement,
    nowMs: f64,
  ) {
    this.job = question.object("job")!;
    this.around = question.object("around");
    this.attempts = attempts;
    this.ends = ends;
    this.events = events;
    this.judgement = judgement;
    this.nowMs = nowMs;
  }

  get metadata(): JsonNode | null {
    return this.job.object("metadata");
  }

  get spec(): JsonNode | null {
    return this.job.object("spec");
  }
}

/** What holds the Job. Empty: nothing does, as far as is known. */
export function holdsOf(held: Held): Hold[] {
  const found = new Array<Hold>();
  const deletion = deletionOf(held.metadata);
  if (deletion !== null) found.push(deletion);
  const pods = new HeldPods(held.events, held.nowMs, held.spec);
  for (let i = 0; i < held.attempts.length; i++) {
    if (!held.judgement.isFinished) pods.add(held.attempts[i]);
    if (deletion !== null) pods.addKeptByFinalizer(held.attempts[i]);
  }
  if (held.judgement.isFinished) {
    addAll(found, pods.found);
    return found.slice(0, MAX_HOLDS);
  }
  const stopped = stoppedBy(held);
  if (stopped !== null) found.push(stopped);
  const goesOn = deletion === null && stopped === null && held.judgement.decided.length == 0;
  if (goesOn) addRefusal(found, held);
  addAll(found, pods.found);
  if (goesOn) addRejection(found, held);
  if (found.length == 0) addWait(found, held);
  return found.slice(0, MAX_HOLDS);
}

// Pods that are being ended come last: the kubelet ends most of them in time.
function addAll(to: Hold[], holds: Hold[]): void {
  for (let i = 0; i < holds.length; i++) if (holds[i].code != "Terminating") to.push(holds[i]);
  for (let i = 0; i < holds.length; i++) if (holds[i].code == "Terminating") to.push(holds[i]);
}

function deletionOf(metadata: JsonNode | null): Hold | null {
  if (metadata === null || !metadata.has("deletionTimestamp")) return null;
  const names = new Array<string>();
  for (let name = firstOf(metadata.list("finalizers")); name !== null; name = after(name)) names.push(name.asString());
  const hold = new Hold("Deleting", joined(names, ", "));
  hold.sinceMs = deletionAskedMs(metadata);
  return hold;
}

// What keeps the controller from making any pod.
function stoppedBy(held: Held): Hold | null {
  const judgement = held.judgement;
  const spec = held.spec;
  if (judgement.reason == "NoController") {
    const hold = new Hold("NoController", judgement.message == BUILT_IN_MANAGER ? "" : judgement.message);
    hold.sinceMs = judgement.sinceMs;
    return hold;
  }
  if (judgement.verdict != "Suspended" || spec === null) return null;
  if (!spec.boolean("suspend")) return new Hold("ParallelismIsZero");
  const hold = suspensionOf(held);
  hold.sinceMs = judgement.sinceMs;
  return hold;
}

// Who suspends the Job: Kueue, whose label the Job has; the JobSet that owns it; or who has set the field last.
function suspensionOf(held: Held): Hold {
  const metadata = held.metadata;
  const queue = stringOf(objectOf(metadata, "labels"), QUEUE_LABEL);
  if (queue.length > 0 && !isAdmitted(held.around)) {
    const hold = new Hold("Suspended", queue);
    hold.reason = "Kueue";
    hold.message = workloadMessage(held.around);
    takePlaces(hold, objectOf(held.around, "pending"));
    return hold;
  }
  const owner = ownerOf(metadata);
  if (stringOf(owner, "kind") == "JobSet") {
    const hold = new Hold("Suspended", stringOf(owner, "name"));
    hold.reason = "JobSet";
    return hold;
  }
  return new Hold("Suspended", setterOf(metadata, "f:suspend"));
}

// Why Kueue does not admit its Workload; "": not known.
function workloadMessage(around: JsonNode | null): string {
  const conditions = listOf(workloadStatus(around), "conditions");
  for (let condition = firstOf(conditions); condition !== null; condition = after(condition)) {
    const type = condition.string("type");
    if ((type == "QuotaReserved" || type == "Admitted") && condition.string("status") == "False")
      return condition.string("message");
  }
  return "";
}

// Its places in the queues, which Kueue counts from 0.
function takePlaces(hold: Hold, pending: JsonNode | null): void {
  if (pending === null) return;
  hold.placeInQueue = max(0, pending.integer("positionInLocalQueue") + 1);
  hold.placeInClusterQueue = max(0, pending.integer("positionInClusterQueue") + 1);
}

// Whether Kueue has admitted it: then another writer suspends the Job.
function isAdmitted(around: JsonNode | null): bool {
  const status = workloadStatus(around);
  return status !== null && conditionIsTrue(status, "Admitted");
}

function workloadStatus(around: JsonNode | null): JsonNode | null {
  return objectOf(objectOf(around, "workload"), "status");
}

/** The controller that owns an object; null: none. */
export function ownerOf(metadata: JsonNode | null): JsonNode | null {
  for (let owner = firstOf(listOf(metadata, "ownerReferences")); owner !== null; owner = after(owner))
    if (owner.boolean("controller")) return owner;
  return null;
}

// The writer that has set a field of the spec last; "": not known.
function setterOf(metadata: JsonNode | null, field: string): string {
  let found: JsonNode | null = null;
  for (let entry = firstOf(listOf(metadata, "managedFields")); entry !== null; entry = after(entry)) {
    const spec = objectOf(entry.object("fieldsV1"), "f:spec");
    if (spec === null || !spec.has(field)) continue;
    if (found === null || !(timeOf(entry, "time") < timeOf(found, "time"))) found = entry;
  }
  const manager = stringOf(found, "manager");
  return manager == UNKNOWN_MANAGER ? "" : manager;
}

// The API server refuses new pods: the last Event about a creation is a refusal, and pods are missing.
function addRefusal(to: Hold[], held: Held): void {
  if (activePods(held.attempts) >= wantedPods(held.job)) return;
  const events = held.events.of("Job", held.metadata);
  let refusal: JsonNode | null = null;
  let createdMs: f64 = -Infinity;
  for (let i = 0; i < events.length; i++) {
    const reason = events[i].string("reason");
    if (reason == "SuccessfulCreate") createdMs = max(createdMs, lastMs(events[i]));
    else if (reason == "FailedCreate" && (refusal === null || !(lastMs(events[i]) < lastMs(refusal))))
      refusal = events[i];
  }
  if (refusal === null || lastMs(refusal) < createdMs) return;
  const hold = new Hold("CreationRefused");
  const message = messageOf(refusal);
  hold.message = message.startsWith(CREATION_ERROR) ? message.substring(CREATION_ERROR.length) : message;
  nameRefuser(hold);
  hold.sinceMs = lastMs(refusal);
  to.push(hold);
}

// What the messages of the API server's admission name.
function nameRefuser(hold: Hold): void {
  const message = hold.message;
  if (message.includes('webhook "')) {
    hold.reason = "Webhook";
    hold.by = wordAfter(message, 'webhook "');
  } else if (message.includes("exceeded quota: ")) {
    hold.reason = "Quota";
    hold.by = wordAfter(message, "exceeded quota: ");
  } else if (message.includes("failed quota: ")) {
    hold.reason = "Quota";
    hold.by = wordAfter(message, "failed quota: ");
  } else if (message.includes('serviceaccount "')) {
    hold.reason = "ServiceAccount";
    hold.by = wordAfter(message, 'serviceaccount "');
  } else if (message.includes("no PriorityClass with name ")) {
    hold.reason = "PriorityClass";
    hold.by = wordAfter(message, "no PriorityClass with name ");
  } else if (message.includes("violates PodSecurity")) hold.reason = "PodSecurity";
}

/** The word that follows in a message, up to a quotation mark, a comma, a colon or a space; "": there is none. */
export function wordAfter(message: string, begins: string): string {
  const at = message.indexOf(begins);
  if (at < 0) return "";
  const from = at + begins.length;
  let end = from;
  while (end < message.length && !'", :'.includes(message.charAt(end))) ++end;
  // No name begins so. Who writes an Event would choose an option of kubectl.
  return message.charAt(from) == "-" ? "" : message.substring(from, end);
}

/** How many pods have neither ended nor been deleted. */
export function activePods(attempts: Attempt[]): i64 {
  let count = 0;
  for (let i = 0; i < attempts.length; i++) {
    if (!attempts[i].isDeleted && !attempts[i].isOver) ++count;
  }
  return count;
}

// How many pods the Job wants at once.
function wantedPods(job: JsonNode): i64 {
  const spec = job.object("spec");
  const status = job.object("status");
  if (spec === null) return 0;
  const completions = spec.integer("completions");
  const succeeded: i64 = status === null ? 0 : max<i64>(0, status.integer("succeeded"));
  const parallelism = max<i64>(0, spec.integer("parallelism"));
  return completions == ABSENT ? parallelism : min(parallelism, completions - succeeded);
}

// The node that has rejected the last pods in a row.
function addRejection(to: Hold[], held: Held): void {
  let hold: Hold | null = null;
  for (let i = held.attempts.length - 1; i >= 0; i--) {
    const attempt = held.attempts[i];
    const end = held.ends[i];
    if (end === null || end.code != "NodeRejected") break;
    if (hold === null) {
      hold = new Hold("NodeRejects", attempt.node);
      hold.node = attempt.node;
      hold.reason = end.by;
    } else if (hold.node != attempt.node) break;
    hold.add(attempt.name, attempt.node, attempt.startMs, attempt.message);
  }
  if (hold !== null && hold.count >= REJECTED_IN_A_ROW) to.push(hold);
}

// The wait for what the controller does next, if nothing else holds the Job.
function addWait(to: Hold[], held: Held): void {
  const judgement = held.judgement;
  const reason = judgement.reason;
  const isWait = reason == "Backoff" || reason == "NoPods" || reason == "NotConfirmed";
  if (!isWait || (judgement.verdict == "Running" && reason == "NoPods")) return;
  const hold = new Hold(reason);
  hold.sinceMs = judgement.sinceMs;
  to.push(hold);
}
