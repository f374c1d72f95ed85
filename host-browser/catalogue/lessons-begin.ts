/** Lessons to begin with, after the first one. */
import hello from "../../examples/hello.yaml";
import onePod from "../../examples/one-pod.yaml";
import pi from "../../examples/pi.yaml";
import type { Lesson } from "./lesson.ts";
import { at, run } from "./make.ts";

export const BEGIN: readonly Lesson[] = [
  {
    id: "hello",
    group: "Begin",
    title: "The smallest Job",
    text: "One pod is made, ends with exit code 0, and the Job is complete. Everything else in this catalogue is about what may come between.",
    scenario: run(hello),
    bookmarks: [
      at(10, "the pod is made", { decision: "Creating" }),
      at(1_063, "the pod ends", { pod: "SUCCEEDED" }),
      at(1_073, "the Job is complete", { decision: "Ended" }),
    ],
    question: "The pod ends. Which two conditions does the Job get, and in which order?",
    answer:
      "SuccessCriteriaMet comes first: the end is decided. Complete follows when the last pod is counted; here both come within one millisecond.",
    ends: ["Complete (CompletionsReached), succeeded 1, failed 0"],
  },
  {
    id: "one-pod",
    group: "Begin",
    title: "One pod that has to succeed once",
    text: "The first Job of the Kubernetes documentation: a pod computes digits of pi for ten seconds. With neither completions nor parallelism set, both are 1.",
    scenario: run(onePod),
    bookmarks: [
      at(10, "the pod runs", { pod: "READY" }),
      at(10_000, "it has succeeded", { pod: "SUCCEEDED" }),
      at(10_010, "the Job is complete", { decision: "Ended" }),
    ],
    question: "Between the start and the end of the container: how often does the controller write the Job's status?",
    answer: "Once, to count the pod as ready. It writes when a number changes, not when time passes.",
    ends: ["Complete (CompletionsReached), succeeded 1, failed 0"],
  },
  {
    id: "pi",
    group: "Begin",
    title: "Four slices of pi, two at a time",
    text: "An Indexed Job gives each pod a number from 0 to 3, and each pod computes its own slice. Whenever one succeeds, the next index starts, so two are running until nothing is left.",
    scenario: run(pi),
    bookmarks: [
      at(10, "two of four begin", { decision: "Creating" }),
      at(1_088, "one ends, another begins", { decision: "Creating", nth: 2 }),
      at(4_679, "all four are done", { decision: "Ended" }),
    ],
    question: "Which index begins when the first pod ends?",
    answer: "Always the lowest one that has neither a pod nor a success: index 2.",
    ends: ["Complete (CompletionsReached), succeeded 4, failed 0"],
  },
];
