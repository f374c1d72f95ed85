/** Each patch that `account` proposes of a Job makes a Job that the API server takes, and changes it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { AccountQuestion, Remedy } from "../../bindings/js/engine.ts";
import { applyStrategicMergePatch } from "../../cluster/apiserver/patch/strategic-merge-patch.ts";
import { structType } from "../../cluster/apiserver/schema/schema.ts";
import type { JsonObject } from "../../cluster/values/types.ts";
import { newEngine } from "../bindings/js/vector-files.ts";
import { vectorsFolder } from "../bindings/js/verdict-corpus.ts";

interface Case {
  readonly name: string;
  readonly nowMs: number;
  readonly input: AccountQuestion & { readonly job: JsonObject };
}

const engine = await newEngine();
const { cases } = JSON.parse(readFileSync(path.join(vectorsFolder, "account/holds.json"), "utf8")) as { cases: Case[] };
const patches = cases.flatMap(({ name, nowMs, input }) =>
  engine
    .account(input, nowMs)
    .remedies.filter(({ kind }) => kind === "Job" || kind === "CronJob")
    .map((remedy) => ({ name, job: input.job, remedy })),
);

test("there are patches of Jobs and of CronJobs", () => {
  expect(patches.length).toBeGreaterThanOrEqual(12);
  expect(new Set(patches.map(({ remedy }) => remedy.kind))).toEqual(new Set(["Job", "CronJob"]));
});

test.each(patches)("$name: $remedy.sentence", ({ job, remedy }) => {
  const manifest = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j", namespace: "ns" },
    spec: withImages(job["spec"] as JsonObject),
  };
  expect(refusalOf(manifest)).toBe("");
  const patched = applyStrategicMergePatch(manifest, patchOf(remedy), structType("Job"));
  expect(patched).not.toEqual(manifest);
  expect(refusalOf(patched)).toBe("");
});

/** The patch of the Job, which that of a CronJob has in it. */
function patchOf({ kind, patch }: Remedy): JsonObject {
  if (kind === "Job") return patch as JsonObject;
  return (patch as { spec: { jobTemplate: JsonObject } }).spec.jobTemplate;
}

/** The vectors leave out what `account` does not read. */
function withImages(spec: JsonObject): JsonObject {
  const text = JSON.stringify(spec).replaceAll('{"name":"main"}', '{"name":"main","image":"example.com/app:1"}');
  return JSON.parse(text) as JsonObject;
}

function refusalOf(object: JsonObject): string {
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u",
      kind: { group: "batch", version: "v1", kind: "Job" },
      resource: { group: "batch", version: "v1", resource: "jobs" },
      name: "j",
      namespace: "ns",
      operation: "CREATE",
      object,
    },
  };
  const { allowed, status } = JSON.parse(engine.review(JSON.stringify(review))).response;
  return allowed ? "" : status.message;
}
