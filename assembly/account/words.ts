/** The sentence about one attempt: what became of the pod, and who ended it. */
import { ABSENT, stringOf } from "../json/tree";
import { begin, quoteText, say, sayNumber } from "../verdict/words";
import { Attempt } from "./attempt";
import { EndedBy } from "./ended-by";

const MAX_SIGNAL: i64 = 64;
const SIGNAL_CODES: i64 = 128;

/** The number of the signal that an exit code tells of, as shells count; ABSENT: it tells of none. */
export function signalOf(exitCode: i64): i64 {
  const signal = exitCode - SIGNAL_CODES;
  return exitCode != ABSENT && signal > 0 && signal <= MAX_SIGNAL ? signal : ABSENT;
}

/** Says who ended it, as a part of a sentence; nothing if nothing has, or if it has succeeded on its own. */
export function sayCause(attempt: Attempt, end: EndedBy | null): void {
  begin();
  if (end !== null && end.code != "Completed") addCause(attempt, end);
}

/** Begins a new sentence. `end` is null while nothing has ended the pod. */
export function sayAttempt(attempt: Attempt, end: EndedBy | null): void {
  begin();
  addAttempt(attempt, end);
}

/** The same, as a part of a sentence. */
export function addAttempt(attempt: Attempt, end: EndedBy | null): void {
  say("pod ");
  quoteText(attempt.name);
  const index = attempt.index;
  if (index >= 0) {
    say(" (index ");
    sayNumber(index, ")");
  }
  if (end === null) return sayState(attempt);
  if (end.code == "Completed") return say(" has succeeded");
  if (attempt.phase == "Failed") say(" has failed: ");
  else if (attempt.phase == "Succeeded") say(" has succeeded, although it was stopped: ");
  else if (attempt.isDeleted) say(" is being ended: ");
  else say(" runs on after a failure: ");
  addCause(attempt, end);
}

function sayState(attempt: Attempt): void {
  if (attempt.phase == "Running") say(" is running");
  else if (attempt.phase == "Pending") say(attempt.node.length > 0 ? " has not started yet" : " has no node yet");
  else {
    say(" is in the phase ");
    quoteText(attempt.phase);
  }
}

function addCause(attempt: Attempt, end: EndedBy): void {
  const code = end.code;
  if (code == "Exited") sayContainer(attempt, end, " exited");
  else if (code == "OutOfMemory") sayContainer(attempt, end, " was killed for want of memory");
  else if (code == "CannotStart") sayContainer(attempt, end, " could not be started");
  else if (code == "LivenessProbe")
    sayContainer(attempt, end, " was killed by the kubelet, because its liveness probe failed");
  else if (code == "StartupProbe")
    sayContainer(attempt, end, " was killed by the kubelet, because its startup probe failed");
  else if (code == "KubeletEviction") {
    sayNode("the kubelet", " of ", attempt.node);
    say(end.by.length > 0 ? " evicted it, for want of " : " evicted it");
    quoteText(end.by);
    sayMessage(attempt);
  } else if (code == "KubeletPreemption") {
    sayNode("the kubelet", " of ", attempt.node);
    say(" ended it to admit a critical pod");
  } else if (code == "NodeShutdown") {
    sayNode("the kubelet", " of ", attempt.node);
    say(" ended it, because the node shuts down");
  } else if (code == "NodeLost") {
    sayNode("its node", " ", attempt.node);
    say(" is gone");
  } else if (code == "NodeRejected") {
    sayNode("the kubelet", " of ", attempt.node);
    say(" refused it: ");
    quoteText(end.by);
    sayMessage(attempt);
  } else if (code == "Preempted") {
    say("the scheduler preempted it");
    if (end.by.length > 0) say(" for pod ");
    quoteText(end.by);
  } else if (code == "TaintEviction") {
    sayNode("a taint of its node", " ", attempt.node);
    say(" evicted it");
  } else if (code == "ApiEviction") say("it was evicted through the API, as kubectl drain does it");
  else if (code == "PodDeadline") say("its activeDeadlineSeconds, those of the pod, were over");
  else if (code == "JobDeadline")
    say("the Job controller deleted it, because the activeDeadlineSeconds of the Job were over");
  else if (code == "FailurePolicy")
    say("the Job controller deleted it, because a rule of podFailurePolicy failed the Job");
  else if (code == "JobEnd") {
    say("the Job controller deleted it at the end of the Job (");
    quoteText(end.by);
    say(")");
  } else if (code == "JobDeleted") say("the Job was deleted");
  else if (code == "Suspended") say("the Job controller deleted it, because the Job is suspended");
  else if (code == "ScaledDown") say("the Job controller deleted it, because the Job wants fewer pods");
  else if (code == "Deleted") say("it was deleted, and nothing says by whom");
  else {
    if (attempt.failure === null) {
      say("nothing says why");
      sayMessage(attempt);
    } else sayContainer(attempt, end, " was ended, and nothing says by whom");
  }
}

// What the kubelet says of a pod that failed as a whole. Its sentences end in different ways.
function sayMessage(attempt: Attempt): void {
  let message = attempt.message.trim();
  if (message.endsWith(".")) message = message.substring(0, message.length - 1);
  if (message.length > 0) say(": ");
  quoteText(message);
}

function sayNode(what: string, between: string, node: string): void {
  say(what);
  if (node.length == 0) return;
  say(between);
  quoteText(node);
}

// `container main exited (exit code 1, Error): MESSAGE`
function sayContainer(attempt: Attempt, by: EndedBy, what: string): void {
  const end = attempt.failure;
  say(end !== null && end.container.isInit ? "init container " : "container ");
  quoteText(end === null ? by.by : end.container.name);
  say(what);
  if (end === null) return;
  const exitCode = end.exitCode;
  say(" (exit code ");
  sayNumber(exitCode, "");
  const signal = signalOf(exitCode);
  if (signal != ABSENT) {
    say(", signal ");
    sayNumber(signal, "");
  }
  if (end.reason.length > 0) say(", ");
  quoteText(end.reason);
  say(")");
  const message = end.terminated.string("message").trim();
  if (message.length > 0) say(": ");
  quoteText(message);
}
