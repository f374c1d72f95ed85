/** Lessons on failures, limits and waits. */
import fivePods from "../../examples/five-pods.yaml";
import limitPerIndex from "../../examples/limit-per-index.yaml";
import podFailurePolicy from "../../examples/pod-failure-policy.yaml";
import retry from "../../examples/retry.yaml";
import retryNever from "../../examples/retry-never.yaml";
import retryOnFailure from "../../examples/retry-on-failure.yaml";
import retryOnce from "../../examples/retry-once.yaml";
import simulatedFailure from "../../examples/simulated-failure.yaml";
import allAtOnce from "./manifests/all-at-once.yaml";
import doubling from "./manifests/doubling.yaml";
import oneRetry from "./manifests/one-retry.yaml";
import type { Lesson } from "./lesson.ts";
import { at, run } from "./make.ts";

export const FAIL: readonly Lesson[] = [
  {
    id: "never-or-on-failure",
    group: "Fail, and try again",
    title: "OnFailure against Never",
    text: "The same program fails four times over: in one Job it is restarted in its pod, in the other each retry is a new pod. Both limits are 3, and they count differently.",
    scenario: run([retryOnFailure, retryNever]),
    bookmarks: [
      at(20_010, "both fail for the first time", { pod: "FAILED" }, "retry-never"),
      at(90_010, "OnFailure gives up", { decision: "TooManyRestarts" }, "retry-on-failure"),
      at(150_010, "Never gives up", { decision: "TooManyFailures" }, "retry-never"),
    ],
    question: "With a limit of 3, how many runs come to their end with each policy?",
    answer:
      "Three with OnFailure: the third restart reaches the limit, and the pod is deleted in the middle of its fourth run. Four with Never, and all four pods stay for their logs to be read.",
    ends: [
      "Failed (BackoffLimitExceeded), succeeded 0, failed 1",
      "Failed (BackoffLimitExceeded), succeeded 0, failed 4",
    ],
  },
  {
    id: "five-pods",
    group: "Fail, and try again",
    title: "A limit of 4 makes five pods",
    text: "Every pod fails, and backoffLimit is 4. The limit says how many failures are forgiven, so it is the fifth failure that is one too many.",
    scenario: run(fivePods),
    bookmarks: [
      at(3_010, "the first failure", { pod: "FAILED" }),
      at(82_010, "the fourth, which is still forgiven", { decision: "Backoff", nth: 4 }),
      at(165_010, "the fifth, which is not", { decision: "TooManyFailures" }),
    ],
    question: "How many pods does a Job with backoffLimit 0 make, if they fail?",
    answer: "One. The first failure is already more than the limit allows.",
    ends: ["Failed (BackoffLimitExceeded), succeeded 0, failed 5"],
  },
  {
    id: "retry",
    group: "Fail, and try again",
    title: "Restarted until it works",
    text: "The container fails twice and succeeds at the third run, all in one pod. The kubelet restarts it, at once and then after ten seconds; the Job only watches.",
    scenario: run(retry),
    bookmarks: [
      at(500, "the first restart", { event: "Started", nth: 2 }),
      at(1_250, "the container waits", { pod: "WAITING" }),
      at(11_510, "it has worked", { decision: "Ended" }),
    ],
    question: "The container failed twice. How many failures does the Job's status count?",
    answer:
      "None. failed counts pods, and this pod has succeeded. The two restarts were weighed against the limit only while the pod was running.",
    ends: ["Complete (CompletionsReached), succeeded 1, failed 0"],
  },
  {
    id: "retry-once",
    group: "Fail, and try again",
    title: "A limit of 1, and a success",
    text: "With restartPolicy OnFailure and a limit of 1 the program succeeds at once, so the limit does not matter. The next lesson is the same with one failure.",
    scenario: run(retryOnce),
    bookmarks: [
      at(10, "the pod runs", { pod: "READY" }),
      at(2_452, "it succeeds", { pod: "SUCCEEDED" }),
      at(2_462, "the Job is complete", { decision: "Ended" }),
    ],
    question: "Had the program failed once, would its second run come to an end?",
    answer: "No: the first restart would reach the limit. Look at the next lesson.",
    ends: ["Complete (CompletionsReached), succeeded 1, failed 0"],
  },
  {
    id: "one-retry",
    group: "Fail, and try again",
    title: "The one retry that never ends",
    text: "The program would succeed at its second run, and a limit of 1 seems to allow one. But with OnFailure the restart itself is counted: the limit is reached when the second run has only begun.",
    scenario: run(oneRetry),
    bookmarks: [
      at(10, "the pod runs", { pod: "READY" }),
      at(20_010, "restarted, and given up", { decision: "TooManyRestarts" }),
      at(20_020, "the Job has failed", { decision: "Ended" }),
    ],
    question: "Which one word of the manifest would let the second run finish?",
    answer:
      "restartPolicy: Never. Or a limit of 2: with OnFailure the last restart that the limit allows is always cut off.",
    ends: ["Failed (BackoffLimitExceeded), succeeded 0, failed 1"],
  },
  {
    id: "doubling",
    group: "Fail, and try again",
    title: "Ten seconds, twenty, forty…",
    text: "Each failure in a row doubles the wait before the next pod, from 10 seconds up to 10 minutes. Eight retries of a program that fails within a second take half an hour.",
    scenario: run(doubling),
    bookmarks: [
      at(1_010, "the first wait: 10 s", { decision: "Backoff" }),
      at(637_010, "the longest wait: 10 min", { decision: "Backoff", nth: 7 }),
      at(1_839_010, "given up", { decision: "TooManyFailures" }),
    ],
    question: "No field sets these times. What does make the wait short again?",
    answer:
      "A success: the wait grows with the failures since the last pod that succeeded. With many indexes at work, each success of another index resets it.",
    ends: ["Failed (BackoffLimitExceeded), succeeded 0, failed 9"],
  },
  {
    id: "all-at-once",
    group: "Fail, and try again",
    title: "Ten failures with a limit of 2",
    text: "Ten pods run at the same time and fail in the same second. The controller sees all ten at once; by then the limit of 2 is long exceeded.",
    scenario: run(allAtOnce),
    bookmarks: [
      at(10, "ten pods are made", { decision: "Creating" }),
      at(5_000, "all of them fail", { pod: "FAILED", nth: 10 }),
      at(5_010, "the Job has failed", { decision: "Ended" }),
    ],
    question: "What bounds the number of failed pods, if not the limit?",
    answer:
      "The limit and parallelism together: while it is not exceeded, up to parallelism pods are running, and all of those may still fail.",
    ends: ["Failed (BackoffLimitExceeded), succeeded 0, failed 10"],
  },
  {
    id: "simulated-failure",
    group: "Fail, and try again",
    title: "One index eats up the limit",
    text: "Index 2 runs out of memory each time, and the three others succeed. The limit is for the whole Job, so one bad index fails all of it.",
    scenario: run(simulatedFailure),
    bookmarks: [
      at(5_864, "it is out of memory", { pod: "FAILED" }),
      at(20_010, "waiting again", { decision: "Backoff", nth: 2 }),
      at(90_010, "one failure too many", { decision: "TooManyFailures" }),
    ],
    question: "Three indexes have succeeded. Is that work lost when the Job fails?",
    answer:
      "No: completedIndexes keeps them, and a new Job over the remaining indexes could continue the work. With backoffLimitPerIndex each index would have had its own limit.",
    ends: ["Failed (BackoffLimitExceeded), succeeded 3, failed 4"],
  },
  {
    id: "limit-per-index",
    group: "Fail, and try again",
    title: "A limit for each index",
    text: "Each index may be retried once, and up to five may fail before the Job is given up. The five even ones cannot succeed; five are not more than five, so the odd ones still get their turn.",
    scenario: run(limitPerIndex),
    bookmarks: [
      at(1_169, "an index is retried", { pod: "FAILED" }),
      at(16_580, "three odd ones are done", {
        job: "job-backoff-limit-per-index-example",
        field: "succeeded",
        is: 3,
      }),
      at(31_503, "every index is decided", { decision: "Ended" }),
    ],
    question: "All ten indexes are decided. Why is the Job Failed and not Complete?",
    answer:
      "Some of its indexes failed, even though no more than maxFailedIndexes allows. That field only says when to stop early.",
    ends: ["Failed (FailedIndexes), succeeded 5, failed 10"],
  },
  {
    id: "pod-failure-policy",
    group: "Fail, and try again",
    title: "An exit code that ends everything",
    text: "The program knows when trying again is useless and says so with exit code 42. The failure policy fails the Job at once, with six retries and all twelve completions left.",
    scenario: run(podFailurePolicy),
    bookmarks: [
      at(10, "three pods run", { decision: "WaitingForPods" }),
      at(5_000, "exit code 42", { pod: "FAILED" }),
      at(5_010, "the rule ends the Job", { decision: "Ended" }),
    ],
    question: "What would exit code 1 have done?",
    answer: "No rule matches it, so it counts against the limit as always: after a back-off another pod is made.",
    ends: ["Failed (PodFailurePolicy), succeeded 0, failed 3"],
  },
];
