/**
 * What comes next for a Job, and when: what the controller, the kubelet or the API server does without any input; or
 * what has to happen first. Invariant: nothing is announced that does not come.
 */
import { timeOf } from "../admission/status-facts";
import { ABSENT } from "../json/tree";
import { begin, quoteText, say, saySpan } from "../verdict/words";
import { Hold } from "./hold";
import { activePods, Held } from "./holds";

/** Says what comes next, as a clause. It begins a new sentence. */
export function sayNext(held: Held, holds: Hold[]): void {
  begin();
  const judgement = held.judgement;
  const leftMs = judgement.nextMs - held.nowMs;
  if (judgement.isFinished) return sayAfterEnd(holds, leftMs);
  if (judgement.decided.length > 0 || judgement.reason == "NotConfirmed")
    return say(hasPods(held) ? "its controller ends its pods and stores its end" : "its controller stores its end");
  const isRefused = holds.length > 0 && holds[0].code == "CreationRefused" && judgement.reason == "Backoff";
  if (isNaN(leftMs) || isRefused) return sayCondition(held, holds);
  if (judgement.nextMs >= deadlineMs(held)) saySpan("its activeDeadlineSeconds end it in ", leftMs, "");
  else {
    say(
      judgement.reason == "Backoff" ? "the controller creates the next pod" : "the kubelet starts the container again",
    );
    saySpan(judgement.isNextBound ? " in at most " : " in ", leftMs, "");
  }
}

function sayAfterEnd(holds: Hold[], leftMs: f64): void {
  if (!isNaN(leftMs)) saySpan("it is deleted in ", leftMs, ", by its time to live");
  else if (holds.length == 0) say("nothing: it has ended");
  else say(holds[0].by.length > 0 ? "nothing until its finalizers are removed" : "it is deleted");
}

function deadlineMs(held: Held): f64 {
  const spec = held.spec;
  const status = held.job.object("status");
  const seconds = spec === null ? ABSENT : spec.integer("activeDeadlineSeconds");
  return seconds == ABSENT || status === null ? Infinity : timeOf(status, "startTime") + f64(seconds) * 1000;
}

// What has to happen first.
function sayCondition(held: Held, holds: Hold[]): void {
  if (held.judgement.reason == "NotStarted") return say("its controller starts it");
  if (holds.length == 0 || (isOfPods(holds[0]) && hasOthers(held, holds))) return say("it goes on when a pod ends");
  const hold = holds[0];
  const code = hold.code;
  if (code == "Suspended" && hold.reason == "Kueue") say("nothing until Kueue admits it");
  else if (code == "Suspended") say("nothing until spec.suspend is false");
  else if (code == "ParallelismIsZero") say("nothing until spec.parallelism is larger than 0");
  else if (code == "NoController") say("nothing until its controller runs");
  else if (code == "Deleting") say(hold.by.length > 0 ? "nothing until its finalizers are removed" : "it is deleted");
  else if (code == "CreationRefused") say("nothing until the API server takes its pods; the controller tries again");
  else if (code == "CannotStart") say("nothing until the container can start; the kubelet tries again");
  else if (code == "CrashLoopBackOff") say("the kubelet starts the container again");
  else if (code == "Unschedulable") say("nothing until a node fits; the scheduler tries again");
  else if (code == "GangUnscheduled") say("nothing until nodes fit all of the group; the scheduler tries again");
  else if (code == "NoScheduler") {
    say("nothing until scheduler ");
    quoteText(hold.by);
    say(" runs");
  } else if (code == "SchedulingGated") say("nothing until the gates are removed");
  else if (code == "KeptByContainer") {
    say("nothing until ");
    if (hold.reason.length > 0) say("the pod is deleted");
    else {
      quoteText(hold.by);
      say(hold.by.includes(",") ? " end" : " ends");
    }
  } else if (code == "Terminating") say("nothing until the pod is gone");
  else if (code == "NodeRejects") say("the controller creates the next pod, perhaps on the same node");
  else if (code == "Backoff") say("its controller creates the next pod");
  else if (code == "NoPods") say("nothing until its controller creates a pod");
  else say("its controller stores its end");
}

function hasPods(held: Held): bool {
  for (let i = 0; i < held.attempts.length; i++) {
    if (!held.attempts[i].isOver) return true;
  }
  return false;
}

function isOfPods(hold: Hold): bool {
  return hold.count > 0 || hold.code == "CreationRefused";
}

// Whether a pod is active that nothing holds, as far as is known.
function hasOthers(held: Held, holds: Hold[]): bool {
  let count: i64 = 0;
  for (let i = 0; i < holds.length; i++) {
    const code = holds[i].code;
    if (code != "Terminating" && code != "NodeRejects") count += holds[i].count;
  }
  return activePods(held.attempts) > count;
}
