/** Lessons on Jobs that make no progress: what they wait for, and which component could tell. */
import imagePull from "../../examples/image-pull.yaml";
import managedBy from "../../examples/kubectl/managed-by.yaml";
import placement from "../../examples/kubectl/placement.yaml";
import suspended from "../../examples/kubectl/suspended.yaml";
import sidecar from "../../examples/sidecar.yaml";
import oldSidecar from "./manifests/old-sidecar.yaml";
import pause from "./manifests/pause.yaml";
import quota from "./manifests/quota.yaml";
import queueTime from "./manifests/queue-time.yaml";
import tooLarge from "./manifests/too-large.yaml";
import type { Lesson } from "./lesson.ts";
import { at, run } from "./make.ts";

/** The suspended Job with the place that a queue gives it. */
const PLACED = placement.replace(/^( *)restartPolicy:/m, "$1nodeSelector: {kubernetes.io/hostname: node-2}\n$&");
/** The same Job with a request that fits. */
const SMALLER = tooLarge.replace('cpu: "32"', 'cpu: "8"');
/** The quota that fits all pods. */
const LARGER = `apiVersion: v1
kind: ResourceQuota
metadata:
  name: small
spec:
  hard:
    pods: "4"
`;

export const WAIT: readonly Lesson[] = [
  {
    id: "too-large",
    group: "Why does it wait?",
    title: "Why does my Job make no progress?",
    text: "The pod asks for 32 processors, and the largest node has 16: it stays Pending, which is no failure, and the Job's status says nothing of it. After a minute a user suspends the Job, asks for 8, and lets it go again.",
    scenario: run(tooLarge, {
      inputs: [
        { atMs: 60_000, action: { kind: "suspend", namespace: "default", name: "too-large" } },
        { atMs: 70_000, action: { kind: "apply", yaml: SMALLER } },
        { atMs: 80_000, action: { kind: "resume", namespace: "default", name: "too-large" } },
      ],
    }),
    bookmarks: [
      at(0, "no node takes the pod", { event: "FailedScheduling" }),
      at(60_000, "suspended, to be corrected", { flag: "suspend" }),
      at(82_698, "complete", { decision: "Ended" }),
    ],
    question: "During the first minute: where is the reason, if not in the Job's status?",
    answer:
      "In the pod's condition PodScheduled and in an event, which disappears after an hour. The sentence below the picture says it for as long as it is so.",
    ends: ["Complete (CompletionsReached), succeeded 1, failed 0"],
  },
  {
    id: "image-pull",
    group: "Why does it wait?",
    title: "An image that is not there",
    text: "The image is misspelt, so no container ever starts, and none ever fails. The kubelet tries again and again; only the Job's time limit ends it.",
    scenario: run(imagePull),
    bookmarks: [
      at(0, "the first pull fails", { pod: "WAITING" }),
      at(70_000, "the fourth try", { event: "Failed", nth: 4 }),
      at(120_000, "the Job has failed", { decision: "Ended" }),
    ],
    question: "Without activeDeadlineSeconds, when would this Job fail?",
    answer: "Never. backoffLimit counts pods that have failed, and a pod that cannot start has not failed.",
    ends: ["Failed (DeadlineExceeded), succeeded 0, failed 1"],
  },
  {
    id: "queue-time",
    group: "Why does it wait?",
    title: "The deadline counts the queue",
    text: "Six pods are made at once, and there is room for two. The time limit of 150 seconds runs from the start of the Job, so the last two are stopped after half of their minute.",
    scenario: run(queueTime, { nodes: [{ name: "small", count: 1, cpu: "16", memory: "64Gi", pods: 2 }] }),
    bookmarks: [
      at(10, "two run, four wait", { decision: "WaitingForPods" }),
      at(120_010, "the last two begin", { job: "queue-time", field: "succeeded", is: 4 }),
      at(150_010, "the time limit", { decision: "DeadlinePassed" }),
    ],
    question: "Each piece takes 60 seconds. Which limit would have been enough?",
    answer:
      "Above 180: three rounds of 60 seconds. A limit for each attempt does not exist in a Job; activeDeadlineSeconds in the pod template comes nearest.",
    ends: ["Failed (DeadlineExceeded), succeeded 4, failed 2"],
  },
  {
    id: "quota",
    group: "Why does it wait?",
    title: "The quota is full",
    text: "The Job wants four pods at once, and the quota of its namespace has room for two: the API server refuses the third with 403. The controller tries again after 1, 2, 4… seconds; after ten seconds an administrator raises the quota.",
    scenario: run(quota, {
      inputs: [{ atMs: 10_000, action: { kind: "apply", yaml: LARGER } }],
    }),
    bookmarks: [
      at(10, "a creation is refused", { decision: "CreateFailed" }),
      at(10_000, "there is room", { flag: "apply" }),
      at(15_010, "the next try", { pod: "PENDING", nth: 3 }),
    ],
    question: "The room is there after 10 seconds. Why does the Job not continue in that second?",
    answer:
      "The controller does not watch quotas: it finds out when it retries, and its backoff grows. If one of the Job's pods had ended, it would have retried at once.",
    ends: ["Complete (CompletionsReached), succeeded 4, failed 0"],
  },
  {
    id: "sidecar",
    group: "Why does it wait?",
    title: "The helper that never ends",
    text: "The work is done after ten seconds in both Jobs. On one track the helper is a sidecar and ends with it; on the other it is an ordinary container, and keeps its pod running until the time limit.",
    scenario: run([oldSidecar, sidecar]),
    bookmarks: [
      at(10_000, "the work is done", { pod: "SUCCEEDED" }, "sidecar"),
      at(10_010, "one Job is complete", { decision: "CompletionsReached" }, "sidecar"),
      at(60_010, "the other runs into its limit", { decision: "DeadlinePassed" }, "old-sidecar"),
    ],
    question: "The main container of the old form ended with exit code 0. Why is the pod not Succeeded?",
    answer:
      "A pod has succeeded when all of its containers have ended. Only init containers with restartPolicy Always are left out of that.",
    ends: ["Failed (DeadlineExceeded), succeeded 0, failed 1", "Complete (CompletionsReached), succeeded 1, failed 0"],
  },
  {
    id: "suspended",
    group: "Why does it wait?",
    title: "A Job that waits to be let go",
    text: "The Job is created with suspend: true, and no pod is made. At 30 seconds a user resumes it, and five pods run one after another.",
    scenario: run(suspended, {
      inputs: [{ atMs: 30_000, action: { kind: "resume", namespace: "default", name: "myjob" } }],
    }),
    bookmarks: [
      at(0, "it waits", { decision: "Suspended" }),
      at(30_010, "it is let go", { flag: "resume" }),
      at(45_050, "all five are done", { decision: "Ended" }),
    ],
    question: "Since when does the Job run, by its startTime?",
    answer: "Since 30 seconds. A suspended Job has no startTime, so its time limits have not begun either.",
    ends: ["Complete (CompletionsReached), succeeded 5, failed 0"],
  },
  {
    id: "pause",
    group: "Why does it wait?",
    title: "Suspended in the middle",
    text: "After 40 of 50 seconds the Job is suspended: its pod is ended and its work is lost. Resumed a minute later, it starts from the beginning, and so does the clock of its time limit.",
    scenario: run(pause, {
      inputs: [
        { atMs: 40_000, action: { kind: "suspend", namespace: "default", name: "pause" } },
        { atMs: 100_000, action: { kind: "resume", namespace: "default", name: "pause" } },
      ],
    }),
    bookmarks: [
      at(40_010, "suspended", { decision: "Suspending" }),
      at(100_010, "resumed", { flag: "resume" }),
      at(150_010, "complete", { decision: "Ended" }),
    ],
    question: "The limit is 60 seconds and the Job ends at 150. Why did it not fail?",
    answer: "Resuming sets startTime again, and the limit counts from there: 50 seconds are less than 60.",
    ends: ["Complete (CompletionsReached), succeeded 1, failed 0"],
  },
  {
    id: "placement",
    group: "Why does it wait?",
    title: "Where it runs is decided later",
    text: "While the Job is suspended its template may still be changed in a few fields: here a queue puts it on node-2 and then lets it go. In a running Job the same change would be refused.",
    scenario: run(placement, {
      inputs: [
        { atMs: 10_000, action: { kind: "apply", yaml: PLACED } },
        { atMs: 20_000, action: { kind: "resume", namespace: "default", name: "placement" } },
      ],
    }),
    bookmarks: [
      at(10_000, "its place is decided", { flag: "apply" }),
      at(20_010, "it is let go", { flag: "resume" }),
      at(21_459, "it ran on node-2", { decision: "Ended" }),
    ],
    question: "Why does the API server refuse the same change while pods are running?",
    answer:
      "The pods of a Job must be alike, so its template cannot change under them. Suspend, edit, resume is the way.",
    ends: ["Complete (CompletionsReached), succeeded 1, failed 0"],
  },
  {
    id: "managed-by",
    group: "Why does it wait?",
    title: "A Job that no controller manages",
    text: "managedBy names another controller, which does not exist here, so nothing happens and nothing says so. After half a minute a user deletes the Job and creates it again without the field.",
    scenario: run(managedBy, {
      inputs: [
        { atMs: 30_000, action: { kind: "delete-job", namespace: "default", name: "managed-by" } },
        { atMs: 40_000, action: { kind: "apply", yaml: managedBy.replace(/^ *managedBy:.*\n/m, "") } },
      ],
    }),
    bookmarks: [
      at(30_000, "it is deleted", { flag: "delete-job" }),
      at(40_010, "created again", { flag: "apply" }),
      at(42_803, "complete", { decision: "Ended" }),
    ],
    question: "Why not simply take the field away?",
    answer: "It cannot be changed: two controllers would otherwise fight over one Job while it changes hands.",
    ends: ["not: nobody looks after it", "Complete (CompletionsReached), succeeded 1, failed 0"],
  },
];
