/** What is mutated: Jobs and pods as a real API server sent them, and reviews of them as it would have asked for. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "../../cluster/values/types.ts";

const vectors = path.resolve(import.meta.dirname, "../vectors");
const recordings = path.join(vectors, "recordings");

interface Answered {
  readonly uri: string;
  readonly response: JsonObject | null;
}

/** A Job that is a gang, its Workload and its PodGroup. */
const gang: JsonObject[] = [
  {
    kind: "Job",
    metadata: { name: "gang", namespace: "default", uid: "uid-gang", resourceVersion: "900", generation: 1 },
    spec: {
      parallelism: 3,
      completions: 3,
      completionMode: "Indexed",
      scheduling: {
        schedulingPolicy: { gang: { minCount: 2 } },
        schedulingConstraints: { topology: [{ key: "zone" }] },
        disruptionMode: { all: {} },
        resourceClaims: [{ name: "gpu", resourceClaimName: "shared" }],
      },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [], restartPolicy: "Never" } },
    },
  },
  {
    kind: "Workload",
    metadata: {
      name: "w",
      namespace: "default",
      uid: "uid-w",
      resourceVersion: "901",
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "gang", uid: "uid-gang", controller: true }],
    },
    spec: {
      controllerRef: { apiGroup: "batch", kind: "Job", name: "gang" },
      podGroupTemplates: [{ name: "t", schedulingPolicy: { gang: { minCount: 3 } } }],
    },
  },
  {
    kind: "PodGroup",
    metadata: {
      name: "g",
      namespace: "default",
      uid: "uid-g",
      resourceVersion: "902",
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "gang", uid: "uid-gang", controller: true }],
    },
    spec: {
      workloadRef: { workloadName: "w", templateName: "t" },
      schedulingPolicy: { gang: { minCount: 3 } },
    },
  },
];

/** Every Job and pod of the recordings, in each state that was seen, and a gang. */
export const objects: readonly JsonObject[] = readdirSync(recordings)
  .filter((file) => file.endsWith(".jsonl"))
  .sort()
  .flatMap((file) => readFileSync(path.join(recordings, file), "utf8").trim().split("\n"))
  .map((line) => JSON.parse(line) as Answered)
  .flatMap(({ response }) =>
    response !== null && (response["kind"] === "Job" || response["kind"] === "Pod") ? [response] : [],
  )
  .concat(gang);

export const texts: readonly string[] = objects.map((object) => JSON.stringify(object));
export const jobs: readonly JsonObject[] = objects.filter((object) => object["kind"] === "Job");

const vectorReviews: readonly JsonObject[] = readdirSync(path.join(vectors, "admission"))
  .filter((file) => file.endsWith(".json"))
  .sort()
  .flatMap(
    (file) => JSON.parse(readFileSync(path.join(vectors, "admission", file), "utf8")) as { review: JsonObject }[],
  )
  .map(({ review }) => review);

const recordedReviews: readonly JsonObject[] = objects.flatMap((object, i) => {
  const old = objects[i - 1];
  const isUpdate = old !== undefined && old["kind"] === object["kind"] && i % 2 === 0;
  const kind = { group: object["kind"] === "Job" ? "batch" : "", version: "v1", kind: object["kind"]! };
  const { name = "", namespace = "" } = object["metadata"] as { name?: string; namespace?: string };
  return [
    {
      uid: "review",
      kind,
      name,
      namespace,
      operation: isUpdate ? "UPDATE" : "CREATE",
      ...(isUpdate && i % 4 === 0 ? { subResource: "status" } : {}),
      object,
      ...(isUpdate ? { oldObject: old } : {}),
    },
  ];
});

export const reviews: readonly string[] = [...vectorReviews, ...recordedReviews].map((request) =>
  JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request }),
);

function questionsOf(folder: string): string[] {
  return readdirSync(path.join(vectors, folder))
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(path.join(vectors, folder, file), "utf8");
      return (JSON.parse(text) as { cases: { input?: JsonObject; text?: string }[] }).cases;
    })
    .map(({ input, text }) => text ?? JSON.stringify(input));
}

/** Questions of `verdict`: Jobs with their pods. */
export const questions: readonly string[] = questionsOf("verdict");

/** Questions of `account`: Jobs with their pods and Events. */
export const attemptQuestions: readonly string[] = questionsOf("account");

/** Questions of `lint`: Jobs with what is around them. */
export const lintQuestions: readonly string[] = questionsOf("lint");

/** Questions of `forecast`: Jobs with assumptions. */
export const questionsAhead: readonly string[] = questionsOf("forecast");

/** A configuration with every kind of member. */
export const configuration = JSON.stringify({
  instance: "a",
  gangScheduling: true,
  sources: [
    { id: 0, resource: "jobs" },
    { id: 63, resource: "pods", isSelection: true },
    { id: 62, resource: "pods", namespace: "n", isSelection: true },
    { id: 2, resource: "workloads" },
    { id: 3, resource: "podgroups" },
  ],
  constants: { syncBurst: 0, maxUncountedPods: 500 },
});
