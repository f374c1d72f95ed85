/**
 * What comes next for a Job, and when: what the controller, the kubelet or the API server does without any input; or
 * what has to happen first. Invariant: nothing is announced that does not come.
 */
import { timeOf } from "../admission/status-facts";
import { ABSENT } from "../json/tree";
import { begin, quoteText, say, saySpan } from "../verdict/words";
import { Hold } from "./hold";
import { Held } from "./holds";

/** Says what comes next, as a clause. It begins a new sentence. */
export function sayNext(held: Held, holds: Hold[]): void {
  begin();
  const judgement = held.judgement;
  const leftMs = judgement.nextMs - held.nowMs;
  if (judgement.isFinished) {
    if (isNaN(leftMs))
      return say(holds.length > 0 ? "nothing until its finalizers are removed" : "nothing: it has ended");
    return saySpan("it is deleted in ", leftMs, ", by its time to live");
  }
  if (isNaN(leftMs)) return sayCondition(held, holds);
  if (judgement.nextMs >= deadlineMs(held)) saySpan("its activeDeadlineSeconds end it in ", leftMs, "");
  else {
    say(
      judgement.reason == "Backoff" ? "the controller creates the next pod" : "the kubelet starts the container again",
    );
    saySpan(judgement.isNextBound ? " in at most " : " in ", leftMs, "");
  }
}

function deadlineMs(held: Held): f64 {
  const spec = held.spec;
  const status = held.job.object("status");
  const seconds = spec === null ? ABSENT : spec.integer("activeDeadlineSeconds");
  return seconds == ABSENT || status === null ? Infinity : timeOf(status, "startTime") + f64(seconds) * 1000;
}

// What has to happen first.
function sayCondition(held: Held, holds: Hold[]): void {
  const reason = held.judgement.reason;
  if (reason == "NotStarted") return say("its controller starts it");
  // Some of its pods run, whatever holds the others.
  const isKept = holds.length > 0 && holds[0].code == "KeptByContainer";
  if (holds.length == 0 || (reason == "PodsActive" && !isKept && anyRuns(held)))
    return say("it goes on when a pod ends");
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

function anyRuns(held: Held): bool {
  for (let i = 0; i < held.attempts.length; i++) {
    const attempt = held.attempts[i];
    if (attempt.hasRun && attempt.phase == "Running" && !attempt.isDeleted) return true;
  }
  return false;
}
