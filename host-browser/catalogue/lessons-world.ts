/** Lessons on what the world does to a Job: nodes, the API server, the controller itself. */
import queuePodPerItem from "../../examples/queue-pod-per-item.yaml";
import replacement from "../../examples/replacement.yaml";
import staticWork from "../../examples/static-work.yaml";
import accounting from "./manifests/accounting.yaml";
import eviction from "./manifests/eviction.yaml";
import overlap from "./manifests/overlap.yaml";
import type { Lesson } from "./lesson.ts";
import { at, run } from "./make.ts";

export const WORLD: readonly Lesson[] = [
  {
    id: "eviction",
    group: "The world intervenes",
    title: "An eviction, with and without a policy",
    text: "At ten seconds the two nodes with pods are drained and both pods are evicted; neither Job allows a single failure. The one with a failure policy ignores disruptions and continues, the other has failed.",
    scenario: run(eviction, {
      inputs: [
        { atMs: 10_000, action: { kind: "drain", node: "node-1" } },
        { atMs: 10_000, action: { kind: "drain", node: "node-2" } },
      ],
    }),
    bookmarks: [
      at(10_000, "two nodes are drained", { flag: "drain" }, "without-policy"),
      at(10_010, "one Job has failed", { decision: "TooManyFailures" }, "without-policy"),
      at(50_010, "the other is complete", { decision: "Ended", nth: 2 }, "with-policy"),
    ],
    question: "How does the controller know that this was a disruption and no bug in the program?",
    answer:
      "The eviction puts the condition DisruptionTarget on the pod. The rule onPodConditions matches it; an exit code alone would not tell.",
    ends: [
      "Complete (CompletionsReached), succeeded 1, failed 0",
      "Failed (BackoffLimitExceeded), succeeded 0, failed 1",
    ],
  },
  {
    id: "overlap",
    group: "The world intervenes",
    title: "Two pods at once for one piece",
    text: "Both pods are asked to leave at 20 seconds and take half a minute to do so. One Job makes the replacement while the old pod is still at work, the other waits for its end.",
    scenario: run(overlap, {
      inputs: [
        { atMs: 20_000, action: { kind: "drain", node: "node-1" } },
        { atMs: 20_000, action: { kind: "drain", node: "node-2" } },
      ],
    }),
    bookmarks: [
      at(20_010, "both begin to leave", { pod: "TERMINATING" }),
      at(30_010, "two pods of one Job at work", { decision: "Creating", nth: 3 }),
      at(120_010, "both are complete", { decision: "Ended", nth: 2 }, "one-by-one"),
    ],
    question: "When must a Job never have two pods at once?",
    answer:
      "When two of them would write the same file or table. podReplacementPolicy: Failed prevents it; the default without a failure policy is TerminatingOrFailed.",
    ends: [
      "Complete (CompletionsReached), succeeded 1, failed 1",
      "Complete (CompletionsReached), succeeded 1, failed 1",
    ],
  },
  {
    id: "replacement",
    group: "The world intervenes",
    title: "Replaced only when it has ended",
    text: "An administrator drains the node of the only pod, which ignores SIGTERM. It is killed after its grace period of five seconds, and only then does the back-off for its replacement begin.",
    scenario: run(replacement, { inputs: [{ atMs: 15_000, action: { kind: "drain", node: "node-1" } }] }),
    bookmarks: [
      at(15_010, "the node is drained", { flag: "drain" }),
      at(20_010, "it has ended, killed", { pod: "FAILED" }),
      at(90_010, "its replacement succeeds", { decision: "Ended" }),
    ],
    question: "While the old pod is leaving: what do active and terminating say?",
    answer:
      "active 0 and terminating 1. Only terminating, and Terminating in the list of pods, show that the pod is still running.",
    ends: ["Complete (CompletionsReached), succeeded 1, failed 1"],
  },
  {
    id: "accounting",
    group: "The world intervenes",
    title: "The three stages of counting",
    text: "The API server answers a second late here, so what is otherwise one instant can be seen. First the UIDs of ended pods are written down as uncounted, then their finalizers are taken off, then the UIDs move into the counter: if the controller crashes in between, it still counts each pod exactly once.",
    scenario: run(accounting, {
      inputs: [{ atMs: 1_000, action: { kind: "slow-api", delayMs: 1_000, forMs: 60_000 } }],
    }),
    bookmarks: [
      at(22_010, "one: written down as uncounted", { job: "accounting", field: "uncounted", is: 2 }),
      at(23_010, "two: the finalizers are off", { released: true, nth: 2 }),
      at(24_010, "three: counted", { job: "accounting", field: "succeeded", is: 2 }),
    ],
    question: "The controller dies after the first stage. What does the next one do?",
    answer:
      "It finds the UID in uncountedTerminatedPods, takes the finalizer off and counts it. Until the finalizer is gone the pod cannot vanish, so nothing is lost.",
    ends: ["Complete (CompletionsReached), succeeded 4, failed 0"],
  },
  {
    id: "restart",
    group: "The world intervenes",
    title: "The controller dies, and nothing is lost",
    text: "At three seconds the controller's process ends, and another one with an empty memory starts 20 seconds later. Running pods continue meanwhile; the new process lists all objects and continues.",
    scenario: run(queuePodPerItem, {
      inputs: [{ atMs: 3_000, action: { kind: "restart-controller", downMs: 20_000 } }],
    }),
    bookmarks: [
      at(3_000, "it dies", { flag: "restart-controller" }),
      at(23_010, "the new one continues", { job: "queue-pod-per-item", field: "succeeded", is: 4 }),
      at(27_147, "all eight are done", { decision: "Ended" }),
    ],
    question: "Two pods end while there is no controller. How does the new one know of them?",
    answer:
      "Each pod of a Job carries a finalizer until it is counted, so it cannot go away before the controller has seen it. The new controller lists it, and counts it.",
    ends: ["Complete (CompletionsReached), succeeded 8, failed 0"],
  },
  {
    id: "api-errors",
    group: "The world intervenes",
    title: "The API server answers with errors",
    text: "From two seconds on each request of the controller fails with status 500, for 15 seconds. It retries with a growing backoff, and continues where it was.",
    scenario: run(staticWork, {
      inputs: [{ atMs: 2_000, action: { kind: "api-errors", status: 500, forMs: 15_000 } }],
    }),
    bookmarks: [
      at(2_000, "the errors begin", { flag: "api-errors" }),
      at(17_011, "four are counted at last", { job: "static-work", field: "succeeded", is: 4 }),
      at(19_167, "all five are done", { decision: "Ended" }),
    ],
    question: "Do these errors use up retries of the Job?",
    answer:
      "No. backoffLimit counts pods that failed. What goes wrong between the controller and the API server costs time, and nothing else.",
    ends: ["Complete (CompletionsReached), succeeded 5, failed 0"],
  },
];
