/** Lessons on sharing work among pods. */
import elastic from "../../examples/elastic.yaml";
import gang from "../../examples/gang.yaml";
import queuePodPerItem from "../../examples/queue-pod-per-item.yaml";
import staticWork from "../../examples/static-work.yaml";
import templateExpansion from "../../examples/template-expansion.yaml";
import workQueue from "../../examples/work-queue.yaml";
import thousand from "./manifests/thousand.yaml";
import type { Lesson } from "./lesson.ts";
import { at, run } from "./make.ts";

export const SHARE: readonly Lesson[] = [
  {
    id: "static-work",
    group: "Share the work",
    title: "Each pod finds its piece by its index",
    text: "Five pieces of work, three pods at a time: a pod reads its completion index from its environment and knows what to do. No queue is needed, and no pod talks to another.",
    scenario: run(staticWork),
    bookmarks: [
      at(10, "three indexes begin", { decision: "Creating" }),
      at(1_427, "the first gap is filled", { decision: "Creating", nth: 2 }),
      at(4_167, "all indexes are done", { decision: "Ended" }),
    ],
    question: "At the end, what does the status say in completedIndexes?",
    answer: "0-4: the indexes are kept as intervals, so a hundred thousand of them are still one short line.",
    ends: ["Complete (CompletionsReached), succeeded 5, failed 0"],
  },
  {
    id: "queue-pod-per-item",
    group: "Share the work",
    title: "A queue, and a pod for each item",
    text: "Eight items wait in a queue, so the Job asks for eight completions, two at a time. Which pod takes which item is the queue's affair; the Job only counts successes.",
    scenario: run(queuePodPerItem),
    bookmarks: [
      at(10, "two workers begin", { decision: "Creating" }),
      at(5_385, "four items are done", { job: "queue-pod-per-item", field: "succeeded", is: 4 }),
      at(9_651, "eight successes", { decision: "Ended" }),
    ],
    question: "Near the end, why is only one pod active although parallelism is 2?",
    answer:
      "Seven have succeeded and one is running: together they are the eight that are wanted. More pods than completions are never made.",
    ends: ["Complete (CompletionsReached), succeeded 8, failed 0"],
  },
  {
    id: "work-queue",
    group: "Share the work",
    title: "Workers that empty a queue",
    text: "Without completions the Job does not say how many pods must succeed. The first success means that the queue is empty: no pod is made any more, and the Job ends with its last worker.",
    scenario: run(workQueue),
    bookmarks: [
      at(10, "three workers begin", { decision: "Creating" }),
      at(2_242, "the first worker finds it empty", { pod: "SUCCEEDED" }),
      at(4_377, "the last worker ends", { decision: "Ended" }),
    ],
    question: "If a worker failed after the first success, would it be replaced?",
    answer:
      "No. After the first success the Job makes no pod. A worker must not say that it succeeded while there is work left.",
    ends: ["Complete (CompletionsReached), succeeded 3, failed 0"],
  },
  {
    id: "template-expansion",
    group: "Share the work",
    title: "Many Jobs from one template",
    text: "Three items, three Jobs: the same manifest with another name in it. Each Job is counted, retried and deleted separately.",
    scenario: run(templateExpansion),
    bookmarks: [
      at(10, "three Jobs begin", { decision: "Creating" }),
      at(1_666, "the first Job ends", { decision: "Ended" }, "process-cherry"),
      at(2_294, "the last Job ends", { decision: "Ended", nth: 3 }, "process-apple"),
    ],
    question: "What is better here than one Indexed Job with three completions?",
    answer:
      "Each Job has its own limit, its own end and its own name. One Indexed Job is one object, which matters with thousands of items.",
    ends: [
      "Complete (CompletionsReached), succeeded 1, failed 0",
      "Complete (CompletionsReached), succeeded 1, failed 0",
      "Complete (CompletionsReached), succeeded 1, failed 0",
    ],
  },
  {
    id: "elastic",
    group: "Share the work",
    title: "Grow and shrink while it runs",
    text: "At 20 seconds the Job shrinks from four indexes to two, and at 40 seconds it grows to six. The highest indexes go first and come back later; what a pod had done by then is lost.",
    scenario: run(elastic, {
      inputs: [
        {
          atMs: 20_000,
          action: { kind: "scale", namespace: "default", name: "elastic", parallelism: 2, completions: 2 },
        },
        {
          atMs: 40_000,
          action: { kind: "scale", namespace: "default", name: "elastic", parallelism: 6, completions: 6 },
        },
      ],
    }),
    bookmarks: [
      at(20_010, "down to two", { decision: "DeletingSurplus" }),
      at(40_010, "up to six", { flag: "scale", nth: 2 }),
      at(100_010, "six are done", { decision: "Ended" }),
    ],
    question: "The two pods that are deleted while shrinking: are they failures?",
    answer:
      "No. The controller deleted them because they were not wanted any more. That uses up no retry, and the status does not count them.",
    ends: ["Complete (CompletionsReached), succeeded 6, failed 0"],
  },
  {
    id: "gang",
    group: "Share the work",
    title: "Workers that are of no use alone",
    text: "Eight workers form a gang, because spec.scheduling asks for it. With gang scheduling a scheduler binds all or none; that switch is off here, so they are bound one by one.",
    scenario: run(gang),
    bookmarks: [
      at(10, "eight pods are made", { decision: "Creating" }),
      at(1_708, "the first worker ends", { pod: "SUCCEEDED" }),
      at(2_987, "all eight are done", { decision: "Ended" }),
    ],
    question: "With room for only seven of them and no gang scheduling, what would seven workers do?",
    answer:
      "They would start, wait for the eighth, and hold their places while they wait. That is the deadlock that gang scheduling prevents.",
    ends: ["Complete (CompletionsReached), succeeded 8, failed 0"],
  },
  {
    id: "thousand",
    group: "Share the work",
    title: "A thousand pieces, and bad luck",
    text: "A thousand pieces run a hundred at a time, and one attempt in twenty fails after a while. Each index has its own retries, so bad luck in one place delays only that place.",
    scenario: run(thousand, {
      outcomes: [
        { share: 0.05, outcome: { runMs: [20_000, 60_000], exitCode: 137, reason: "OOMKilled" } },
        { outcome: { runMs: [10_000, 30_000] } },
      ],
    }),
    bookmarks: [
      at(10, "a hundred begin", { decision: "Creating" }),
      at(119_275, "half of them are done", { job: "thousand", field: "succeeded", is: 500 }),
      at(300_942, "all are done", { decision: "Ended" }),
    ],
    question: "About how many pods will have failed when the thousandth piece is done?",
    answer:
      "One attempt in twenty fails, so about 53: a twentieth of a thousand, and a twentieth of those again; with this seed it is 47. An index would have to fail four times to fail for good.",
    ends: ["Complete (CompletionsReached), succeeded 1000, failed 47"],
  },
];
