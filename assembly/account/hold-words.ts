/** The sentence about one thing that holds a Job: a clause that stands alone, without a capital. */
import { begin, quoteText, say, sayNumber, sayPods, saySpan } from "../verdict/words";
import { Hold } from "./hold";

/** Begins a new sentence. `nowMs` is wall clock. */
export function sayHold(hold: Hold, nowMs: f64): void {
  begin();
  addHold(hold, nowMs);
}

/** The same, as a part of a sentence. */
export function addHold(hold: Hold, nowMs: f64): void {
  if (hold.code == "CannotStart") sayCannotStart(hold);
  else if (hold.code == "CrashLoopBackOff") sayCrashLoop(hold);
  else if (hold.code == "KeptByContainer") sayKept(hold);
  else if (hold.code == "Terminating") sayTerminating(hold, nowMs);
  else if (hold.code == "NodeRejects") sayRejects(hold);
  else if (hold.count > 0) sayUnscheduled(hold);
  else sayOfJob(hold, nowMs);
}

function sayOfJob(hold: Hold, nowMs: f64): void {
  const code = hold.code;
  if (code == "Deleting") {
    say("the Job is being deleted");
    if (hold.by.length == 0) return;
    say(", and stays until these finalizers are removed: ");
    quoteText(hold.by);
  } else if (code == "Suspended") saySuspended(hold);
  else if (code == "ParallelismIsZero") say("spec.parallelism is 0, so no pod is created");
  else if (code == "NoController") {
    say("no controller runs the Job: ");
    if (hold.by.length > 0) {
      quoteText(hold.by);
      say(", which spec.managedBy names,");
    } else say("kube-controller-manager");
    say(" has written no status");
    saySpan(", ", nowMs - hold.sinceMs, " after the Job was created");
  } else if (code == "CreationRefused") {
    say("the API server refuses new pods");
    sayMessage(hold);
  } else if (code == "Backoff") say("pods have failed, and the controller waits before it creates the next one");
  else if (code == "NoPods") {
    say("no pod is active, and none was created");
    saySpan(" for ", nowMs - hold.sinceMs, "");
  } else say("the Job is over by its counters or its deadline, and its controller has not stored its end");
}

function saySuspended(hold: Hold): void {
  if (hold.reason == "Kueue") {
    say("Kueue has not admitted the Job: it waits in queue ");
    quoteText(hold.by);
    if (hold.placeInQueue > 0 && hold.placeInClusterQueue > 0)
      say(`, at place ${hold.placeInQueue} of it and place ${hold.placeInClusterQueue} of its cluster queue`);
    return sayMessage(hold);
  }
  if (hold.reason == "JobSet") {
    say("JobSet ");
    quoteText(hold.by);
    return say(" suspends the Job");
  }
  say("spec.suspend is true");
  if (hold.by.length == 0) return;
  say(", which ");
  quoteText(hold.by);
  say(" has set");
}

function sayCannotStart(hold: Hold): void {
  sayPods(hold.count);
  say(" cannot start: ");
  if (hold.by.length > 0) {
    say("container ");
    quoteText(hold.by);
    say(" of ");
  }
  sayPod(hold);
  say(" waits with ");
  quoteText(hold.reason);
  sayMessage(hold);
}

function sayCrashLoop(hold: Hold): void {
  sayPods(hold.count);
  say(hold.count == 1 ? " waits" : " wait");
  say(" for the next start of container ");
  quoteText(hold.by);
  say(", which fails again and again");
}

function sayKept(hold: Hold): void {
  const isOne = !hold.by.includes(",");
  sayPod(hold);
  if (hold.reason.length > 0) {
    say(" does not end: its work is over, but ");
    say(isOne ? "container " : "containers ");
    quoteText(hold.by);
    say(isOne ? " has" : " have");
    say(" restartPolicy Always, so the kubelet starts ");
    say(isOne ? "it again whenever it ends" : "each again whenever it ends");
    say("; in spec.initContainers ");
    say(isOne ? "it would be stopped" : "they would be stopped");
  } else {
    say(" does not end before ");
    say(isOne ? "container " : "containers ");
    quoteText(hold.by);
    say(isOne ? " does" : " do");
    say(", although its other containers have ended");
  }
  if (hold.count == 1) return;
  say("; the same is true of ");
  sayNumber(hold.count - 1, hold.count == 2 ? " other pod" : " other pods");
}

function sayTerminating(hold: Hold, nowMs: f64): void {
  sayPods(hold.count);
  if (hold.reason == "Kept") {
    say(hold.count == 1 ? " has ended, and the finalizer " : " have ended, and the finalizer ");
    quoteText(hold.by);
    say(" keeps ");
    return sayPod(hold);
  }
  say(hold.count == 1 ? " is being ended" : " are being ended");
  if (hold.reason == "Finalizer") {
    say(", and the finalizer ");
    quoteText(hold.by);
    say(" keeps ");
    return sayPod(hold);
  }
  if (hold.reason == "GracePeriod") {
    if (hold.sinceMs > nowMs) saySpan(", and may run for another ", hold.sinceMs - nowMs, "");
    return;
  }
  saySpan(", and should have ended ", nowMs - hold.sinceMs, " ago: ");
  if (hold.node.length > 0) {
    say("the kubelet of ");
    quoteText(hold.node);
    say(" does not end ");
    return sayPod(hold);
  }
  sayPod(hold);
  say(" is on no node");
}

function sayRejects(hold: Hold): void {
  say("node ");
  quoteText(hold.by);
  say(" rejects pods of the Job: ");
  sayNumber(hold.count, " in a row, with ");
  quoteText(hold.reason);
  sayMessage(hold);
}

function sayUnscheduled(hold: Hold): void {
  sayPods(hold.count);
  if (hold.code == "SchedulingGated") {
    say(hold.count == 1 ? " waits" : " wait");
    say(" for scheduling gates to be removed: ");
    return quoteText(hold.by);
  }
  say(hold.count == 1 ? " has no node" : " have no node");
  if (hold.code == "NoScheduler") {
    say(": scheduler ");
    quoteText(hold.by);
    return say(hold.count == 1 ? " has not looked at it" : " has not looked at them");
  }
  if (hold.code == "GangUnscheduled") {
    say(", because PodGroup ");
    quoteText(hold.by);
    say(" is not scheduled as a whole");
  }
  sayMessage(hold);
}

function sayPod(hold: Hold): void {
  say("pod ");
  quoteText(hold.pod);
}

// The messages of others end in different ways.
function sayMessage(hold: Hold): void {
  let message = hold.message.trim();
  if (message.endsWith(".")) message = message.substring(0, message.length - 1);
  if (message.length == 0) return;
  say(": ");
  quoteText(message);
}
