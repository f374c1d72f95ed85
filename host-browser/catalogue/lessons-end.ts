/** Lessons on how Jobs end, and what becomes of them. */
import deadline from "../../examples/deadline.yaml";
import policies from "../../examples/policies.yaml";
import successPolicy from "../../examples/success-policy.yaml";
import timeToLive from "../../examples/time-to-live.yaml";
import type { Lesson } from "./lesson.ts";
import { at, run } from "./make.ts";

export const END: readonly Lesson[] = [
  {
    id: "deadline",
    group: "End, and clean up",
    title: "A time limit for the whole Job",
    text: "The program never ends, and after 100 seconds the limit of the Job does. FailureTarget says at once how it will end; Failed follows when the pod is gone, and that takes its grace period.",
    scenario: run(deadline),
    bookmarks: [
      at(10, "it runs, and will not end", { pod: "READY" }),
      at(100_000, "the limit has passed", { decision: "DeadlinePassed" }),
      at(130_010, "the Job has failed", { decision: "Ended" }),
    ],
    question: "Five retries are left. Does the limit use one of them?",
    answer:
      "No: a time limit ends the Job, whatever is left. The pod template has an activeDeadlineSeconds, too: that one fails a pod that hangs, which uses up a retry.",
    ends: ["Failed (DeadlineExceeded), succeeded 0, failed 1"],
  },
  {
    id: "success-policy",
    group: "End, and clean up",
    title: "Enough is enough",
    text: "Ten pods run, and a success of index 0, 2 or 3 decides that the whole Job has succeeded. Index 2 makes it after a second; the nine others are ended, and are neither successes nor failures.",
    scenario: run(successPolicy),
    bookmarks: [
      at(10, "ten pods run", { decision: "WaitingForPods" }),
      at(1_010, "index 2 decides, the others are ended", { pod: "TERMINATING" }),
      at(1_020, "the Job is complete", { decision: "Ended" }),
    ],
    question: "When does completionTime come: with the first success, or with the last pod's end?",
    answer:
      "With the condition Complete, which waits until all pods have ended. SuccessCriteriaMet comes with the success.",
    ends: ["Complete (SuccessPolicy), succeeded 1, failed 0"],
  },
  {
    id: "time-to-live",
    group: "End, and clean up",
    title: "A Job that is deleted automatically",
    text: "The Job is complete after some seconds, and 100 seconds later it is deleted with its pods. Without ttlSecondsAfterFinished it would stay until a user deletes it.",
    scenario: run(timeToLive),
    bookmarks: [
      at(10, "the pod runs", { pod: "READY" }),
      at(1_632, "complete", { decision: "Ended" }),
      at(101_000, "deleted, and its pod, too", { deleted: "pi-with-ttl" }),
    ],
    question: "Who deletes the pods?",
    answer: "The garbage collector: they are owned by the Job. Read the logs before, if you need them.",
    ends: ["Complete (CompletionsReached), succeeded 1, failed 0, deleted"],
  },
  {
    id: "policies",
    group: "End, and clean up",
    title: "All policies in one Job",
    text: "Ten pieces with a limit for each index, an exit code that gives an index up, a success policy that is content with eight, and a time to live. The Job is complete although index 7 has failed.",
    scenario: run(policies),
    bookmarks: [
      at(7_006, "index 7 is given up", { pod: "FAILED", nth: 2 }),
      at(7_877, "eight are enough", { decision: "SuccessPolicyMet" }),
      at(67_000, "it is deleted", { deleted: "policies" }),
    ],
    question: "Index 3 failed once and index 7 for good. Which failures count against the Job?",
    answer:
      "None of them: each index has its own limit, and the success policy ends the Job before a failed index could.",
    ends: ["Complete (SuccessPolicy), succeeded 8, failed 2, deleted"],
  },
];
